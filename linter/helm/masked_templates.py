"""Template text → text of the same length that is YAML as far as can be.

Every line break and every literal character stays where it is, so that a
place in the masked text is a place in the template. Actions that print
nothing become blanks. One that prints a part of a line becomes a run of
`UNKNOWN`. One that has a line for itself may print any number of keys or
items, or none: it becomes blanks, and a `Hole`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml import scalars
from .actions import Action, actions

UNKNOWN: Final = scalars.UNKNOWN

_LINES: Final = regex(r"([^\n]*?)(\r?(?:\n|\Z))")
_DEPTH: Final = regex(r"\|\s*(n?indent)\s+(\d{1,3})\s*$")
_LEAD: Final = regex(r" *(?P<dashes>(?:- +)*)")
_HEADER: Final = regex(r"(?P<key>.*?:\s+)?(?:[&!]\S*\s+)*[|>][-+0-9]*\s*(?:#.*)?$")
_LONE_VALUE: Final = regex(rf"(?P<key>[^#]*?:\s+)?{UNKNOWN}+\s*(?:#.*)?$")
MAX_LINE: Final = 500
"""Longer lines are not looked at closely: it would take a time that grows with the square of their length."""


def is_unknown(text: str) -> bool:
    """Whether a text has a part that only a render can tell."""
    return UNKNOWN in text


class Hole(NamedTuple):
    """Where any number of keys or items may be printed."""

    start: int
    end: int
    depth: int | None = None
    """The column that they begin at, where the action says so."""


class Masked(NamedTuple):
    text: str
    holes: tuple[Hole, ...]


class _Piece(NamedTuple):
    """An action, or all from an ``if`` to its ``end`` on one line."""

    start: int
    end: int
    is_silent: bool
    is_border: bool = False
    """The beginning or the end of a named template: a text of its own."""
    action: Action | None = None


@dataclass(eq=False)
class _Line:
    start: int
    text: str
    pieces: list[_Piece]
    masked: str = ""
    holes: list[Hole] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def literal(self) -> str:
        """What stands outside of actions, at its place."""
        return self.filled("", " ")

    @property
    def prints(self) -> bool:
        """Whether an action that begins here prints something."""
        return any(not piece.is_silent and piece.start >= self.start for piece in self.pieces)

    @property
    def has_text(self) -> bool:
        return bool(self.literal.strip())

    @property
    def has_content(self) -> bool:
        """Literal text that is no comment."""
        return self.literal.strip()[:1] not in ("", "#")

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" "))

    def filled(self, printing: str, silent: str) -> str:
        """The line with its actions put over: by `printing`, or `silent`; an empty text leaves blanks."""
        parts: list[str] = []
        at = 0
        for piece in self.pieces:
            start, end = max(piece.start - self.start, 0), min(piece.end - self.start, len(self.text))
            begins_here = piece.start >= self.start
            fill = (silent if piece.is_silent else printing) if begins_here else " "
            parts += (self.text[at:start], (fill or " ") * (end - start))
            at = end
        return "".join(parts) + self.text[at:]


def mask(text: str) -> Masked:
    """The same text with its actions put over; whether that is YAML is for `repairs` to see."""
    found = actions(text)
    if not found:
        return Masked(text, ())
    pieces = list(_pieces(text, found))
    lines, breaks = _lines(text, pieces)
    _mask_lines(lines)
    _mask_block_scalars(lines)
    _open_values(lines)
    masked = "".join(line.masked + end for line, end in zip(lines, breaks, strict=True))
    return Masked(masked, tuple(sorted(hole for line in lines for hole in line.holes)))


# -- pieces and lines


def _pieces(text: str, found: Sequence[Action]) -> Iterator[_Piece]:
    ends = matching_ends(found)
    named = {end for opener, end in ends.items() if found[opener].word == "define"}
    index = 0
    while index < len(found):
        action = found[index]
        last = ends.get(index)
        if last is not None and text.find("\n", action.span.start, found[last].span.end) < 0:
            inner = found[index : last + 1]
            between = pairwise(inner)
            has_text = any(text[one.span.end : next_.span.start].strip() for one, next_ in between)
            is_silent = action.word == "define" or not (has_text or any(not one.is_silent for one in inner))
            yield _Piece(action.span.start, found[last].span.end, is_silent)
            index = last + 1
            continue
        yield _Piece(*action.span, action.is_silent, action.word == "define" or index in named, action)
        index += 1


def matching_ends(found: Sequence[Action]) -> dict[int, int]:
    """The number of an action that opens something → that of its ``end``."""
    open_actions: list[int] = []
    ends: dict[int, int] = {}
    for index, action in enumerate(found):
        if action.opens:
            open_actions.append(index)
        elif action.closes and open_actions:
            ends[open_actions.pop()] = index
    return ends


def _lines(text: str, pieces: Sequence[_Piece]) -> tuple[list[_Line], list[str]]:
    lines: list[_Line] = []
    breaks: list[str] = []
    first = 0
    for content, end in _LINES.findall(text):
        start = lines[-1].end + len(breaks[-1]) if lines else 0
        if not content and not end and lines:
            break  # the end of the text, found once more
        stop = start + len(content)
        while first < len(pieces) and pieces[first].end <= start:
            first += 1
        last = first
        while last < len(pieces) and pieces[last].start < stop:
            last += 1
        lines.append(_Line(start, content, list(pieces[first:last])))
        breaks.append(end)
    return lines, breaks


# -- line by line


def _mask_lines(lines: Sequence[_Line]) -> None:
    for line in lines:
        if not line.pieces:
            line.masked = line.text
        elif not line.has_content:
            line.masked = line.literal
            if line.prints:
                line.holes = [_hole(line)]
            elif any(piece.is_border and piece.start >= line.start for piece in line.pieces) and not line.has_text:
                line.masked = "---".ljust(len(line.text))
        elif _begins_silently(line):
            # Nobody can tell the column of what follows; it may even continue the line before.
            line.masked = " " * len(line.text)
            line.holes = [Hole(line.start + line.indent, line.end)]
        else:
            line.masked = line.filled(UNKNOWN, "") if not _is_torn(line) else line.filled(UNKNOWN, UNKNOWN)


def _hole(line: _Line) -> Hole:
    printing = [piece for piece in line.pieces if not piece.is_silent and piece.start >= line.start]
    action = printing[0].action if len(printing) == 1 else None
    depth = _depth(action, action.span.start - line.start) if action else None
    return Hole(printing[0].start, printing[-1].end, depth)


def _depth(action: Action, column: int) -> int | None:
    given = _DEPTH.search(action.body)
    if given:
        return int(given[2]) if given[1] == "nindent" or not column else None
    return None if action.trims_before else column


def _begins_silently(line: _Line) -> bool:
    first = line.pieces[0]
    return first.start <= line.start + line.indent and first.is_silent


def _is_torn(line: _Line) -> bool:
    """Whether a silent action stands within a word."""
    for piece in line.pieces:
        start, end = piece.start - line.start, piece.end - line.start
        if piece.is_silent and start > 0 and line.text[start - 1].strip() and line.text[end : end + 1].strip():
            return True
    return False


# -- block scalars


def _mask_block_scalars(lines: Sequence[_Line]) -> None:
    index = 0
    while index < len(lines):
        parent = _holder(lines[index].masked, _HEADER)
        index += 1
        if parent is None:
            continue
        stop = index
        while stop < len(lines) and not _ends_block(lines[stop], parent):
            stop += 1
        _mask_block(lines[index:stop], parent)
        index = stop


def _holder(line: str, value: re.Pattern[str]) -> int | None:
    """The column of the key or dash that a line ends in the value of; None if it has another one, or none."""
    lead = _LEAD.match(line)
    if lead is None or len(line) > MAX_LINE:
        return None
    found = value.match(line, lead.end())
    if found is None or not (found["key"] or lead["dashes"]):
        return None
    return lead.end() if found["key"] else lead[0].rfind("-")


def _ends_block(line: _Line, parent: int) -> bool:
    is_border = line.masked.startswith("---") and (not line.has_text or parent >= 0)
    return is_border or (line.has_text and line.indent <= parent)


def _mask_block(block: Sequence[_Line], parent: int) -> None:
    depths = [line.indent for line in block if line.has_text]
    margin = min(depths, default=parent + 1)
    last = max((index for index, line in enumerate(block) if line.has_text or _prints_inside(line, parent)), default=-1)
    for index, line in enumerate(block):
        if not line.pieces:
            continue
        if line.has_text:
            line.masked, line.holes = line.filled(UNKNOWN, UNKNOWN), []
            continue
        begins_here = line.pieces[0].start >= line.start
        if begins_here and index <= last and len(line.text) > margin:
            line.masked = " " * margin + UNKNOWN * (len(line.text) - margin)
            line.holes = [hole for hole in line.holes if hole.depth is None]
        elif index > last:
            # Blanks would count as a part of the text; a comment ends it.
            line.masked = "#".ljust(len(line.text))


def _prints_inside(line: _Line, parent: int) -> bool:
    """Whether what a line prints is a part of the text, or may be."""
    return any(hole.depth is None or hole.depth > parent for hole in line.holes)


# -- values that are lines below


def _open_values(lines: Sequence[_Line]) -> None:
    """``key: {{ … }}`` with deeper lines after it prints a part of what they belong to, not a scalar."""
    following = 0
    for line in reversed(lines):
        content = line.masked.strip()
        if not content or content.startswith("#"):
            continue
        column = _holder(line.masked, _LONE_VALUE)
        if column is not None and following > column and line.pieces:
            last = line.pieces[-1]
            start, end = last.start - line.start, min(last.end - line.start, len(line.text))
            line.masked = line.masked[:start] + " " * (end - start) + line.masked[end:]
            line.holes = [Hole(last.start, last.end)]
        following = 0 if content.startswith("---") else len(line.masked) - len(line.masked.lstrip(" "))
