"""Places as SARIF and GitHub want them: relative URIs, one-line regions, UTF-16 columns."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left
from collections import Counter
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from ..facts.regexes import regex
from ..lint.redaction import shown
from ..yaml.source import BYTE_ORDER_MARK, Place, SourceFile
from .region import Region, region_of
from .report_options import ReportOptions

if TYPE_CHECKING:
    from ..fix import TextEdit

Json = dict[str, object]

BASE: Final = "%SRCROOT%"
"""The top of the git repository, wherever it is: no path of the machine is in the report."""
_ASTRAL: Final = regex("[\U00010000-\U0010ffff]")
"""Characters that are two code units in UTF-16."""
_LONGEST_SNIPPET: Final = 1000


class SarifFile:
    """What is computed once for a file, however many findings it has."""

    def __init__(self, file: SourceFile, options: ReportOptions) -> None:
        self.file = file
        self._path = options.repository_path(file.path)

    @cached_property
    def artifact(self) -> Json:
        return {"uri": quote(os.fsencode(self._path), safe="/"), "uriBaseId": BASE}

    @cached_property
    def _astral(self) -> list[int]:
        text = self.file.text
        return [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    @cached_property
    def _hashes(self) -> list[str]:
        unreadable = any(problem.unreadable for problem in self.file.problems)
        return [] if unreadable else file_hashes(self.file)

    def line_hash(self, line: int) -> str | None:
        """None when the text is not what the file holds."""
        return self._hashes[line - 1] if line <= len(self._hashes) else None

    def column(self, line_start: int, offset: int) -> int:
        pairs = bisect_left(self._astral, offset) - bisect_left(self._astral, line_start)
        return offset - line_start + 1 + pairs

    def _between(self, start: int, end: int) -> Json:
        first, last = self.file.position(start), self.file.position(end)
        return {
            "startLine": first.line,
            "startColumn": self.column(start - first.column + 1, start),
            "endLine": last.line,
            "endColumn": self.column(end - last.column + 1, end),
        }

    def location(self, region: Region) -> Json:
        """A physicalLocation with a snippet, unless the line is too long to be read by anybody."""
        marked = self._between(region.start, region.end)
        found: Json = {"artifactLocation": self.artifact, "region": marked}
        if 0 < len(region.text) <= _LONGEST_SNIPPET:
            marked["snippet"] = {"text": shown(region.file, region.start, region.end)}
        context = self._context(region)
        if context:
            found["contextRegion"] = context
        return found

    def _context(self, region: Region) -> Json | None:
        """The line with its neighbours; the standard wants it larger than the region itself."""
        file = self.file
        first = max(region.line - 1, 1)
        last = min(region.line + 1, file.position(max(len(file.text) - 1, 0)).line)
        start, end = file.line_span(first).start, file.line_span(max(last, region.line)).end
        if not region.end - region.start < end - start <= _LONGEST_SNIPPET:
            return None
        return {**self._between(start, end), "snippet": {"text": shown(file, start, end)}}

    def replacement(self, edit: TextEdit) -> Json:
        return {"deletedRegion": self._between(edit.start, edit.end), "insertedContent": {"text": edit.text}}


class SarifFiles:
    """Every file of a report, made when a finding first points at it."""

    def __init__(self, options: ReportOptions) -> None:
        self._options = options
        self._files: dict[SourceFile, SarifFile] = {}

    def of(self, file: SourceFile) -> SarifFile:
        found = self._files.get(file)
        if found is None:
            found = self._files[file] = SarifFile(file, self._options)
        return found

    def physical_location(self, place: Place) -> Json:
        return self.of(place.file).location(region_of(place))


# -- the hash by which GitHub follows an alert when lines move

_WINDOW: Final = 100
_BASE: Final = 37
_MASK: Final = (1 << 64) - 1
_SHIFT: Final = pow(_BASE, _WINDOW, _MASK + 1)
_DROPPED: Final = {ord(" "): None, ord("\t"): None}
_LF: Final = ord("\n")


def file_hashes(file: SourceFile) -> list[str]:
    """Of every line as codeql-action counts them, the first at index 0."""
    return line_hashes(f"{BYTE_ORDER_MARK}{file.text}" if file.has_bom else file.text)


def line_hashes(text: str) -> list[str]:
    units = _units(text)
    # prefix[i] is the polynomial over all units before i: two of them give any window's.
    prefix = list(accumulate(units + [0] * _WINDOW, lambda total, unit: (total * _BASE + unit) & _MASK, initial=0))
    starts = [0, *(index + 1 for index, unit in enumerate(units) if unit == _LF)]
    seen: Counter[int] = Counter()
    found = []
    for start in starts:
        value = (prefix[start + _WINDOW] - prefix[start] * _SHIFT) & _MASK
        seen[value] += 1
        found.append(f"{value:x}:{seen[value]}")
    return found


def _units(text: str) -> list[int]:
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\uffff"
    encoded = array("H", text.translate(_DROPPED).encode("utf-16", "surrogatepass"))
    return encoded.tolist()[1:]  # without the byte order mark of the native encoding
