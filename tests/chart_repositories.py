"""Repositories with charts, written by tests and looked at as users do: through a session, or the command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from gitops_lint.linter.fix.fix_plan import Fixed, fix_in_place
from gitops_lint.linter.helm.run.helm_choice import HelmChoice
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.run import Linted
from gitops_lint.linter.lint.session import Session
from gitops_lint.linter.repo.app import App
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.yaml.source import SourceFile
from gitops_lint.rules import load

COMMAND = Path(sys.executable).with_name("gitops-lint")
REPO_URL = "https://git.example.com/shop.git"


# -- writing


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def chart(folder: str, files: Mapping[str, str], more: str = "") -> dict[str, str]:
    """The files of a chart that is called like its folder."""
    name = folder.rpartition("/")[2]
    own = {"Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n{more}", **files}
    return {f"{folder}/{path}": text for path, text in own.items()}


def packed(path: Path, files: Mapping[str, str]) -> None:
    """An archive as `helm package` makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def config_map(name: str, more: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{more}"


def application(name: str, path: str, helm: Mapping[str, Any] | None = None, **spec: Any) -> str:
    """As JSON, which is YAML; `spec` is laid over the one that it has."""
    source = {"repoURL": REPO_URL, "path": path, "targetRevision": "HEAD", **({"helm": helm} if helm else {})}
    value = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "shops"},
            **({} if "sources" in spec else {"source": source}),
            **spec,
        },
    }
    return json.dumps(value, indent=2)


# -- looking


def session(helm: Path | str, *rules: str, cache: Path | None = None, **more: Any) -> Session:
    """With all rules, or those of these names; without a cache, unless there is one."""
    chosen = tuple(rule for rule in load() if not rules or rule.name in rules)
    choice = HelmChoice(str(helm), cache, keeps=cache is not None)
    return Session(Config(repo_urls=(REPO_URL,)), chosen, date(2024, 1, 1), helm=choice, **more)


def linted(root: Path, helm: Path | str, *rules: str, **more: Any) -> Linted:
    found = session(helm, *rules, **more)
    return found.lint(found.find([root]))


def fixed(root: Path, helm: Path | str, *rules: str, unsafe: bool = False) -> Fixed:
    return fix_in_place(session(helm, *rules), [root], unsafe=unsafe)


def app_named(repo: Repo, name: str) -> App:
    (found,) = [app for app in repo.apps if app.name == name]
    return found


def values_of(app: App) -> list[Any]:
    return [resource.node.value for resource in app.resources]


def names_in(app: App) -> list[str]:
    return [resource.name for resource in app.resources]


def place(item: Reported) -> str:
    """As people name it: path, line and column."""
    at = item.finding.at
    position = at.file.position(at.span.start)
    return f"{at.file.path}:{position.line}:{position.column}"


def places(run: Linted) -> list[str]:
    return [place(item) for item in run.result.reported]


def notes(item: Reported) -> list[str]:
    """What is told beside a finding, each with its path and line."""
    found = []
    for note in item.finding.related:
        line = note.at.file.position(note.at.span.start).line
        found.append(f"{note.at.file.path}:{line}: {note.message}")
    return found


def printed_by(helm: Path, root: Path, *words: str) -> list[Any]:
    """What Helm prints when it is called by hand, object by object."""
    done = subprocess.run([str(helm), "template", *words], cwd=root, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    documents = SourceFile("printed", done.stdout).documents
    return [document.root.value for document in documents if document.root.is_mapping]


def command(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """gitops-lint itself, with no Helm and no cache but those that are named."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(root.parent), "XDG_CACHE_HOME": str(root.parent / "cache")}
    return subprocess.run(
        [str(COMMAND), *words], cwd=root, capture_output=True, text=True, timeout=120, env=environment, check=False
    )


def counted(helm: Path, folder: Path) -> tuple[Path, Path]:
    """A program that is this Helm and writes down each `template` that it is asked for: it, and what it has written."""
    program, log = folder / "counting-helm", folder / "calls"
    program.write_text(
        f'#!/bin/sh\ncase "$1" in template) echo "$@" >> "{log}";; esac\nexec "{helm}" "$@"\n', encoding="utf-8"
    )
    os.chmod(program, 0o755)
    log.write_text("")
    return program, log
