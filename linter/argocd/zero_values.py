"""What Argo CD leaves out when it rewrites an Application: explicit values that equal "not set".

An Application is written back through Go types at the start of every sync
operation, and fields marked omitempty lose their zero values then. Blocks that
amount to nothing are taken out even earlier, at the first reconciliation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..facts.tables import table

if TYPE_CHECKING:
    from ..facts.versions import Versions
    from ..yaml.source import Node

TOOL_BLOCKS: Final = ("helm", "kustomize", "directory")
"""Of a source. Their mere presence, even empty, chooses the tool."""
_TYPES: Final = ("string", "bool", "int", "list", "map")


class Dropped(NamedTuple):
    """A value that does not survive the next sync operation."""

    node: Node
    kept_since: str
    """The first version that keeps it; empty when none does."""
    since: str = ""
    """The first version that drops it; empty when all do."""


class Removed(NamedTuple):
    """A block that does not survive the first reconciliation."""

    node: Node
    since: str = ""
    """The first version that removes it; empty when all do."""


@dataclass
class _Field:
    """One place in the spec: what it loses, and what is below it; ``[]`` stands for the items of a list."""

    zero: str = ""
    kept_since: str = ""
    since: str = ""
    below: dict[str, _Field] = field(default_factory=dict)

    def at(self, path: str) -> _Field:
        found = self
        for name in path.replace("[]", ".[]").split(".") if path else ():
            found = found.below.setdefault(name, _Field())
        return found


@cache
def _fields() -> _Field:
    data = table("application-zero-values.json")
    root = _Field()
    for group in data["dropped"]:
        _add(root, group)
    for version, group in data["droppedBefore"].items():
        _add(root, group, kept_since=version)
    for version, group in data["droppedSince"].items():
        _add(root, group, since=version)
    return root


def _add(root: _Field, group: Mapping[str, list[str]], kept_since: str = "", since: str = "") -> None:
    for base in group["at"]:
        for zero in _TYPES:
            for path in group.get(zero, ()):
                place = root.at(base).at(path)
                place.zero, place.kept_since, place.since = zero, kept_since, since


def _is_zero(node: Node, zero: str) -> bool:
    if zero == "list":
        return node.is_sequence and not any(True for _ in node)
    if zero == "map":
        return node.is_mapping and not any(True for _ in node.items())
    if not zero or node.is_mapping or node.is_sequence:
        return False
    value: Any = node.value
    if zero == "bool":
        return value is False
    return value == "" if zero == "string" else value == 0 and not isinstance(value, bool)


def dropped_values(spec: Node, versions: Versions, removed: tuple[Node, ...] = ()) -> Iterator[Dropped]:
    """The values that are gone after the Application's next sync operation, except what is in a removed block."""
    yield from _walk(spec, _fields(), versions, {id(block.raw) for block in removed})


def _walk(node: Node, place: _Field, versions: Versions, skip: set[int]) -> Iterator[Dropped]:
    if id(node.raw) in skip:
        return
    if _is_zero(node, place.zero):
        kept = place.kept_since and versions.argocd_at_least(place.kept_since)
        if not kept and not (place.since and versions.argocd_before(place.since)):
            yield Dropped(node, place.kept_since, place.since)
        return
    if not place.below:
        return
    for name, child in node.items():
        if name in place.below:
            yield from _walk(child, place.below[name], versions, skip)
    if "[]" in place.below:
        for item in node:
            yield from _walk(item, place.below["[]"], versions, skip)


def removed_blocks(spec: Node, versions: Versions) -> Iterator[Removed]:
    """The blocks that are gone after the first reconciliation, without any sync.

    In a list of sources Argo CD long worked on a copy of each, and left them as they were.
    """
    facts = table("application-zero-values.json")
    several = list(spec["sources"])
    since = facts["blocksInSourcesSince"]
    for path, block in facts["blocks"].items():
        of_source = path.removeprefix("source.")
        if of_source == path or not several:
            places, first = [spec.at(*path.split("."))], ""
        else:
            places = [] if versions.argocd_before(since) else [source[of_source] for source in several]
            first = since
        for node in places:
            # Of what one version removes whole, all versions drop the values: where none is known, these are told.
            is_told_by_values = bool(first) and versions.argocd is None and any(True for _ in node.items())
            is_nothing = node.is_mapping and _amounts_to_nothing(node, _fields().at(path), block)
            if is_nothing and not _is_of_nulls(node) and not is_told_by_values:
                yield Removed(node, first)


def _is_of_nulls(node: Node) -> bool:
    """To the comparison a null is nothing, and so is a block that has nothing else; an empty one is something."""
    members = [member for _, member in node.items()]
    return bool(members) and all(_is_null(member) or (member.is_mapping and _is_of_nulls(member)) for member in members)


def _amounts_to_nothing(node: Node, place: _Field, block: Mapping[str, list[str]]) -> bool:
    """Pointers (automated, retry) count as set when they are there, empty or not; structs only by their fields."""
    for name, member in node.items():
        below = place.below.get(name, _Field())
        if name in block.get("notLookedAt", ()) or _is_zero(member, below.zero) or _is_null(member):
            continue
        if not (name in block.get("structs", ()) and member.is_mapping and _amounts_to_nothing(member, below, {})):
            return False
    return True


def _is_null(node: Node) -> bool:
    return not node.is_mapping and not node.is_sequence and node.value is None
