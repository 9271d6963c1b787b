"""ResourceQuotas and LimitRanges: what a namespace does not let in, in the API server's words.

Only what one object shows by itself: how much else runs in the namespace no file tells. A quota with scopes is
passed over, and so is what a default of a LimitRange fills in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ..dialects.quantities import amount
from ..yaml.source import Node
from .resource import Resource

if TYPE_CHECKING:
    from fractions import Fraction

_ASKED_FOR: Final = ("cpu", "memory")
"""Of these a quota wants every container to say how much."""
_SIDES: Final = {"requests.": "requests", "limits.": "limits"}


class Refusal(NamedTuple):
    at: Node
    says: str
    by: Resource


def of_pods(pod: Node, replicas: int, ranges: Sequence[Resource], quotas: Sequence[Resource]) -> Iterator[Refusal]:
    for one in ranges:
        yield from _by_range(pod, one)
    for quota in quotas:
        if not (quota["spec"]["scopes"].present or quota["spec"]["scopeSelector"].present):
            yield from _by_quota(pod, replicas, quota, ranges)


def of_claim(claim: Resource, ranges: Sequence[Resource], quotas: Sequence[Resource]) -> Iterator[Refusal]:
    asked = claim["spec"]["resources"]["requests"]["storage"]
    size = amount(asked.value)
    if size is None:
        return
    for limit_range in ranges:
        for limit in _limits(limit_range, "PersistentVolumeClaim"):
            most, least = limit["max"]["storage"], limit["min"]["storage"]
            unit = "storage usage per PersistentVolumeClaim is"
            if _over(size, most):
                yield Refusal(
                    asked, f"maximum {unit} {most.scalar_text}, but request is {asked.scalar_text}", limit_range
                )
            if _under(size, least):
                yield Refusal(
                    asked, f"minimum {unit} {least.scalar_text}, but request is {asked.scalar_text}", limit_range
                )
    for quota in quotas:
        hard = quota["spec"]["hard"]["requests.storage"]
        if _over(size, hard):
            says = f"exceeded quota: {quota.name}, requested: requests.storage={asked.scalar_text}, limited:"
            yield Refusal(asked, f"{says} requests.storage={hard.scalar_text}", quota)


def _limits(limit_range: Resource, kind: str) -> Iterator[Node]:
    return (one for one in limit_range["spec"]["limits"] if one["type"].text == kind)


def _over(size: Fraction, limit: Node) -> bool:
    most = amount(limit.value) if limit.present else None
    return most is not None and size > most


def _under(size: Fraction, limit: Node) -> bool:
    least = amount(limit.value) if limit.present else None
    return least is not None and size < least


def _by_range(pod: Node, limit_range: Resource) -> Iterator[Refusal]:
    for limit in _limits(limit_range, "Container"):
        for field in ("containers", "initContainers"):
            for container in pod[field]:
                resources = container["resources"]
                for name, written in resources["limits"].items():
                    size, most = amount(written.value), limit["max"][name]
                    if size is not None and _over(size, most):
                        says = f"maximum {name} usage per Container is {most.scalar_text}"
                        yield Refusal(written, f"{says}, but limit is {written.scalar_text}", limit_range)
                for name, written in resources["requests"].items():
                    size, least = amount(written.value), limit["min"][name]
                    if size is not None and _under(size, least):
                        says = f"minimum {name} usage per Container is {least.scalar_text}"
                        yield Refusal(written, f"{says}, but request is {written.scalar_text}", limit_range)


def _by_quota(pod: Node, replicas: int, quota: Resource, ranges: Sequence[Resource]) -> Iterator[Refusal]:
    hard = dict(quota["spec"]["hard"].items())
    for key, limit in hard.items():
        side = next((side for prefix, side in _SIDES.items() if key.startswith(prefix)), "")
        name = key.partition(".")[2] if side else key
        if name not in _ASKED_FOR:
            continue
        side = side or "requests"
        sizes = [_size(container, side, name) for container in pod["containers"]]
        if None in sizes:
            if not _is_filled_in(ranges, side, name):
                at = pod["containers"][sizes.index(None)]
                says = f"failed quota: {quota.name}: must specify {key} for: {at['name'].text}"
                yield Refusal(at["resources"] if at["resources"].present else at["name"], says, quota)
            continue
        total = sum((size for size in sizes if size is not None), start=0) * max(replicas, 1)
        most = amount(limit.value)
        if most is not None and total > most:
            says = f"exceeded quota: {quota.name}, limited: {key}={limit.scalar_text}"
            yield Refusal(pod["containers"][0]["resources"], says, quota)
    pods = hard.get("pods")
    most = amount(pods.value) if pods is not None else None
    if pods is not None and most is not None and replicas > most:
        says = f"exceeded quota: {quota.name}, limited: pods={pods.scalar_text}"
        yield Refusal(pod["containers"], says, quota)


def _size(container: Node, side: str, name: str) -> Fraction | None:
    """What it asks for; what has a limit and no request asks for the limit."""
    resources = container["resources"]
    written = resources[side][name]
    if written.absent and side == "requests":
        written = resources["limits"][name]
    return amount(written.value) if written.present else None


def _is_filled_in(ranges: Sequence[Resource], side: str, name: str) -> bool:
    """By a default of a LimitRange; a default limit is a request, too, and a maximum is a default."""
    fields = ("default", "max") if side == "limits" else ("defaultRequest", "default", "min", "max")
    return any(limit[field][name].present for one in ranges for limit in _limits(one, "Container") for field in fields)


def by_namespace(resources: Sequence[Resource], kind: str, default: str) -> Mapping[str, list[Resource]]:
    found: dict[str, list[Resource]] = {}
    for one in resources:
        if one.group_kind == kind and not one.patched:
            found.setdefault(one.namespace or default, []).append(one)
    return found
