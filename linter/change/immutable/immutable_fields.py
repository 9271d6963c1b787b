"""Fields that the API server does not let change, by kind: the table, and what of it two versions break."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from ...facts.tables import table
from ...facts.versions import Version, Versions
from .field_conditions import CONDITIONS, Verdict
from .field_differences import Difference, difference, value_at
from .stored import stored
from .updated_objects import Rewritten

IN_THE_TABLE = "immutable-field-changed"
"""The rule that tells of all fields without a story of their own."""


class Frozen(NamedTuple):
    """A field that changes although it cannot."""

    field: str
    difference: Difference
    says: str
    """The API server's own words."""
    certain: bool = True
    """False where it depends on what the cluster filled in."""
    operator: str = ""
    """Of a custom resource: the project whose CRD says so."""


class _Field(NamedTuple):
    steps: tuple[str, ...]
    says: str
    rule: str
    unless: str
    once: bool
    unordered: bool
    until: str


@cache
def _fields() -> Mapping[str, tuple[_Field, ...]]:
    entries: Mapping[str, list[dict[str, Any]]] = table("immutable-fields.json")["kinds"]
    return {
        kind: tuple(
            _Field(
                tuple(path.split(".")),
                entry["says"],
                entry.get("rule", IN_THE_TABLE),
                entry.get("unless", ""),
                entry.get("once", False),
                entry.get("unordered", False),
                entry.get("until", ""),
            )
            for entry in found
            for path in entry["at"]
        )
        for kind, found in entries.items()
    }


def frozen_fields(pair: Rewritten, rule: str | None = IN_THE_TABLE) -> Iterator[Frozen]:
    """What the API server refuses of a change to one of its own kinds; of all fields, or those of one rule."""
    fields = [field for field in _fields().get(pair.kind, ()) if rule in (field.rule, None)]
    if not fields:
        return
    before, after = stored(pair.before), stored(pair.after)
    for field in fields:
        old, new = value_at(before, field.steps), value_at(after, field.steps)
        if _is_same(old, new, field.unordered) or not _counts(field, pair.after.versions) or (field.once and not old):
            continue
        verdict = CONDITIONS[field.unless](before, after) if field.unless else Verdict.REFUSED
        if verdict is not Verdict.ALLOWED:
            found = difference(pair.before, pair.after, field.steps, old, new)
            yield Frozen(".".join(field.steps), found, field.says, verdict is Verdict.REFUSED)


def frozen_custom_fields(pair: Rewritten) -> Iterator[Frozen]:
    """What the CRD of a known operator refuses: rules on a field hold where it is there before and after."""
    entry = table("immutable-fields.json")["custom"].get(f"{pair.after.api_version}/{pair.after.kind}")
    for path, says in entry[1].items() if entry else ():
        steps = tuple(path.split("."))
        old, new = pair.before.node.at(*steps).value, pair.after.node.at(*steps).value
        if old is not None and new is not None and old != new and old != "":
            yield Frozen(path, difference(pair.before, pair.after, steps, old, new), says, False, entry[0])


def _is_same(old: Any, new: Any, unordered: bool) -> bool:
    if unordered and isinstance(old, list) and isinstance(new, list):
        return set(map(str, old)) == set(map(str, new))
    return bool(old == new)


def _counts(field: _Field, versions: Versions) -> bool:
    """What newer releases let change is told only of those that are known to be older."""
    if not field.until:
        return True
    return versions.kubernetes is not None and versions.kubernetes < Version.parse(field.until)
