"""Which lines of a file changed, and where lines that are gone would stand now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..yaml.source import SourceFile, Span, Spot

MAX_LINES: Final = 4_000
"""Between the first and the last changed line; more are taken for one change."""
SEPARATOR: Final = "---"


class Hunk(NamedTuple):
    """Lines from 0, half open: these of the old text became those of the new one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class LineChanges:
    """The hunks between two texts of one file."""

    def __init__(self, before: SourceFile, after: SourceFile) -> None:
        self._after = after
        self._old, self._new = before.text.split("\n"), after.text.split("\n")
        self.hunks = tuple(_hunks(self._old, self._new))

    @property
    def changed(self) -> frozenset[int]:
        """Lines of the new text, from 1."""
        return frozenset(line + 1 for hunk in self.hunks for line in range(hunk.new_start, hunk.new_end))

    def place_of(self, line: int) -> Spot | None:
        """Where a line of the old text, from 1, was changed or taken out; None if it is still there."""
        at = line - 1
        hunk = next((one for one in self.hunks if one.old_start <= at < one.old_end), None)
        return None if hunk is None else spot_at(self._after, self._visible(hunk) + 1)

    def first(self) -> Spot:
        return spot_at(self._after, (self._visible(self.hunks[0]) if self.hunks else 0) + 1)

    def _visible(self, hunk: Hunk) -> int:
        """A line with something on it: of those that came instead, else beside the gap."""
        around = (*range(hunk.new_start, hunk.new_end), *range(hunk.new_end, len(self._new)))
        before = range(min(hunk.new_start, len(self._new)) - 1, -1, -1)
        nearest = (*before, *around) if self._ends_a_document(hunk) else (*around, *before)
        return next((line for line in nearest if _says_something(self._new[line])), 0)

    def _ends_a_document(self, hunk: Hunk) -> bool:
        """Whether the last lines of a document were taken out, and not all of it: what comes next is another object."""
        taken = (line.rstrip() for line in self._old[hunk.old_start : hunk.old_end])
        is_gap = hunk.new_start == hunk.new_end < len(self._new)
        return is_gap and self._new[hunk.new_end].rstrip() == SEPARATOR and SEPARATOR not in taken


def spot_at(file: SourceFile, line: int) -> Spot:
    """A line without its indent."""
    span = file.line_span(line)
    text = file.text[span.start : span.end]
    return Spot(file, Span(span.start + len(text) - len(text.lstrip()), span.end))


def _says_something(line: str) -> bool:
    return bool(line.strip()) and line.strip() != SEPARATOR


def _hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    old_end, new_end = len(old), len(new)
    while old_end > start and new_end > start and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    if start == old_end and start == new_end:
        return []
    if max(old_end, new_end) - start > MAX_LINES:
        return [Hunk(start, old_end, start, new_end)]
    from difflib import SequenceMatcher  # only for files that changed

    matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=False)
    return [
        Hunk(start + one[1], start + one[2], start + one[3], start + one[4])
        for one in matcher.get_opcodes()
        if one[0] != "equal"
    ]
