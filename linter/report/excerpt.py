"""Source lines as a terminal shows them, with a part of one line underlined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..lint.redaction import shown_line
from .cells import fit
from .region import Region
from .style import BLUE, Paint

_LEAST_ROOM: Final = 30


def gutter_width(region: Region) -> int:
    return len(str(region.line))


def marked_line(region: Region, gutter: int, width: int, mark: str, underline: str, paint: Paint) -> Iterator[str]:
    line = shown_line(region.file, region.line)
    cut = fit(line, region.column - 1, region.end_column - 1, _room(gutter, width))
    yield _source_line(region.line, cut.text, gutter, paint)
    yield f"{margin(gutter, paint)} {' ' * cut.before}{paint(mark * max(cut.marked, 1), underline)}"


def margin(gutter: int, paint: Paint, sign: str = "|") -> str:
    return f"{' ' * gutter} {paint(sign, BLUE)}"


def _source_line(number: int, text: str, gutter: int, paint: Paint) -> str:
    return f"{paint(str(number).rjust(gutter), BLUE)} {paint('|', BLUE)} {text}".rstrip()


def _room(gutter: int, width: int) -> int:
    return max(width - gutter - 3, _LEAST_ROOM)
