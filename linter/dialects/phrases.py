"""Words that many messages need: how many, which ones, and the first sentence of several; findings of a line as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from ..facts.regexes import regex
from ..yaml.source import Place

_SHOWN: Final = 3
_PATH: Final = regex(r"\w+[.\[/]\S")
"""Of a field or a file: it is spelled as it is."""

At = TypeVar("At", bound=Place)
Item = TypeVar("Item")


def counted(number: int, one: str, several: str = "") -> str:
    """``1 file``, ``2 files``; `several` where that is more than an s."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def listed(things: Iterable[object]) -> str:
    """Up to three of them by name, and how many more there are; what reads the same is named once."""
    names = list(dict.fromkeys(map(str, things)))
    if len(names) > _SHOWN + 1:
        return some(names, _SHOWN)
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def some(things: Iterable[object], most: int) -> str:
    """``a, b and 3 more``: as many by name as there is room for."""
    names = list(map(str, things))
    return f"{', '.join(names[:most])}{and_more(len(names) - most)}"


def and_more(left: int, words: str = " and {} more") -> str:
    """What is behind a name that stands for several; nothing where none is left."""
    return words.format(f"{left:,}") if left > 0 else ""


def sentence(text: str) -> str:
    """A clause with a capital letter, unless it begins with a path such as spec.selector, and a full stop."""
    if not text or _PATH.match(text):
        return f"{text}." if text else ""
    return f"{text[0].upper()}{text[1:]}."


def by_line(found: Iterable[tuple[At, Item]]) -> list[tuple[At, list[Item]]]:
    """What is found at one line becomes one: all Applications of a set are written in the same place."""
    lines: dict[tuple[str, int], tuple[At, list[Item]]] = {}
    for place, item in found:
        line = place.file.position(place.span.start).line
        lines.setdefault((place.file.path, line), (place, []))[1].append(item)
    return list(lines.values())
