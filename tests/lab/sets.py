"""The Applications that we think an ApplicationSet makes, beside those that its controller makes of the same files."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from gitops_lint.linter.argocd.applicationsets import Expansion, expand
from gitops_lint.linter.argocd.clusters import SECRET_TYPE, Cluster
from gitops_lint.linter.argocd.generators.generator_context import Controller
from gitops_lint.rules import load
from support import run_rules

from . import wrapping
from .api import ApiError, Object
from .argocd import NAMESPACE
from .laboratory import Laboratory
from .observing import differing_paths, plain

PATIENCE = 30


class Files:
    """A folder as git has it, without what git does not have: folders with nothing in them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = sorted(
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file() and ".git" not in path.relative_to(folder).parts
        )

    def files(self) -> Iterable[str]:
        return self._files

    def directories(self) -> Iterable[str]:
        return sorted({str(parent) for path in self._files for parent in Path(path).parents} - {"."})

    def read(self, path: str) -> str | None:
        try:
            return (self._folder / path).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None


def compare_sets(lab: Laboratory, folder: Path) -> dict[str, list[str]]:
    """File and name of each set → what differs; a set that the files alone do not decide is left out."""
    lab.clear()
    tree, url = Files(folder), lab.git.url("repository")
    lab.git.commit("repository", {path: (folder / path).read_bytes() for path in tree.files()})
    found: dict[str, list[str]] = {}
    secrets = [
        one for path in tree.files() if path.endswith(".yaml") for one in _cluster_secrets(tree.read(path) or "")
    ]
    controller = Controller(tuple(_cluster(one) for one in secrets))
    for path in (path for path in tree.files() if path.endswith((".yaml", ".yml"))):
        text = tree.read(path) or ""
        for one in wrapping.documents(wrapping.with_url({path: text}, url)[path]):
            if one.get("kind") != "ApplicationSet":
                continue
            said = expand(one, tree, lambda asked: asked == url, controller=controller)
            name = f"{path}: {one['metadata']['name']}"
            if said.unresolved:
                print(f"left out  {name}: {said.unresolved[0].reason}", file=sys.stderr, flush=True)
                continue
            for secret in secrets:
                lab.api.create(lab.api.core["Secret"], secret)
            _bring_what_is_needed(lab, said, {_cluster(secret).server for secret in secrets})
            found[name] = list(_differences(lab, one, said, _is_refused(text)))
            lab.clear()
            print(f"{'differs' if found[name] else 'agrees '}   {name}", file=sys.stderr, flush=True)
    return found


def _is_refused(text: str) -> bool:
    """Whether a rule says that the API server does not take the set."""
    refusing = [one for one in load() if one.name in ("applicationset-fails", "application-field-wrong-type")]
    return any("API server refuses" in item.finding.message for item in run_rules({"set.yaml": text}, refusing))


def _cluster_secrets(text: str) -> Iterable[Object]:
    """The clusters that a folder declares, as Argo CD knows them."""
    for one in wrapping.documents(text):
        if one.get("kind") == "Secret" and (one["metadata"].get("labels") or {}).get(SECRET_TYPE) == "cluster":
            yield {**one, "metadata": {**one["metadata"], "namespace": NAMESPACE}}


def _cluster(secret: Object) -> Cluster:
    meta, held = secret["metadata"], secret["stringData"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    return Cluster(held["name"], held["server"], labels, annotations, held.get("project", ""))


def _bring_what_is_needed(lab: Laboratory, said: Expansion, known: Collection[str]) -> None:
    """Projects and clusters of its Applications: the controller asks for them, and a set cannot bring them."""
    specs = [one.value["spec"] for one in said.applications]
    project, secret = lab.api.kind("argoproj.io/v1alpha1", "AppProject"), lab.api.core["Secret"]
    for name in sorted({str(spec.get("project", "default")) for spec in specs} - {"default"}):
        everything = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]}
        head = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject"}
        lab.api.create(project, {**head, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": everything})
    servers = {str(spec["destination"].get("server") or "") for spec in specs} - {"", wrapping.HERE["server"], *known}
    for number, server in enumerate(sorted(servers)):
        labels = {SECRET_TYPE: "cluster"}
        metadata = {"name": f"cluster-{number}", "namespace": NAMESPACE, "labels": labels}
        data = {"name": f"cluster-{number}", "server": server, "config": "{}"}
        lab.api.create(secret, {"metadata": metadata, "stringData": data})


def _differences(lab: Laboratory, appset: Object, said: Expansion, is_refused: bool) -> Iterable[str]:
    appset["metadata"]["namespace"] = NAMESPACE
    try:
        lab.api.create(lab.api.kind("argoproj.io/v1alpha1", "ApplicationSet"), appset)
    except ApiError as error:
        if not is_refused:
            yield f"the API server refuses it: {error}"
        return
    if is_refused:
        yield "it was said to be refused"
        return
    failed = _failed(lab, appset["metadata"]["name"])
    faults = [problem.message for problem in said.problems]
    if failed and not faults:
        yield f"it fails, and nothing was said: {plain(failed)}"
    if said.fails and not failed:
        yield f"it was said to fail: {faults}"
    if failed or said.fails:
        return
    made = {one["metadata"]["name"]: _told(one) for one in _made(lab, len(said.applications))}
    expected = {one.name: _told(json.loads(json.dumps(one.value))) for one in said.applications}
    for name in sorted({*made, *expected}):
        if name not in expected or name not in made:
            yield f"{name} is {'made, not predicted' if name in made else 'predicted, not made'}"
        elif fields := list(differing_paths(made[name], expected[name])):
            yield f"{name}: {'; '.join(fields[:4])}"


def _failed(lab: Laboratory, name: str) -> str:
    """The error that the controller shows, once it has looked at the set."""
    kind = lab.api.kind("argoproj.io/v1alpha1", "ApplicationSet")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        conditions = (lab.api.get(kind, name, NAMESPACE) or {}).get("status", {}).get("conditions") or []
        for one in conditions:
            if one["type"] == "ErrorOccurred" and one["status"] == "True":
                return str(one["message"])
        if conditions:
            return ""
        time.sleep(0.3)
    return "the controller said nothing"


def _made(lab: Laboratory, expected: int) -> list[Object]:
    kind = lab.api.kind("argoproj.io/v1alpha1", "Application")
    end = time.monotonic() + 5
    made = lab.api.list(kind, NAMESPACE)
    while time.monotonic() < end and len(made) < expected:
        time.sleep(0.3)
        made = lab.api.list(kind, NAMESPACE)
    return made


def _told(one: Object) -> dict[str, Any]:
    """What the template decides; the rest is the cluster's."""
    meta = one["metadata"]
    parts = {
        "labels": meta.get("labels") or {},
        "annotations": meta.get("annotations") or {},
        "finalizers": meta.get("finalizers") or [],
    }
    told: dict[str, Any] = _without_nothing({**parts, "spec": one["spec"]})
    return told


def _without_nothing(value: Any) -> Any:
    """Empty maps and lists are left out when Go writes an Application, and mean nothing."""
    if isinstance(value, dict):
        kept = {key: _without_nothing(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in ({}, [], None)}
    return [_without_nothing(one) for one in value] if isinstance(value, list) else value
