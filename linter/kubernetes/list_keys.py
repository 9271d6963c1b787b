"""Items of a list that Kubernetes tells apart by some of their fields, and that are the same in these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from ..facts.tables import table
from ..yaml.source import Node
from .pods import containers, pod_spec
from .resource import Resource


class ListKey(NamedTuple):
    """By which fields the items of a list must differ."""

    at: tuple[tuple[str, ...], ...]
    """Where the list is; several lists count as one."""
    by: tuple[str, ...]
    unless: tuple[str, ...]
    """Fields that make two items different to Kubernetes, though not to a merge."""
    refused: bool
    """The API server takes no second one."""


class Repeated(NamedTuple):
    item: Node
    first: Node
    """The item that it repeats."""
    key: ListKey

    @property
    def name(self) -> str:
        """What both are called."""
        return "/".join(self.item[field].scalar_text for field in self.key.by if self.item[field].present)

    @property
    def field(self) -> Node:
        return self.item[self.key.by[0]]

    @property
    def list_name(self) -> str:
        return str(self.item.parent.key) if self.item.parent else ""


def repeated_items(resource: Resource) -> Iterator[Repeated]:
    for key in _keys("kinds", resource.group_kind):
        yield from _repeated(resource.node, key)
    pod = pod_spec(resource)
    if pod is None:
        return
    is_rollout = resource.kind == "Rollout"
    for key in () if is_rollout else _keys("pod"):
        yield from _repeated(pod, key)
    for container in containers(pod):
        for key in _keys("rollout" if is_rollout else "container"):
            yield from _repeated(container, key)


@cache
def _keys(section: str, kind: str = "") -> tuple[ListKey, ...]:
    entries: Any = table("list-keys.json")[section]
    entries = entries.get(kind, ()) if kind else entries
    return tuple(
        ListKey(
            tuple(tuple(path.split(".")) for path in entry["at"]),
            tuple(entry["by"]),
            tuple(entry.get("unless", ())),
            entry["refused"],
        )
        for entry in entries
    )


def _repeated(holder: Node, key: ListKey) -> Iterator[Repeated]:
    seen: dict[tuple[object, ...], Node] = {}
    lists = [holder.at(*path) for path in key.at]
    if sum(len(one.raw.value) for one in lists if one.is_sequence and one.raw is not None) < 2:
        return
    defaults: Mapping[str, str] = table("list-keys.json")["defaults"]
    for item in (item for one in lists for item in one):
        values = tuple(item[field].scalar_text or defaults.get(field, "") for field in key.by)
        if not values[0]:
            continue
        first = seen.setdefault((*values, *(item[field].scalar_text for field in key.unless)), item)
        if first is not item:
            yield Repeated(item, first, key)
