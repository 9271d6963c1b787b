"""How wide text is on a terminal, and which part of a long line to show.

Python's own tables tell wide characters; the library wcwidth has newer ones, and does not say what fits.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from .escape import COMMAND_BRACKET, code_of, terminal

_TAB: Final = " " * 4
_ELLIPSIS: Final = "…"
_JOINER: Final = "\u200d"
_AS_EMOJI: Final = "\ufe0f"
_SKIN_TONES: Final = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"


class Cell(NamedTuple):
    """A character as it is shown."""

    text: str
    width: int


class Cut(NamedTuple):
    """The part of a line that fits, and how many cells lie before and under the mark."""

    text: str
    before: int
    marked: int


def fit(line: str, start: int, end: int, room: int) -> Cut:
    """The line, or the part of it around its characters `start` to `end`, in at most `room` cells."""
    if len(line) <= room and terminal(line) == line and line.isascii():
        return Cut(line, start, end - start)
    # Of a line of a megabyte only the part that can be seen is looked at.
    low, high = max(0, start - 2 * room), min(len(line), start + 4 * room)
    shown = cells(line, low, high)
    first, last = _window(shown, start - low, room, low == 0, high == len(line))
    lead = _ELLIPSIS if low + first > 0 else ""
    tail = _ELLIPSIS if low + last < len(line) else ""
    before, marked = shown[first : start - low], shown[start - low : min(end - low, last)]
    text = lead + "".join(cell.text for cell in shown[first:last]) + tail
    return Cut(text, len(lead) + _width(before), _width(marked))


def cells(line: str, low: int, high: int) -> list[Cell]:
    found: list[Cell] = []
    for index in range(low, high):
        character = line[index]
        if character == "[" and COMMAND_BRACKET.match(line, index):
            found.append(Cell(code_of(character), 4))
        else:
            previous = line[index - 1] if index > low else ""
            found.append(_cell(character, previous, found[-1].width if found else 0))
    return found


def _cell(character: str, previous: str, previous_width: int) -> Cell:
    if character == "\t":
        return Cell(_TAB, len(_TAB))
    shown = terminal(character)
    if shown != character:
        return Cell(shown, len(shown))
    if character.isascii():
        return Cell(character, 1)
    if character == _AS_EMOJI:
        return Cell(character, 1 if previous_width == 1 and not previous.isalnum() else 0)
    if previous == _JOINER or (character in _SKIN_TONES and previous_width == 2):
        return Cell(character, 0)
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return Cell(character, 0)
    return Cell(character, 2 if unicodedata.east_asian_width(character) in "WF" else 1)


def _width(cells: Sequence[Cell]) -> int:
    return sum(cell.width for cell in cells)


def _window(shown: Sequence[Cell], start: int, room: int, from_first: bool, to_last: bool) -> tuple[int, int]:
    """From which to which cell: a third of the room before the mark, more where little follows it."""
    if from_first and to_last and _width(shown) <= room:
        return 0, len(shown)
    room -= 2  # for the two ellipses
    first = start
    used = 0
    while first and used + shown[first - 1].width <= room // 3:
        first -= 1
        used += shown[first].width
    last = start
    while last < len(shown) and used + shown[last].width <= room:
        used += shown[last].width
        last += 1
    while first and used + shown[first - 1].width <= room:
        first -= 1
        used += shown[first].width
    return first, last
