"""Which stretch of its file an ignore comment covers.

A comment belongs to a node, not to a line: after a key or above it, it covers
all that is under the key; on or above the dash of a list item, the item; before
the first key of a document, the document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from ...facts.regexes import regex
from ...yaml.compose import Mapping, Raw, RawScalar
from ...yaml.source import Comment, SourceFile, Span

_SEPARATOR: Final = regex(r"^---(?=\s|$)", re.MULTILINE)
_END_OF_DOCUMENT: Final = regex(r"(?:---|\.\.\.)(?:\s|$)")
_COMMENT_IN_TEMPLATE: Final = regex(r"\s*\{\{-?\s*/\*\s*$")
"""What stands before the sign of a comment that Helm takes away."""


class Coverage:
    """The nodes of one file by the line they begin on; made only for files that have ignores."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file

    def of(self, comment: Comment, whole_file: bool) -> Span | None:
        """What it covers; None when nothing can be meant by a comment at its place."""
        if whole_file:
            in_head = not self._starts or comment.span.start < self._starts[0]
            return Span(0, len(self.file.text) + 1) if in_head else None
        line = self.file.position(comment.span.start).line
        before = self.file.text[self.file.line_span(line).start : comment.span.start].strip()
        if self.file.is_template:
            before = _COMMENT_IN_TEMPLATE.sub("", before)
        if before in ("", "---"):
            document = self._document_headed_by(comment)
            if document:
                return document
        if not before.strip("-? "):
            return self._below(line)
        return self._beginning_on(line, comment.span.start)

    # -- documents

    @cached_property
    def _starts(self) -> list[int]:
        return [document.raw.start_mark.index for document in self.file.documents]

    @cached_property
    def _borders(self) -> list[int]:
        """Where each document begins, its own separator included; then the end of the file."""
        borders = [0]
        for before, start in zip(self._starts, self._starts[1:], strict=False):
            separators = [match.start() for match in _SEPARATOR.finditer(self.file.text, before, start)]
            borders.append(separators[-1] if separators else start)
        return [*borders, len(self.file.text) + 1]

    def _document_headed_by(self, comment: Comment) -> Span | None:
        index = bisect_right(self._borders, comment.span.start) - 1
        if index < len(self._starts) and comment.span.start < self._starts[index]:
            return Span(self._borders[index], self._borders[index + 1])
        return None

    # -- nodes

    @cached_property
    def _content_after(self) -> list[int]:
        """Line → the next line with something other than comments on it; 0 when its document ends before that."""
        comments = {self.file.position(c.span.start).line for c in self.file.comments if not c.trailing}
        last = self.file.position(len(self.file.text)).line
        following, after = 0, [0] * (last + 1)
        for line in range(last, 0, -1):
            after[line] = following
            text = self.file.yaml_text[slice(*self.file.line_span(line))]
            if _END_OF_DOCUMENT.match(text):
                following = 0
            elif text.strip() and line not in comments:
                following = line
        return after

    def _below(self, line: int) -> Span | None:
        """What begins on the next line that has something on it; comments may be stacked."""
        following = self._content_after[line]
        return self._beginning_on(following, self.file.line_span(following).end) if following else None

    def _beginning_on(self, line: int, end: int) -> Span:
        """The line, and all of the nodes that begin on it before `end`, or else of the text that ends on it."""
        start = self.file.line_span(line).start
        first = bisect_right(self._nodes, (start - 1, len(self.file.text) + 1))
        last = bisect_right(self._nodes, (end, 0))
        begun = self._nodes[first:last]
        if begun:
            return Span(start, max(end, *(node.end for node in begun)))
        if first and start < self._nodes[first - 1].end <= end:
            return Span(self._nodes[first - 1].start, end)
        return Span(start, end)

    @cached_property
    def _nodes(self) -> list[Span]:
        return sorted(span for document in self.file.documents for span in _spans(document.raw))


def _spans(root: Raw) -> Iterator[Span]:
    """Every member with its key, every item."""
    seen: set[int] = set()
    stack: list[Raw] = [root]
    while stack:
        raw = stack.pop()
        if id(raw) in seen or isinstance(raw, RawScalar):
            continue
        seen.add(id(raw))
        pairs = raw.value if isinstance(raw, Mapping) else [(item, item) for item in raw.value]
        for key, value in pairs:
            # An alias stands for something further up, which its own comment covers.
            if value.start_mark.index >= raw.start_mark.index:
                yield Span(key.start_mark.index, max(key.end_mark.index, value.end_mark.index))
                stack.append(value)
            elif isinstance(raw, Mapping):
                yield Span(key.start_mark.index, key.end_mark.index)
