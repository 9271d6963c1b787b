"""Where Kubernetes sees the borders of documents, which is not where YAML has them.

It cuts a file at every line that begins with ``---`` and parses each part for
itself, and of each part the first document only. So a directive stands in a
part of its own, text behind ``---`` is refused, and what follows a line
``...`` is dropped without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..facts.regexes import regex

SEPARATOR: Final = regex(r"^---(?=\s|$)", re.MULTILINE)
_END: Final = regex(r"^\.\.\.(?=\s|$)", re.MULTILINE)
_OF_WEIGHT: Final = regex(r"^(?![ \t]*#|%)[ \t]*\S", re.MULTILINE)
_TEXT_BEHIND: Final = regex(r"^---[ \t]*([^\s#][^\n]*)", re.MULTILINE)
_DIRECTIVE: Final = regex(r"(?:[ \t]*(?:#[^\n]*)?\n)*(%[A-Z][^\n]*)")
"""``%YAML 1.2``. What begins with ``%{`` is of Terraform."""
_ESCAPED_SLASH: Final = regex(r"(?<!\\)(?:\\\\)*\\/")


class Oddity(NamedTuple):
    """A stretch of a file that Kubernetes does not read as other readers of YAML do."""

    start: int
    end: int
    message: str
    refused: bool = True
    """False for what is left out without a word."""


def leftovers(text: str) -> Iterator[tuple[int, int]]:
    """What stands between the end of a document and the next separator."""
    if "\n..." not in text and not text.startswith("..."):
        return
    at = 0
    while found := _END.search(text, at):
        start = text.find("\n", found.end()) + 1 or len(text)
        separator = SEPARATOR.search(text, start)
        at = separator.start() if separator else len(text)
        if _OF_WEIGHT.search(text, start, at):
            yield start, at


def without_leftovers(text: str) -> str:
    """The same text, blank where nobody reads it."""
    parts, done = [], 0
    for start, end in leftovers(text):
        parts += [text[done:start], re.sub(r"[^\n]", " ", text[start:end])]
        done = end
    return "".join((*parts, text[done:])) if parts else text


def oddities(text: str) -> Iterator[Oddity]:
    """What Kubernetes makes of a file of manifests besides parsing it."""
    directive = _DIRECTIVE.match(text) if "%" in text else None
    if directive:
        yield Oddity(*directive.span(1), "Kubernetes takes no directives: the line is parsed as a document of its own")
    if text.startswith("---") or "\n---" in text:
        for found in _TEXT_BEHIND.finditer(text):
            yield Oddity(*found.span(1), "invalid document separator: only a comment may stand behind ---")
    for start, _ in leftovers(text):
        first = _OF_WEIGHT.search(text, start)
        at = first.end() - 1 if first else start
        message = "what follows the line ... is dropped up to the next line ---: Kubernetes reads one document a part"
        yield Oddity(at, at, message, refused=False)


def escaped_slash(text: str, start: int, end: int) -> int | None:
    """Where a text in double quotes has ``\\/``, which JSON knows and go-yaml refuses."""
    found = _ESCAPED_SLASH.search(text, start, end)
    return found.end() - 2 if found else None
