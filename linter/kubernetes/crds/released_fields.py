"""Which fields the releases of well-known operators have, where the repository does not bring the CRD itself.

``schemas/operator-fields.json`` holds names only, of all releases looked at together. ``shapes`` are objects by
their fields (``*``: any name) and lists by their only item, each pointing to the shape below, -1 where anything goes.
So what an object has beyond that, none of these releases knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from ...facts.tables import table
from ...facts.versions import Version
from ..defaulting import META, PRESERVE, Schema, Steps

TABLE: Final = "operator-fields.json"
ANY_NAME: Final = "*"
DEEPEST: Final = 8
"""A name that is found only further down was hardly meant."""


class Released(NamedTuple):
    """What the table says of a kind."""

    operator: str
    oldest: Version
    newest: Version
    shape: int

    @property
    def schema(self) -> Schema:
        return _schema(self.shape)

    def elsewhere(self, name: str) -> Steps | None:
        """The only place where the kind has a field of that name, if there is just one."""
        found = _places(self.shape, name, ())
        first = next(found, None)
        return first if next(found, None) is None else None


@cache
def released(api_version: str, kind: str) -> Released | None:
    known = table(TABLE)
    entry = known["kinds"].get(f"{api_version}/{kind}")
    if entry is None:
        return None
    operator, shape = entry
    oldest, newest = map(Version.parse, known["sources"][operator])
    return Released(operator, oldest, newest, shape)


@cache
def _schema(shape: int) -> Schema:
    node = _shape(shape)
    if node is None:
        return {PRESERVE: True}
    if isinstance(node, list):
        return {"type": "array", "items": _schema(node[0])}
    if ANY_NAME in node:
        return {"type": "object", "additionalProperties": _schema(node[ANY_NAME])}
    return {"type": "object", "properties": {name: _schema(inner) for name, inner in node.items()}}


def _places(shape: int, name: str, steps: Steps) -> Iterator[Steps]:
    node = _shape(shape)
    if len(steps) == DEEPEST or node is None:
        return
    if isinstance(node, list):
        yield from _places(node[0], name, steps)
        return
    for field, inner in node.items():
        if not steps and (field in META or field == "status"):
            continue
        if field == name:
            yield (*steps, field)
        yield from _places(inner, name, (*steps, field))


def _shape(shape: int) -> Any:
    return table(TABLE)["shapes"][shape] if shape >= 0 else None
