"""How messages sum up many objects, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from ..source import Place

Item = TypeVar("Item")
SHOWN: Final = 3


class Line(NamedTuple):
    """A line of head, by which findings are put together."""

    path: str
    number: int

    @classmethod
    def of(cls, place: Place) -> Line:
        return cls(place.file.path, place.file.position(place.span.start).line)


def by_place(found: Iterable[tuple[Place, Item]]) -> list[tuple[Place, list[Item]]]:
    """What is found at one line becomes one."""
    lines: dict[Line, tuple[Place, list[Item]]] = {}
    for place, item in found:
        lines.setdefault(Line.of(place), (place, []))[1].append(item)
    return list(lines.values())


def listed(things: Iterable[object]) -> str:
    """Up to three of them by name, and how many more there are; what reads the same is named once."""
    names = list(dict.fromkeys(map(str, things)))
    if len(names) > SHOWN + 1:
        return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
