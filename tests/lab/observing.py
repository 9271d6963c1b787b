"""What there is to see of a case, in the cluster's own words and the same each time: no times, ids or ports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Any

from gitops_lint.linter.facts.tables import table

from .api import ApiError, Object
from .argocd import NAMESPACE
from .audit import Write
from .laboratory import Laboratory

_LISTED = {
    f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}es" if kind.endswith("s") else f"{kind}s"
    for kind in map(str.lower, table("kinds.json")["applyOrder"])
}
"""The plurals of the kinds whose order Argo CD knows."""
CONTROLLER = "argocd-application-controller"
_BOOKKEEPING = re.compile(r"(events|applications\.argoproj\.io|appprojects\.argoproj\.io|leases\S*)(/status)? ")
_BRINGERS = ("Application", "ApplicationSet")
_MADE_BY_OTHERS = {"Pod", "ReplicaSet", "PodMetrics"}
_PLAIN = (
    (re.compile(r"http://127\.0\.0\.1:\d+/repository\.git"), "https://git.example.com/shop.git"),
    (re.compile(r"http://127\.0\.0\.1:\d+/charts"), "https://charts.example.com"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "https://git.example.com"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<address>"),
    (re.compile(r"/tmp/gitops-lint-lab-\w+/git/repository\.git"), "<repository>"),
    (re.compile(r"(/tmp/gitops-lint-lab-\w+|<folder>)(/tmp)?/_argocd-repo/[0-9a-f-]{36}"), "<repository>"),
    (re.compile(r"/tmp/gitops-lint-lab-\w+(/tmp)?"), "<folder>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"(/[\w.-]+)+/tmp/<uid>|/dev/shm/\d+"), "<file>"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "<revision>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4} UTC)?( m=\S+)?"), "<time>"),
    (re.compile(r"(presync|sync|postsync|syncfail|predelete|postdelete)-\d{9,}\b"), r"\1-<time>"),
    (re.compile(r"\b[0-9a-f]{7}-((?:pre|post)?(?:sync|delete)|syncfail)\b"), r"<revision>-\1"),
    (re.compile(r'resourceVersion: ?"?\d+"?'), "resourceVersion: <version>"),
    (re.compile(r'(pods "[\w.-]+-)[a-z0-9]{5}(?=" is forbidden)'), r"\1<made up>"),
    (re.compile(r"attempt #\d+"), "attempt #<n>"),
    (re.compile(r"Retrying attempt.*"), "Retrying"),
    (re.compile(r" \(retried \d+ times\)"), " (retried)"),
)


def plain(text: str) -> str:
    for pattern, word in _PLAIN:
        text = pattern.sub(word, text)
    return _SEVERAL.sub(_in_order, text).strip()


def all_plain(value: Any) -> Any:
    """Every text in it."""
    if isinstance(value, dict):
        return {key: all_plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [all_plain(one) for one in value]
    return plain(value) if isinstance(value, str) else value


_SEVERAL = re.compile(r"(?<=is invalid: \[).*(?=\])", re.S)


def _in_order(several: re.Match[str]) -> str:
    """The API server tells several faults of an object in any order."""
    return ", ".join(sorted(re.split(r", (?=[\w.\[\]]+: [A-Z])", several[0])))


def observe(lab: Laboratory, writes: Iterable[Write]) -> dict[str, Any]:
    writes = list(writes)
    kind = lab.api.kind("argoproj.io/v1alpha1", "Application")
    apps = lab.api.list(kind, NAMESPACE)
    seen = {
        "applications": {app["metadata"]["name"]: _application(lab, app) for app in apps},
        "application sets": _application_sets(lab),
        "written": written(writes, _owners(lab, apps)),
        "refused": _refused(writes),
        "cluster": _in_cluster(lab),
    }
    return {name: what for name, what in seen.items() if what}


def _application(lab: Laboratory, app: Object) -> dict[str, Any]:
    status = app.get("status", {})
    operation = status.get("operationState", {})
    phase = "Running" if app.get("operation") and not operation else operation.get("phase")
    results = operation.get("syncResult", {}).get("resources") or []
    seen = {
        "sync": status.get("sync", {}).get("status", "Unknown"),
        "health": _worded(status.get("health", {})),
        "conditions": sorted({f"{one['type']}: {plain(one['message'])}" for one in status.get("conditions") or []}),
        "operation": f"{phase}: {message_of(operation.get('message', ''), results)}" if phase else None,
        "results": [_told(one, app) for one in sorted(results, key=_rank)],
        "out of sync": _differences(lab, app),
        "unhealthy": {
            _name(one): _worded(one["health"])
            for one in status.get("resources") or []
            if one.get("health", {}).get("status") not in (None, "Healthy")
        },
        "being deleted": bool(app["metadata"].get("deletionTimestamp")),
        "finalizers": app["metadata"].get("finalizers") if app["metadata"].get("deletionTimestamp") else None,
    }
    return {name: what for name, what in seen.items() if what}


def message_of(message: str, results: list[dict[str, Any]]) -> str:
    """Argo CD strings the reasons of several objects together in any order: here in that of the alphabet."""
    head, reason, rest = message.partition(", reason: ")
    reasons = _RETRIED.sub("", rest)
    told = ",".join(sorted({one["message"] for one in results if one.get("message") and one["message"] in reasons}))
    if len(told) == len(reasons):
        message = f"{head}{reason}{told}{rest[len(reasons) :]}"
    return plain(message)


_RETRIED = re.compile(r" \(retried \d+ times\)\.?$")


def _worded(health: dict[str, Any]) -> str | None:
    if not health.get("status"):
        return None
    return f"{health['status']}: {plain(health['message'])}" if health.get("message") else str(health["status"])


def _rank(result: dict[str, Any]) -> tuple[int, str, str, str]:
    phases = ["PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete"]
    phase = result.get("syncPhase", "Sync")
    place = phases.index(phase) if phase in phases else 9
    return place, result["kind"], result.get("namespace", ""), result.get("name", "")


def _result(result: dict[str, Any]) -> str:
    state = result.get("status") or result.get("hookPhase") or ""
    hook = f" {result['hookType']} hook" if result.get("hookType") else ""
    if hook and result.get("hookPhase"):
        state = result["hookPhase"]
    told = plain(f"{_name(result)}{hook}: {state}: {result.get('message', '')}").rstrip(": ")
    return _DEFINED.sub(r"\1", told)


def _told(result: dict[str, Any], app: Object) -> str:
    """Whether an automatic Application was synced once or twice is a matter of moments: the last word depends on it."""
    automated = (app["spec"].get("syncPolicy") or {}).get("automated")
    return _APPLIED.sub(r"\1", _result(result)) if automated is not None else _result(result)


_APPLIED = re.compile(r"^(\S+ \S+: Synced): \S+ (?:created|configured|unchanged|serverside-applied)$")
_DEFINED = re.compile(
    r"^(CustomResourceDefinition \S+: Synced): (?:CRD is healthy|\S+ (?:created|configured|unchanged|serverside-applied))$"
)
"""Whether the end of an apply or the health of a CRD is told last is a matter of moments."""


def _name(one: dict[str, Any]) -> str:
    place = f"{one['namespace']}/" if one.get("namespace") else ""
    return plain(f"{one['kind']} {place}{one.get('name', '')}").strip()


def _differences(lab: Laboratory, app: Object) -> dict[str, Any]:
    """Of each object that is OutOfSync: the fields that differ, or why there is nothing to compare."""
    wanted = {
        _name(one): one for one in app.get("status", {}).get("resources") or [] if one.get("status") == "OutOfSync"
    }
    found: dict[str, Any] = {}
    compared = {_name(one): one for one in lab.argocd.managed_resources(app["metadata"]["name"])} if wanted else {}
    for name, one in wanted.items():
        pair = compared.get(name, {})
        live, target = (json.loads(pair.get(key) or "null") for key in ("normalizedLiveState", "predictedLiveState"))
        if one.get("requiresPruning"):
            found[name] = "to be pruned"
        elif live is None:
            found[name] = "not in the cluster"
        elif target is None:
            found[name] = "?"
        else:
            found[name] = sorted(differing_paths(live, target))
    return found


def differing_paths(live: Any, target: Any, at: str = "") -> Iterable[str]:
    if isinstance(live, dict) and isinstance(target, dict):
        for key in sorted({*live, *target}):
            if key not in live or key not in target or live[key] != target[key]:
                yield from differing_paths(
                    live.get(key, _NOTHING), target.get(key, _NOTHING), f"{at}.{key}" if at else key
                )
    elif isinstance(live, list) and isinstance(target, list) and len(live) == len(target):
        for number, (one, other) in enumerate(zip(live, target, strict=True)):
            if one != other:
                yield from differing_paths(one, other, f"{at}[{number}]")
    elif at in _MADE_BY_SERVER:
        yield f"{at}: <the server's> → {_shown(target)}"
    else:
        yield f"{at}: {_shown(live)} → {_shown(target)}"


_NOTHING = object()
_MADE_BY_SERVER = {"metadata.uid", "metadata.resourceVersion", "metadata.generation", "metadata.creationTimestamp"}


def _shown(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    text = plain(json.dumps(value, sort_keys=True))
    return text if len(text) <= 60 else text[:57] + "..."


def _application_sets(lab: Laboratory) -> dict[str, Any]:
    try:
        kind = lab.api.kind("argoproj.io/v1alpha1", "ApplicationSet")
    except ApiError:
        return {}
    return {
        one["metadata"]["name"]: sorted(
            f"{condition['type']} {condition['status']}: {plain(condition['message'])}"
            for condition in one.get("status", {}).get("conditions") or []
        )
        for one in lab.api.list(kind, NAMESPACE)
    }


Place = tuple[str, str, str]
"""Of an object: its plural with the group, as writes have it, its namespace and its name."""


def _owners(lab: Laboratory, apps: list[Object]) -> dict[Place, str]:
    """Object → the only Application that has it, in words that sort those that bring others before what these bring."""
    plurals = {(_group(one.api_version), one.kind): one.plural for one in lab.api.kinds()}
    owners: dict[Place, set[str]] = {}
    for app in apps:
        status = app.get("status", {})
        results = status.get("operationState", {}).get("syncResult", {}).get("resources") or []
        held = [*(status.get("resources") or []), *results]
        rank = 0 if any(one["kind"] in _BRINGERS for one in held) else 1
        for one in held:
            group = one.get("group", "")
            plural = plurals.get((group, one["kind"]), "")
            place = f"{plural}.{group}" if group else plural, one.get("namespace", ""), one.get("name", "")
            if one["kind"] not in _BRINGERS:
                owners.setdefault(place, set()).add(f"{rank} {app['metadata']['name']}")
    return {place: min(names) for place, names in owners.items() if len(names) == 1}


def _group(version: str) -> str:
    return version.rpartition("/")[0]


def written(writes: list[Write], owners: Mapping[Place, str] = MappingProxyType({})) -> list[str]:
    """What the controller applied, in order. What it applies at the same time, in the order of the alphabet.

    Applications are synced side by side: where their writes mix, one comes after the other.
    """
    those = [write for write in _done(writes) if write.user == CONTROLLER and not _bookkeeping(write)]
    owned = ((owners.get((write.kind, write.namespace, write.name), ""), write) for write in those)
    runs = groupby(owned, key=lambda one: bool(one[0]))
    done = [plain(str(write)) for _, run in runs for _, write in sorted(run, key=lambda one: one[0])]
    grouped = (sorted(together) for _, together in groupby(done, key=lambda line: line.rsplit(" ", 1)[0]))
    lines = _without_repetition(line for together in grouped for line in together)
    return [line for _, equals in groupby(lines, key=_place_in_order) for line in sorted(equals)]


def _done(writes: Iterable[Write]) -> Iterator[Write]:
    """Without a second delete of what is going already: whether the controller asks for it is a matter of moments."""
    going: set[Place] = set()
    for write in writes:
        if write.dry_run or write.code >= 400:
            continue
        place = write.kind, write.namespace, write.name
        if write.verb == "delete" and write.user != CONTROLLER:
            going.add(place)
        elif write.verb == "create":
            going.discard(place)
        if write.verb != "delete" or write.user != CONTROLLER or place not in going:
            yield write


def _place_in_order(line: str) -> str:
    """Kinds that are not in its list Argo CD sorts by name alone: two of one name come in any order."""
    verb, kind, *name = line.split(" ")
    return line if kind.partition(".")[0] in _LISTED else " ".join([verb, *name])


def _bookkeeping(write: Write) -> bool:
    return bool(_BOOKKEEPING.match(f"{write.kind} ")) and not (
        write.verb in ("create", "delete") and write.kind.startswith("app")
    )


def _without_repetition(lines: Iterable[str]) -> Iterable[str]:
    """A sync that is tried again and again is told once."""
    seen: set[str] = set()
    for line in lines:
        if line not in seen:
            seen.add(line)
            yield line


def _refused(writes: list[Write]) -> list[str]:
    """Answers of the API server to the controllers that a user gets to read."""
    found = {
        plain(f"{'dry run: ' if write.dry_run else ''}{write}: {write.code} {write.message}")
        for write in writes
        if write.user.startswith("argocd-") and write.code in (400, 403, 413, 415, 422, 500)
    }
    return sorted(found)


def _detail(one: Object) -> str:
    """What rules are about: data of a ConfigMap, replicas and images of a workload."""
    if one["kind"] == "ConfigMap" and one.get("data"):
        return f" {_shown(one['data'])}"
    template = one.get("spec", {}).get("template", {}) if one["kind"] in ("Deployment", "StatefulSet") else {}
    containers = template.get("spec", {}).get("containers") or []
    if not containers:
        return ""
    images = ", ".join(container.get("image", "") for container in containers)
    return f" {one['spec'].get('replicas')} x {images}"


def _in_cluster(lab: Laboratory) -> list[str]:
    found = []
    for (kind, namespace, name), one in lab.objects():
        if kind.kind in _MADE_BY_OTHERS or (kind.kind in ("Namespace", "Application") and namespace == NAMESPACE):
            continue
        going = " (being deleted)" if one["metadata"].get("deletionTimestamp") else ""
        made = one["metadata"].get("generateName")
        shown = (
            f"{made}<made up>"
            if made
            and name.startswith(made)
            and not any(o.get("controller") for o in one["metadata"].get("ownerReferences") or [])
            and "<" not in plain(name)
            else name
        )
        found.append(plain(f"{kind.kind} {namespace + '/' if namespace else ''}{shown}") + _detail(one) + going)
    return [line if count == 1 else f"{line} ({count} of them)" for line, count in sorted(Counter(found).items())]
