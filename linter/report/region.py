"""The part of one line that a report marks."""

from __future__ import annotations

from typing import NamedTuple

from ..yaml.source import Place, SourceFile


class Region(NamedTuple):
    """Offsets into the file's text, both on one line; empty only where the line is."""

    file: SourceFile
    line: int
    line_start: int
    start: int
    end: int

    @property
    def column(self) -> int:
        return self.start - self.line_start + 1

    @property
    def end_column(self) -> int:
        """One past the last character."""
        return self.end - self.line_start + 1

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]


def region_of(place: Place) -> Region:
    """The first line of a place, with something to see.

    GitHub shows a finding in a pull request only if every line of its region
    is in the diff, hence one line. Where parsing stopped at the end of a line
    or file there is nothing to mark, so the character before it is.
    """
    file, span = place.file, place.span
    offset = min(span.start, len(file.text))
    line = file.position(offset).line
    whole = file.line_span(line)
    if line > 1 and whole.start == len(file.text):
        # Behind the last line feed: no editor and no diff has that line.
        line -= 1
        whole = file.line_span(line)
    start = min(offset, whole.end)
    end = min(max(span.end, start), whole.end)
    if start == end:
        start = min(start, max(whole.end - 1, whole.start))
        end = min(start + 1, whole.end)
    return Region(file, line, whole.start, start, end)
