"""What lies in a workspace and is not the repository's: git's own files, and what git ignores."""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from git_repository import Checkout
from gitops_lint.linter.cli.main import cli
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.files.disk import Reader
from real_tools import helm3

TOKEN = "AUTHORIZATION-kX9vT2qLm47zRw"
APP = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: a, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://git.example.com/x.git, path: {path}, targetRevision: HEAD}}
  destination: {{server: https://kubernetes.default.svc, namespace: a}}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n"


def run(root: Path, *words: str) -> Result:
    whole = ("--min-severity", "note") if words[0] == "check" else ()  # what is only counted could not leak
    return CliRunner().invoke(cli, [*words, *whole, str(root), "--no-cache"])


def printing(expression: str) -> str:
    return f"{CONFIG_MAP}    argocd.argoproj.io/sync-wave: {{{{ {expression} | b64enc | quote }}}}\n"


def leaks(text: str) -> bool:
    """As it is, or in base64 at any of the three places that it may begin at."""
    pieces = [base64.b64encode(b"x" * shift + TOKEN.encode()).decode()[4:-4] for shift in range(3)]
    return any(piece in text for piece in (TOKEN, *pieces))


CHARTS = {
    "a link to git's config": ("chart/cfg", "../.git/config", '.Files.Get "cfg"'),
    "a linked folder": ("chart/dir", "../.git", '.Files.Get "dir/config"'),
    "a link to an ignored file": ("chart/creds", "../gha-creds-1.json", '.Files.Get "creds"'),
}


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("base", [(), ("--diff-base", "HEAD")], ids=["plain", "compared"])
def test_a_link_in_a_chart_brings_no_secret(tmp_path: Path, name: str, base: tuple[str, ...]) -> None:
    link, target, expression = CHARTS[name]
    checkout = Checkout(tmp_path / "r")
    checkout.write({"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n"})
    checkout.commit({"chart/templates/a.yaml": printing(expression), ".gitignore": "gha-creds-*.json\n"})
    os.symlink(target, checkout.root / link)
    checkout.git("config", "http.extraheader", TOKEN)
    checkout.write({"gha-creds-1.json": TOKEN})
    for words in (("check", *base), ("render",), ("plan",)):
        done = run(checkout.root, *words, "--helm", str(helm3()))
        assert not leaks(done.output + done.stderr), words
    chart = CliRunner().invoke(cli, ["render", str(checkout.root / "chart"), "--helm", str(helm3()), "--no-cache"])
    assert not leaks(chart.output)


def test_a_chart_does_not_get_what_git_ignores(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "r")
    glob = '(range $name, $data := .Files.Glob "gha-creds-*.json")'
    template = f'{CONFIG_MAP}    argocd.argoproj.io/sync-wave: "x\n{{{{- {glob[1:-1]} }}}}{{{{ $data | toString | b64enc }}}}{{{{ end }}}}"\n'
    template = template.replace("x\n{{-", "x{{")
    checkout.commit(
        {
            "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
            "templates/a.yaml": template,
            ".gitignore": "gha-creds-*.json\n",
            "gha-creds-2.json.txt": "",
        }
    )
    checkout.write({"gha-creds-1.json": TOKEN})
    assert not leaks(run(checkout.root, "check", "--helm", str(helm3())).output)
    checkout.git("add", "-f", "gha-creds-1.json")  # now everybody has it
    assert leaks(run(checkout.root, "check", "--helm", str(helm3())).output)


def test_a_kustomization_does_not_get_it_either(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "r")
    kustomization = "configMapGenerator:\n- name: a\n  files: [creds.txt, cfg, .git/config]\n"
    checkout.commit({"kustomization.yaml": kustomization, ".gitignore": "creds.txt\n"})
    checkout.git("config", "http.extraheader", TOKEN)
    checkout.write({"creds.txt": TOKEN})
    os.symlink(".git/config", checkout.root / "cfg")
    for words in (("check",), ("render",), ("check", "--diff-base", "HEAD")):
        assert not leaks(run(checkout.root, *words).output)


def test_a_reader_gives_nothing_of_git_nor_of_the_system(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.commit({"a.yaml": "a: 1\n"})
    links = {"p.yaml": "/proc/self/environ", "d.yaml": "/dev/zero", "g.yaml": ".git/config", "G": ".git"}
    for name, target in links.items():
        os.symlink(target, tmp_path / name)
    os.mkfifo(tmp_path / "f.yaml")
    reader = Reader(tmp_path)
    for path in (*links, "f.yaml", ".git/config", "G/config", ".GIT/config", "sub/../.git/config"):
        assert reader.data(path) is None, path
        file = reader.file(path)
        assert file is None or (file.refused and not file.text), path
        assert not reader.stamp(path), path


# -- what git has is read, whatever its name


def test_a_tracked_file_is_read_though_an_ignore_file_names_it(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.write(
        {".gitignore": "*.yaml\nhidden/\n", "a.yaml": "a: 1\n", "hidden/b.yaml": "b: 1\n", "c.yaml": "c: 1\n"}
    )
    checkout.git("add", "-f", "a.yaml", "hidden/b.yaml")
    assert [file.path for file in discover([tmp_path]).files] == ["a.yaml", "hidden/b.yaml"]


@pytest.mark.parametrize("name", ["venv", ".venv", "node_modules", ".terraform", "__pycache__"])
def test_a_tracked_folder_is_read_whatever_its_name(tmp_path: Path, name: str) -> None:
    checkout = Checkout(tmp_path)
    checkout.commit({f"apps/{name}/a.yaml": "a: 1\n"})
    checkout.write({f"apps/{name}/untracked.yaml": "a: 1\n", f"other/{name}/b.yaml": "b: 1\n"})
    found = discover([tmp_path])
    assert [file.path for file in found.files] == [f"apps/{name}/a.yaml"]
    assert f"other/{name}" in found.passed_over
    listed = run(tmp_path, "check", "--show-files", "--diff-base", "HEAD")
    assert listed.output == f"apps/{name}/a.yaml\n"


def test_a_folder_that_an_application_names_is_read(tmp_path: Path) -> None:
    for path, text in {
        "app.yaml": APP.format(path="apps/venv"),
        "apps/venv/a.yaml": "a: 1\n",
        "venv/b.yaml": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = discover([tmp_path])
    assert [file.path for file in found.files] == ["app.yaml", "apps/venv/a.yaml"]
    assert "apps/venv" in found.folders
    assert found.passed_over == ["venv"]


def test_git_is_not_asked_while_nothing_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = Checkout(tmp_path)
    checkout.commit({"a.yaml": "a: 1\n", ".gitignore": "*.log\n"})
    monkeypatch.setattr(subprocess, "Popen", None)
    assert [file.path for file in discover([tmp_path]).files] == ["a.yaml"]


def test_that_git_refuses_to_say_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = Checkout(tmp_path)
    checkout.commit({"a.yaml": "a: 1\n", ".gitignore": "b.yaml\n"})
    checkout.write({"b.yaml": "b: 1\n"})
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run(tmp_path, "check")
    assert "note: whether git tracks files that .gitignore names is not known" in done.stderr


# -- remotes


def test_a_worktree_and_a_submodule_know_their_remotes(tmp_path: Path) -> None:
    main_ = Checkout(tmp_path / "main")
    main_.commit({"a.yaml": "a: 1\n"})
    main_.git("remote", "add", "origin", "https://git.example.com/x.git")
    main_.git("worktree", "add", "-q", "../tree")
    assert discover([tmp_path / "tree"]).remotes == ["https://git.example.com/x.git"]
    outer = Checkout(tmp_path / "outer")
    outer.git("submodule", "add", "-q", str(main_.root), "sub")
    assert discover([outer.root / "sub"]).remotes == [str(main_.root)]


def test_a_file_that_names_another_folder_as_git_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "config").write_text('[remote "x"]\n  url = https://secret.example.com\n')
    (tmp_path / "r/.git").write_text(f"gitdir: {tmp_path}\n")
    assert discover([tmp_path / "r"]).remotes == []
