"""Text → where everything stands: what an edit must know and a value does not tell.

The composed tree of `source` follows aliases and forgets punctuation. Here an
alias is a piece of its own, and dashes, colons and commas have their places.
Only texts that are about to be edited are read this way.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import yaml
from yaml import events as ev
from yaml import tokens as tk

from ..facts.regexes import regex
from ..yaml.scalars import as_key, resolve
from ..yaml.source import Comment, Document, SourceFile, Span
from .pieces import Collection, Entry, Piece, Refused

_LOADER: Final = yaml.CLoader if yaml.__with_libyaml__ else yaml.Loader
_BORDER: Final = regex(r"^(?:---|\.\.\.)(?=\s|$)", re.MULTILINE)


class TextEdit(NamedTuple):
    """Code points `start` to `end` become `text`."""

    start: int
    end: int
    text: str


class Layout:
    """The text of one document, and the tree of its pieces."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.dashes: list[int] = []
        self.colons: list[int] = []
        self.commas: list[int] = []
        self._scalars: list[int] = []
        self._properties: list[Span] = []
        self._implicit_keys: set[int] = set()
        try:
            self._scan()
            self.root = self._read()
        except yaml.YAMLError as error:
            raise Refused("the document does not parse by itself") from error

    @cached_property
    def comments(self) -> list[Comment]:
        return SourceFile("", self.text).comments

    def comments_in(self, start: int, end: int) -> list[Comment]:
        return [comment for comment in self.comments if start <= comment.span.start < end]

    @cached_property
    def is_json(self) -> bool:
        if not (isinstance(self.root, Collection) and self.root.is_flow):
            return False
        try:
            json.loads(self.text)
        except ValueError:
            return False
        return True

    def line_break(self, at: int) -> str:
        """As the line ends that a place is in; after the last one as the line before it. A file may have both sorts."""
        end = self.text.find("\n", at)
        if end < 0:
            end = self.text.rfind("\n", 0, at)
        return "\r\n" if end > 0 and self.text[end - 1] == "\r" else "\n"

    # -- lines; only line feeds end one, as everywhere

    def line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Before the line break."""
        end = self.text.find("\n", at)
        if end < 0:
            return len(self.text)
        return end - 1 if end > at and self.text[end - 1] == "\r" else end

    def next_line(self, at: int) -> int:
        return self.text.find("\n", at) + 1 or len(self.text)

    def column(self, at: int) -> int:
        return at - self.line_start(at)

    def begins_line(self, at: int) -> bool:
        return not self.text[self.line_start(at) : at].strip()

    def margin(self, at: int) -> str:
        """The blanks that the line begins with, as they are: JSON may be indented by tabs."""
        line = self.text[self.line_start(at) : at]
        return line[: len(line) - len(line.lstrip())]

    # -- reading

    def _scan(self) -> None:
        for token in yaml.scan(self.text, Loader=_LOADER):
            start, end = token.start_mark.index, token.end_mark.index
            if isinstance(token, tk.ScalarToken):
                self._scalars.append(start)
            elif isinstance(token, tk.ValueToken):
                self.colons.append(start)
            elif isinstance(token, tk.BlockEntryToken):
                self.dashes.append(start)
            elif isinstance(token, tk.FlowEntryToken):
                self.commas.append(start)
            elif isinstance(token, tk.AnchorToken | tk.TagToken):
                self._properties.append(Span(start, end))
            elif isinstance(token, tk.KeyToken) and end == start:
                self._implicit_keys.add(start)

    def _read(self) -> Piece:
        events = iter(yaml.parse(self.text, Loader=_LOADER))
        next(events)
        if not isinstance(next(events), ev.DocumentStartEvent):
            raise Refused("the document is empty")
        root = self._piece(next(events), events)
        if not isinstance(next(events), ev.DocumentEndEvent) or not isinstance(next(events), ev.StreamEndEvent):
            raise Refused("the text is more than one document")
        return root

    def _piece(self, event: ev.Event, events: Iterator[ev.Event]) -> Piece:
        if isinstance(event, ev.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, ev.MappingStartEvent):
            return self._mapping(event, events)
        if isinstance(event, ev.SequenceStartEvent):
            return self._sequence(event, events)
        start, end = _span(event)
        return Piece(start, start, start, end, "*")

    def _scalar(self, event: ev.ScalarEvent) -> Piece:
        start, end = _span(event)
        # An anchor may stand alone: its value is then empty, and begins where the anchor ends.
        at = bisect_left(self._scalars, start)
        body = self._scalars[at] if at < len(self._scalars) and self._scalars[at] < end else end
        name = as_key(resolve(event.value)) if event.implicit[0] else event.value
        content_end = self._content_end(body, end) if event.style in ("|", ">") else end
        return Piece(start, self._inner(start, body), body, content_end, event.style or "", name)

    def _mapping(self, first: ev.MappingStartEvent, events: Iterator[ev.Event]) -> Collection:
        entries = []
        while not isinstance(event := next(events), ev.MappingEndEvent):
            key = self._piece(event, events)
            value = self._piece(next(events), events)
            at = bisect_left(self.colons, key.end)
            has_colon = at < len(self.colons) and self.colons[at] <= value.start
            head = self.colons[at] + 1 if has_colon else value.start
            entries.append(Entry(key.start, head, value, key, has_colon, key.start not in self._implicit_keys))
        return self._collection(first, event, entries)

    def _sequence(self, first: ev.SequenceStartEvent, events: Iterator[ev.Event]) -> Collection:
        entries = []
        while not isinstance(event := next(events), ev.SequenceEndEvent):
            value = self._piece(event, events)
            if first.flow_style:
                entries.append(Entry(value.start, value.start, value))
            else:
                dash = self.dashes[bisect_left(self.dashes, value.start) - 1]
                entries.append(Entry(dash, dash + 1, value))
        return self._collection(first, event, entries)

    def _collection(self, first: ev.CollectionStartEvent, last: ev.Event, entries: list[Entry]) -> Collection:
        start, opened = _span(first)
        opening = opened - 1
        is_flow = bool(first.flow_style)
        # The mapping in [a: 1] is flow and has no brackets: it begins with its key.
        has_brackets = is_flow and opening >= start and self.text[opening] in "{["
        body = opening if has_brackets else entries[0].start
        end = _span(last).end if is_flow else entries[-1].end
        is_mapping = isinstance(first, ev.MappingStartEvent)
        return Collection(start, self._inner(start, body), body, end, "", "", tuple(entries), is_mapping, is_flow)

    def _inner(self, start: int, body: int) -> int:
        inner = start
        at = bisect_left(self._properties, Span(start, start))
        # An anchor and a tag at most; one that ends after `body` belongs to something inside.
        for found in self._properties[at : at + 2]:
            inner = found.end if found.end <= body else inner
        return inner

    def _content_end(self, body: int, end: int) -> int:
        """libyaml ends a block scalar at the next thing it sees; blank lines only count with a ``+``."""
        header = self.text[body : self.line_end(body)].partition("#")[0]
        if "+" not in header:
            return body + len(self.text[body:end].rstrip())
        if not self.text[:end].endswith("\n"):
            return end
        return end - 2 if self.text[:end].endswith("\r\n") else end - 1


def _span(event: ev.Event) -> Span:
    if event.start_mark is None or event.end_mark is None:
        raise Refused("the parser gives no places")
    return Span(event.start_mark.index, event.end_mark.index)


def region(document: Document) -> Span:
    """The part of the file that is this document, from its ``---`` to the next one.

    Such a line ends a document wherever it stands, so no parser is needed to find it.
    """
    text, borders = document.file.yaml_text, _borders(document.file)
    after = bisect_right(borders, document.raw.start_mark.index, key=lambda border: border.start)
    end = borders[after].start if after < len(borders) else len(text)
    if not after:
        return Span(0, end)
    border = borders[after - 1]
    return Span(border.start if text[border.start] == "-" else border.end, end)


@lru_cache(maxsize=16)
def _borders(file: SourceFile) -> list[Span]:
    """Kept, since a file may hold thousands of documents that all want a fix."""
    return [Span(*border.span()) for border in _BORDER.finditer(file.yaml_text)]
