"""What gitops-lint says of a folder, asked as a user would ask it: each command once, printed as JSON."""

from __future__ import annotations

import fnmatch
import json
import os
import posixpath
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from gitops_lint.linter.argocd.applicationsets import expand

from . import building
from .api import Object
from .outcome import of_root
from .records import all_rules, read
from .rule_cases import cases_of, rules
from .sets import Files
from .wrapping import documents

MOMENTS = ("sync", "install")
"""What is said of them is to be seen in a first sync; of trouble, a removal or an upgrade it is not."""
TRACKING = "argocd.argoproj.io/tracking-id"


class Predicted:
    """What gitops-lint says of a folder; each command is run once."""

    def __init__(self, folder: Path, argocd: str, kubernetes: str) -> None:
        self._origins: dict[str, set[str]] = {}
        """The files that the objects of an Application, or of a folder, come from."""
        self._folder, self._versions = folder, ("--argocd-version", argocd, "--kubernetes-version", kubernetes)
        # The Helm that the repo-server has: another one may render otherwise, and none renders nothing.
        helm = building.helm(argocd).program("helm").parent
        self._environment = {**os.environ, "PATH": f"{helm}{os.pathsep}{os.environ['PATH']}"}

    def _run(self, command: str, *arguments: str, path: str = ".") -> Any:
        """What a command of ours prints as JSON; None if it cannot."""
        program = Path(sys.executable).parent / "gitops-lint"
        done = subprocess.run(
            [str(program), command, path, "--isolated", "--output-format", "json", *arguments],
            cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            return None

    @cached_property
    def apps(self) -> dict[str, Any]:
        return self._run("apps") or {"applications": [], "units": []}

    @cached_property
    def plans(self) -> dict[str, Any]:
        return {one["name"]: one for one in (self._run("plan") or {"apps": []})["apps"]}

    @cached_property
    def findings(self) -> list[dict[str, Any]]:
        return (self._run("check", "--select", "ALL", *self._versions) or {"findings": []})["findings"]

    def rendered(self, name: str, listed: Mapping[str, Any]) -> tuple[dict[str, Object], bool]:
        """The objects by identity, and whether we say that they cannot be made."""
        if "sources" in listed:
            found = self._run("render", "--app", listed["name"])
            refused = any(source.get("failures") for source in listed["sources"])
        else:
            chart = (self._folder / listed["name"] / "Chart.yaml").exists()
            options = ["--release-name", name, "--namespace", "compared"] if chart else []
            found = self._run("render", *options, path=listed["name"])
            refused = found is None
        base = "." if "sources" in listed else str(listed["name"])  # they are told from where the command looked
        paths = [one["origin"]["path"] for one in found or [] if one.get("origin")]
        self._origins[listed["name"]] = {posixpath.normpath(posixpath.join(base, path)) for path in paths}
        return {identity(one["object"]): one["object"] for one in found or []}, refused

    @cached_property
    def made_applications(self) -> dict[str, Object]:
        """The Applications that charts and kustomizations of the repository make, by a name that only one has."""
        made = [
            one["object"] for unit in self.apps["units"] for one in self._run("render", path=str(unit["name"])) or []
        ]
        applications = [one for one in made if one.get("kind") == "Application"]
        names = Counter(one["metadata"]["name"] for one in applications)
        return {one["metadata"]["name"]: one for one in applications if names[one["metadata"]["name"]] == 1}

    @cached_property
    def made_by_sets(self) -> dict[str, Object]:
        """The Applications that sets of the repository make of its files alone (`lab sets` asks whether they do)."""
        listed = [app for app in self.apps["applications"] if app["applicationSet"]]
        own = {source["repoURL"] for app in listed for source in app["sources"] if source["path"]}
        tree, found = Files(self._folder), dict[str, Object]()
        for path in sorted({app["path"] for app in listed}):
            for one in documents(tree.read(path) or ""):
                if one.get("kind") == "ApplicationSet":
                    said = expand(one, tree, lambda url: url in own)
                    found |= {made.name: made.value for made in said.applications if not said.unresolved}
        return found

    def said_of(self, shown: str, one: Object, rules: Iterable[str], severities: Iterable[str]) -> bool:
        """Whether a finding of one of these rules names the object, in this Application or folder."""
        meta = one["metadata"]
        return any(
            finding["name"] in rules
            and finding["severity"] in severities
            and finding["moment"] in MOMENTS
            and (about := finding.get("object"))
            and about["kind"] == one["kind"]
            and (
                shown in finding["applications"]
                or finding["path"] in self._origins.get(shown, ())
                or about["kind"] == "Application"  # which is told as one of itself
            )
            and fnmatch.fnmatchcase(meta.get("name") or meta.get("generateName", ""), about["name"] or "*")
            for finding in self.findings
        )


@cache
def rules_that_show(word: str) -> frozenset[str]:
    """Those whose Bad was seen to end like this, without anybody's help: an autoscaler, an operator, a hand."""
    return frozenset(rule for rule in _alone() if any(word in run["bad"]["outcome"] for run in read(rule)))


@cache
def rules_that_show_at_once(word: str) -> frozenset[str]:
    """Without those for which it takes time, as a Job that is removed a day later."""
    slow = {rule.name for rule in rules() for case in cases_of(rule) if any("wait" in step for step in case.steps)}
    return rules_that_show(word) - slow


@cache
def rules_that_stop_the_root(word: str) -> frozenset[str]:
    """Those whose Bad is an Application that its root fails to bring, and not one that fails itself."""
    return frozenset(rule for rule in _alone() if any(word in of_root(run["bad"]["seen"]) for run in read(rule)))


@cache
def _alone() -> frozenset[str]:
    told = {rule.name for rule in rules() for case in cases_of(rule) if any("patch" in step for step in case.steps)}
    # The comparison brings every kind that is missing, so what a missing one does is not to be seen.
    missing = {rule.name for rule in rules() for case in cases_of(rule) if not case.crds}
    return frozenset({*all_rules()} - told - missing)


def identity(one: Object) -> str:
    group = one.get("apiVersion", "").rpartition("/")[0]
    meta = one.get("metadata") or {}
    annotations = meta.get("annotations")
    if isinstance(annotations, dict):
        annotations.pop(TRACKING, None)
    if not annotations:  # null, as some charts write it, is none either
        meta.pop("annotations", None)
    place = f"{meta['namespace']}/" if meta.get("namespace") else ""
    return f"{group + '/' if group else ''}{one.get('kind')} {place}{meta.get('name') or meta.get('generateName')}"
