"""Source lines as a terminal shows them, with a part of one line underlined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..lint.redaction import shown_line
from ..yaml.source import SourceFile
from .cells import fit
from .region import Region
from .style import BLUE, Paint

CONTEXT: Final = 2
"""Lines shown before and after the marked one."""
_LEAST_ROOM: Final = 30


def gutter_width(region: Region) -> int:
    """For the longest line number of an excerpt with its context."""
    return len(str(region.line + CONTEXT))


def with_context(region: Region, gutter: int, width: int, underline: str, paint: Paint) -> Iterator[str]:
    """`underline` is the style of the marks."""
    for number in _lines_around(region.file, region.line):
        if number == region.line:
            yield from marked_line(region, gutter, width, "^", underline, paint)
        else:
            cut = fit(shown_line(region.file, number), 0, 0, _room(gutter, width))
            yield _source_line(number, cut.text, gutter, paint)


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


def _lines_around(file: SourceFile, line: int) -> range:
    """Without empty lines at both ends, and without other documents."""
    first = last = line
    for number in range(line - 1, max(line - CONTEXT, 1) - 1, -1):
        text = file.line_text(number)
        if text.startswith("---"):
            break
        first = number if text.strip() else first
    for number in range(line + 1, min(line + CONTEXT, file.position(len(file.text)).line) + 1):
        text = file.line_text(number)
        if text.startswith("---"):
            break
        last = number if text.strip() else last
    return range(first, last + 1)
