"""What gitops-lint predicts of a repository, beside what Argo CD does with it.

Every Application of the repository whose sources are folders of it is created in the lab with
its own spec. Compared are the objects that the repo-server generates with `render`, the order in
which the controller applies them with `plan`, the fields that are OutOfSync after the sync with the
findings of `check`, and what fails with what was said to fail.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from . import wrapping
from .api import ApiError, Kind, Object
from .argocd import NAMESPACE, application
from .completing import foreign_kinds
from .laboratory import Laboratory
from .observing import differing_paths, plain

TRACKING = "argocd.argoproj.io/tracking-id"
_OUT_OF_REACH = re.compile(r"dial tcp|could not resolve|Could not resolve|no such host|connection refused|i/o timeout")
"""A failure for want of a network, which the lab does not have."""


@dataclass
class Compared:
    """One Application: what agrees, and each thing that does not."""

    name: str
    objects: int = 0
    questions: int = 0
    agreed: int = 0
    differences: list[str] = field(default_factory=list)

    def ask(self, what: str, same: bool) -> None:
        self.questions += 1
        if same:
            self.agreed += 1
        else:
            self.differences.append(what)


def gitops_lint(folder: Path, command: str, *arguments: str, path: str = ".") -> Any:
    """What a command of ours prints as JSON; None if it cannot."""
    program = Path(sys.executable).parent / "gitops-lint"
    done = subprocess.run(
        [str(program), command, path, "--isolated", "--output-format", "json", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return None


def candidates(folder: Path) -> list[tuple[dict[str, Any], Object]]:
    """Applications in files, as `apps` lists them, each with its object."""
    listed = gitops_lint(folder, "apps") or {"applications": []}
    found = []
    for app in listed["applications"]:
        sources = app["sources"]
        if app.get("applicationSet") or not sources or any(one["chart"] or not one["path"] for one in sources):
            continue
        for one in wrapping.documents((folder / app["path"]).read_text("utf-8", "replace")):
            if one.get("kind") == "Application" and one.get("metadata", {}).get("name") == app["name"]:
                found.append((app, one))
                break
    return found


def units(folder: Path) -> list[tuple[dict[str, Any], Object]]:
    """Folders that nobody has an Application for, each with one around it."""
    listed = gitops_lint(folder, "apps") or {"units": []}
    found = []
    for unit in listed["units"]:
        source = {"repoURL": "-", "path": unit["name"]}
        spec = {"project": "default", "source": source, "destination": {**wrapping.HERE, "namespace": "compared"}}
        found.append((unit, application(unit["name"], spec)))
    return found


def compare(lab: Laboratory, folder: Path, limit: int, syncs: bool) -> list[Compared]:
    lab.clear()
    lab.git.commit("repository", dict(_files(folder)))
    chosen = [*candidates(folder), *units(folder)][:limit]
    results = []
    for number, (listed, manifest) in enumerate(chosen):
        results.append(_compare(lab, folder, number, listed, manifest, syncs))
        print(f"{results[-1].agreed}/{results[-1].questions}  {listed['name']}", file=sys.stderr, flush=True)
    return results


def _files(folder: Path) -> Iterable[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(folder).parts:
            yield str(path.relative_to(folder)), path.read_bytes()


def _compare(
    lab: Laboratory, folder: Path, number: int, listed: Mapping[str, Any], manifest: Object, syncs: bool
) -> Compared:
    kind = lab.api.kind("argoproj.io/v1alpha1", "Application")
    result = Compared(listed["name"])
    name = manifest["metadata"]["name"] if "sources" in listed else f"unit-{number}"
    app = application(name, _here(lab, manifest["spec"], listed.get("sources", [])))
    lab.api.create(kind, app)
    status = _compared(lab, kind, name)
    made = {_identity(one): one for one in lab.argocd.manifests(name)}
    said, refused = _predicted(folder, name, listed)
    result.objects = len(made)
    failed = [one["message"] for one in status.get("conditions") or [] if one["type"] == "ComparisonError"]
    if failed and _OUT_OF_REACH.search(failed[0]):
        result.name += " (needs a network)"
        lab.clear()
        return result
    result.ask(f"fails: {plain(failed[0])[-400:]}" if failed else "was said to fail", bool(failed) == refused)
    if not failed and not refused:
        _objects(result, made, said)
        if syncs:
            _sync(lab, folder, kind, name, listed["name"], list(made.values()), result)
    lab.clear()
    return result


def _predicted(folder: Path, name: str, listed: Mapping[str, Any]) -> tuple[dict[str, Object], bool]:
    """The objects by identity, and whether we say that they cannot be made."""
    if "sources" in listed:
        found = gitops_lint(folder, "render", "--app", listed["name"])
        refused = any(source.get("failures") for source in listed["sources"])
    else:
        chart = (folder / listed["name"] / "Chart.yaml").exists()
        options = ["--release-name", name, "--namespace", "compared"] if chart else []
        found = gitops_lint(folder, "render", *options, path=listed["name"])
        refused = found is None
    return {_identity(one["object"]): one["object"] for one in found or []}, refused


def _objects(result: Compared, made: dict[str, Object], said: dict[str, Object]) -> None:
    for identity in sorted({*made, *said}):
        if identity not in said:
            result.ask(f"generated, not predicted: {identity}", False)
        elif identity not in made:
            result.ask(f"predicted, not generated: {identity}", False)
        else:
            fields = list(differing_paths(made[identity], said[identity]))
            result.ask(f"{identity}: {'; '.join(fields[:3])}", not fields)


def _here(lab: Laboratory, spec: Object, sources: list[Mapping[str, Any]]) -> Object:
    """The same Application, reading the lab's repository where we found its sources, and never syncing by itself."""
    text = json.dumps(spec)
    here = json.loads(text)
    own = here.get("sources") or [here["source"]]
    for source in own:
        source["repoURL"], source["targetRevision"] = lab.git.url("repository"), "main"
    for source, found in zip(own, sources, strict=False):
        source["path"] = found["path"]
    here["destination"] = {**wrapping.HERE, "namespace": here.get("destination", {}).get("namespace") or "default"}
    here["project"] = "default"
    (here.get("syncPolicy") or {}).pop("automated", None)
    return here


def _compared(lab: Laboratory, kind: Kind, name: str) -> Object:
    end = time.monotonic() + 120
    status: Object = {}
    while time.monotonic() < end and not (status.get("reconciledAt") or status.get("conditions")):
        time.sleep(0.3)
        status = (lab.api.get(kind, name, NAMESPACE) or {}).get("status", {})
    return status


def _identity(one: Object) -> str:
    group = one.get("apiVersion", "").rpartition("/")[0]
    meta = one.get("metadata") or {}
    meta.get("annotations", {}).pop(TRACKING, None)
    if meta.get("annotations") == {}:
        meta.pop("annotations")
    place = f"{meta['namespace']}/" if meta.get("namespace") else ""
    return f"{group + '/' if group else ''}{one.get('kind')} {place}{meta.get('name') or meta.get('generateName')}"


def _sync(
    lab: Laboratory, folder: Path, kind: Kind, name: str, shown: str, made: list[Object], result: Compared
) -> None:
    """With a CRD that takes anything for each kind the cluster does not have, and every namespace there."""
    for crd in foreign_kinds(made, lambda version, word: _served(lab, version, word)):
        lab.api.create(lab.api.core["CustomResourceDefinition"], crd)
    app = lab.api.get(kind, name, NAMESPACE) or {}
    named = {app["spec"]["destination"]["namespace"], *wrapping.namespaces([{"-": yaml.safe_dump_all(made)}], [])}
    for namespace in sorted(named - {"default", "argocd", "kube-system"}):
        lab.api.create(lab.api.core["Namespace"], {"metadata": {"name": namespace}})
    time.sleep(1)
    lab.audit.skip()
    policy = app["spec"].get("syncPolicy") or {}
    operation = {"initiatedBy": {"username": "lab"}, "sync": {"syncOptions": policy.get("syncOptions") or []}}
    lab.api.patch(kind, name, {"operation": operation}, NAMESPACE)
    end = time.monotonic() + 60
    state: Object = {}
    while time.monotonic() < end and state.get("phase") in (None, "Running"):
        time.sleep(0.5)
        state = (lab.api.get(kind, name, NAMESPACE) or {}).get("status", {}).get("operationState", {})
    _order(lab, folder, shown, state, result)


def _served(lab: Laboratory, version: str, word: str) -> bool:
    try:
        lab.api.kind(version, word)
        return True
    except ApiError:
        return False


def _order(lab: Laboratory, folder: Path, shown: str, state: Object, result: Compared) -> None:
    """The steps of the plan, against the order of the writes."""
    plan = gitops_lint(folder, "plan", "--app", shown)
    if not plan or not plan["apps"]:
        return
    place = {(one["kind"], one["name"]): (one["step"] or 0) for one in plan["apps"][0]["tasks"]}
    plurals = {
        (one.plural + (f".{one.api_version.rpartition('/')[0]}" if "/" in one.api_version else "")): one.kind
        for one in lab.api.kinds()
    }
    steps = [
        place[key]
        for write in lab.audit.news()
        if write.user == "argocd-application-controller" and not write.dry_run and write.code < 400
        and (key := (plurals.get(write.kind, ""), write.name)) in place
    ]  # fmt: skip
    result.ask(f"applied in another order: {steps}", steps == sorted(steps))
    errors = gitops_lint(folder, "check", "--select", "ALL") or {}
    said = any(
        one["severity"] == "error" for one in (errors.get("findings") if isinstance(errors, dict) else errors) or []
    )
    failed = state.get("phase") in ("Failed", "Error")
    if failed:
        result.ask(f"the sync fails, nothing was said: {plain(state.get('message', ''))[:300]}", said)


def table(results: Mapping[str, list[Compared]]) -> str:
    lines = ["| repository | Applications | objects | questions | agreed |", "|---|---|---|---|---|"]
    for name, compared in results.items():
        asked, agreed = sum(one.questions for one in compared), sum(one.agreed for one in compared)
        share = f"{100 * agreed / asked:.1f} %" if asked else "-"
        lines.append(f"| {name} | {len(compared)} | {sum(one.objects for one in compared)} | {asked} | {share} |")
    return "\n".join(lines)
