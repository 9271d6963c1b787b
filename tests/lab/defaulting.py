"""Measures what the API server makes of custom resources with defaults, and what Argo CD says of them then.

One schema with every construct, some thirty objects: each is created, and each is synced three times, by
client-side apply, by server-side apply, and compared by server-side diff. The answers are test data of
the project (tests/data/crd-defaulting-cases.json).
"""

from __future__ import annotations

import json
import re
import time
from typing import Any

from .api import ApiError, Kind, Object
from .argocd import NAMESPACE, application
from .laboratory import Laboratory
from .observing import differing_paths, plain

_UNKNOWN = re.compile(r"\s*(?:errors:)?(?:\s*\.[^\s:]+: field not declared in schema)+")
"""Of several fields that it does not know the API server names one, some or all."""

GROUP, NAME = "synth.test", "t"
WAYS: dict[str, dict[str, Any]] = {
    "defaultDiff": {},
    "serverSideApply": {"options": ["ServerSideApply=true"]},
    "serverSideDiff": {"options": ["ServerSideApply=true"], "compare": "ServerSideDiff=true"},
}


def measure(lab: Laboratory, data: dict[str, Any]) -> list[dict[str, Any]]:
    lab.clear()
    kind = _define(lab, data["schema"])
    measured = [
        {"name": case["name"], "given": case["given"], **_stored(lab, kind, case["given"])} for case in data["cases"]
    ]
    for way, how in WAYS.items():
        _synced(lab, kind, way, how, [case for case in measured if "rejected" not in case])
    lab.clear()
    return measured


def _define(lab: Laboratory, schema: Object) -> Kind:
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    names = {"kind": "Syn", "plural": "syns", "singular": "syn", "listKind": "SynList"}
    lab.api.create(
        lab.api.core["CustomResourceDefinition"],
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"syns.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": versions},
        },
    )
    for namespace in ("synth", *(way.lower() for way in WAYS)):
        lab.api.create(lab.api.core["Namespace"], {"metadata": {"name": namespace}})
    for _ in range(600):
        try:
            return lab.api.kind(f"{GROUP}/v1", "Syn")
        except ApiError:
            time.sleep(0.2)
    raise TimeoutError("the CRD is not served")


def _stored(lab: Laboratory, kind: Kind, given: Object) -> dict[str, Any]:
    """What the server says when it is strict, and what it keeps when it is not."""
    one = {"apiVersion": f"{GROUP}/v1", "kind": "Syn", "metadata": {"name": NAME, "namespace": "synth"}, **given}
    found: dict[str, Any] = {}
    try:
        lab.api.create(kind, one, fieldValidation="Strict", dryRun="All")
        found["strict"] = "accepted"
    except ApiError as error:
        found["strict"] = plain(str(error))
    try:
        created = lab.api.create(kind, one, fieldValidation="Ignore")
        found["stored"] = {key: created[key] for key in created if key not in ("apiVersion", "kind", "metadata")}
    except ApiError as error:
        found["rejected"] = plain(str(error))
    lab.api.delete(kind, NAME, "synth")
    while lab.api.get(kind, NAME, "synth"):
        time.sleep(0.05)
    return found


def _synced(lab: Laboratory, kind: Kind, way: str, how: dict[str, Any], cases: list[dict[str, Any]]) -> None:
    """All of them as one Application each: one that is refused does not stop the others."""
    apps = lab.api.kind("argoproj.io/v1alpha1", "Application")
    files = {}
    for number, case in enumerate(cases):
        one = {"apiVersion": f"{GROUP}/v1", "kind": "Syn", "metadata": {"name": f"c{number}", "namespace": way.lower()}}
        files[f"c{number}/one.json"] = json.dumps({**one, **case["given"]})
    lab.git.commit("repository", files)
    annotations = {"argocd.argoproj.io/compare-options": how["compare"]} if "compare" in how else {}
    for number, _ in enumerate(cases):
        source = {"repoURL": lab.git.url("repository"), "targetRevision": "main", "path": f"c{number}"}
        destination = {"server": "https://kubernetes.default.svc", "namespace": way.lower()}
        spec = {"project": "default", "source": source, "destination": destination}
        app = application(f"{way.lower()}-{number}", spec, annotations=annotations)
        app["operation"] = {"sync": {"syncOptions": how.get("options", [])}}
        app["spec"]["syncPolicy"] = {"syncOptions": how.get("options", [])}
        lab.api.create(apps, app)
    for number, case in enumerate(cases):
        _read(lab, apps, f"{way.lower()}-{number}", way, case)


def _read(lab: Laboratory, apps: Kind, name: str, way: str, case: dict[str, Any]) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        app = lab.api.get(apps, name, NAMESPACE) or {}
        state = app.get("status", {}).get("operationState", {})
        compared = app.get("status", {}).get("reconciledAt", "")
        if state.get("finishedAt") and compared >= state["finishedAt"]:
            break
        time.sleep(0.3)
    faults = [one["message"] for one in app["status"].get("conditions") or [] if one["type"] == "ComparisonError"]
    if faults:
        case[way] = _told(faults[0])
    elif state.get("phase") != "Succeeded":
        case[way] = _told(state["syncResult"]["resources"][0]["message"])
    else:
        case[way] = app["status"]["sync"]["status"]
        if case[way] == "OutOfSync":
            (pair,) = lab.argocd.managed_resources(name)
            live, target = (json.loads(pair[key]) for key in ("normalizedLiveState", "predictedLiveState"))
            case[f"{way}Differs"] = sorted(differing_paths(live, target))


def _told(message: str) -> str:
    return _UNKNOWN.sub(" <fields>: field not declared in schema", plain(message))
