"""Words that many messages need: how many, which ones, and the first sentence of several; findings of a line as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from ..yaml.source import Place

_SHOWN: Final = 3

At = TypeVar("At", bound=Place)
Item = TypeVar("Item")


def counted(number: int, one: str, several: str = "") -> str:
    """``1 file``, ``2 files``; `several` where that is more than an s."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def listed(things: Iterable[object]) -> str:
    """Up to three of them by name, and how many more there are; what reads the same is named once."""
    names = list(dict.fromkeys(map(str, things)))
    if len(names) > _SHOWN + 1:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def sentence(text: str) -> str:
    """A clause with a capital letter, where it begins with one at all, and a full stop."""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def by_line(found: Iterable[tuple[At, Item]]) -> list[tuple[At, list[Item]]]:
    """What is found at one line becomes one: all Applications of a set are written in the same place."""
    lines: dict[tuple[str, int], tuple[At, list[Item]]] = {}
    for place, item in found:
        line = place.file.position(place.span.start).line
        lines.setdefault((place.file.path, line), (place, []))[1].append(item)
    return list(lines.values())
