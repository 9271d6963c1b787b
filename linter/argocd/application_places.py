"""Pointers into plain values, and from a generated Application back to its set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..dialects.go_template.go_values import Value
from ..yaml.json_pointer import escaped, unescaped

Map = dict[str, Value]

TEMPLATE: Final = "/spec/template"
PATCH: Final = "/spec/templatePatch"


@dataclass(frozen=True, eq=False)
class Sources:
    """The two templates that an Application is made of: the set's, and its generator's own."""

    base: Map
    own: Map
    own_pointer: str

    def find(self, pointer: str) -> str:
        """Where a place of the Application is written in the set, or the nearest place above it that is."""
        parts = pointer.split("/")[1:]
        value, depth = _follow(self.own, parts)
        if depth == len(parts) and value:
            return "/".join([self.own_pointer, *parts])
        return "/".join([TEMPLATE, *parts[: _follow(self.base, parts)[1]]])


def _follow(value: Value, parts: list[str]) -> tuple[Value, int]:
    """What a pointer leads to, and how many of its parts do lead somewhere."""
    for depth, part in enumerate(parts):
        key = unescaped(part)
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and len(key) < 9 and int(key) < len(value):
            value = value[int(key)]
        else:
            return value, depth
    return value, len(parts)


def texts(value: Value, pointer: str) -> Iterator[tuple[str, str]]:
    """Every text in a value with its pointer; keys too, where they are templates."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, f"{pointer}/{index}")
    elif isinstance(value, dict):
        for key, item in value.items():
            place = f"{pointer}/{escaped(key)}"
            if "{{" in key:
                yield place, key
            yield from texts(item, place)


def as_map(value: Value) -> Map:
    return value if isinstance(value, dict) else {}


def as_list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def at(value: Value, *keys: str) -> Value:
    for key in keys:
        value = as_map(value).get(key)
    return value
