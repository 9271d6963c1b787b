"""When a field that mostly cannot change may change after all. Values are as `stored` has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final

from .field_differences import value_at
from .stored import CONTAINERS


class Verdict(Enum):
    ALLOWED = "allowed"
    REFUSED = "refused"
    UNSURE = "unsure"
    """It depends on what the cluster filled in where git said nothing."""


SCHEDULING: Final = ("nodeSelector", "tolerations", "affinity", "schedulingGates")
"""Of a Job that has not started, these may change; so may labels and annotations of its pods."""


def _spec(value: Any, *keys: str) -> Any:
    return value_at(value, ("spec", *keys))


def _mapping(value: Any) -> dict[str, Any]:
    """Nothing for what should be one and is not: the API server refuses that anyway."""
    return value if isinstance(value, dict) else {}


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _suspended(before: Any, after: Any) -> Verdict:
    """A Job that waits to be started may still be told where to run, and with how much."""
    if _spec(before, "suspend") is not True:
        return Verdict.REFUSED
    return Verdict.ALLOWED if _fixed_part(before) == _fixed_part(after) else Verdict.REFUSED


def _fixed_part(job: Any) -> Any:
    template = _mapping(_spec(job, "template"))
    pod = _without(_mapping(template.get("spec")), SCHEDULING)
    for field in CONTAINERS:
        pod[field] = [_without(item, ("resources",)) for item in _items(pod.get(field))]
    metadata = _without(_mapping(template.get("metadata")), ("labels", "annotations"))
    return {**template, "spec": pod, "metadata": metadata}


def _without(value: Any, keys: tuple[str, ...]) -> Any:
    return {key: one for key, one in value.items() if key not in keys} if isinstance(value, dict) else value


def _elastic(before: Any, after: Any) -> Verdict:
    """An Indexed Job grows and shrinks, with completions and parallelism always the same."""
    indexed = _spec(before, "completionMode") == _spec(after, "completionMode") == "Indexed"
    if indexed and _spec(after, "completions") == _spec(after, "parallelism"):
        return Verdict.ALLOWED
    # Nothing at all is one completion of one pod.
    old, new = (_spec(one, "completions") or (None if _spec(one, "parallelism") else 1) for one in (before, after))
    return Verdict.ALLOWED if old == new else Verdict.REFUSED


def _address_kept(before: Any, after: Any) -> Verdict:
    """A field that is taken out leaves the address as it is; one that is added may be the one it got."""
    if "ExternalName" in (_spec(before, "type"), _spec(after, "type")):
        return Verdict.ALLOWED
    old, new = (
        _spec(one, "clusterIP") or next(iter(_items(_spec(one, "clusterIPs"))), None) for one in (before, after)
    )
    if new is None or old == new:
        return Verdict.ALLOWED
    return Verdict.UNSURE if old is None and new != "None" else Verdict.REFUSED


def _first_family_kept(before: Any, after: Any) -> Verdict:
    """A second family may come and go."""
    old, new = (_items(_spec(one, "ipFamilies")) for one in (before, after))
    if not old or not new or old[0] == new[0] or "ExternalName" in (_spec(before, "type"), _spec(after, "type")):
        return Verdict.ALLOWED
    return Verdict.REFUSED


def _no_load_balancer(before: Any, after: Any) -> Verdict:
    both = _spec(before, "type") == _spec(after, "type") == "LoadBalancer"
    return Verdict.REFUSED if both else Verdict.ALLOWED


def _allocated_port(before: Any, after: Any) -> Verdict:
    written = _spec(before, "healthCheckNodePort") and _spec(after, "healthCheckNodePort")
    local = all(_spec(one, "externalTrafficPolicy") == "Local" for one in (before, after))
    return Verdict.REFUSED if written and local else Verdict.ALLOWED


def _secrets(before: Any, after: Any) -> Verdict:
    """Which Secrets a CSI driver uses may change."""
    old, new = (_mapping(_spec(one, "csi")) for one in (before, after))
    changed = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    return Verdict.ALLOWED if all(key.endswith("SecretRef") for key in changed) else Verdict.REFUSED


def _pod_may(before: Any, after: Any) -> Verdict:
    """Other images, a deadline, more tolerations, fewer gates."""
    old, new = (_items(_spec(one, "tolerations")) for one in (before, after))
    same = _rest_of_pod(before) == _rest_of_pod(after) and all(one in new for one in old)
    return Verdict.ALLOWED if same else Verdict.REFUSED


def _rest_of_pod(value: Any) -> Any:
    pod = _without(_mapping(_spec(value)), ("activeDeadlineSeconds", "tolerations", "schedulingGates"))
    for field in CONTAINERS[:2]:
        pod[field] = [_without(item, ("image", "imagePullPolicy")) for item in _items(pod.get(field))]
    return pod


CONDITIONS: Final[Mapping[str, Callable[[Any, Any], Verdict]]] = {
    "suspended": _suspended,
    "elastic": _elastic,
    "address kept": _address_kept,
    "first family kept": _first_family_kept,
    "no load balancer": _no_load_balancer,
    "allocated port": _allocated_port,
    "secrets": _secrets,
    "pod may": _pod_may,
}
