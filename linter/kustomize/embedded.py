"""YAML inside a scalar of YAML: patches and transformers that are written into a kustomization."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from ..yaml import compose
from ..yaml.compose import Mapping, Raw, RawScalar, Sequence
from ..yaml.lazy import lazy
from ..yaml.source import Document, Node, Span, Spot
from .kustomize_errors import BuildError, Cause

_SEPARATOR: Final = "---"


@dataclass(frozen=True, eq=False)
class EmbeddedDocument(Document):
    """A document within a scalar; its file, and the places in it, are those of the outer one."""

    outer: Node

    is_embedded: ClassVar[bool] = True

    @lazy
    def has_own_places(self) -> bool:
        """False when all of it counts as written where the scalar is."""
        return _is_literal(self.outer)


def documents_in(node: Node, *, trimmed: bool = False) -> list[Document]:
    """The documents that a scalar holds, or its text without the blanks around it.

    The first thing that cannot be read is an error.
    """
    raw = node.raw
    if not isinstance(raw, RawScalar):
        raise BuildError(Cause.BAD_PATCH, node, "YAML or JSON as a text is wanted here")
    text = raw.value.strip() if trimmed else raw.value
    in_place = _is_literal(node) and raw.value.lstrip("\n").startswith(text.lstrip("\n"))
    roots = list(_composed_in_place(node, raw, text) if in_place else _composed_apart(node, raw, text))
    return [EmbeddedDocument(node.file, index, root, node) for index, root in enumerate(roots)]


def _is_literal(node: Node) -> bool:
    """Whether each line of the value is a line of the file; in what a chart has printed it is often none."""
    raw, document = node.raw, node.document
    if not isinstance(raw, RawScalar) or raw.style != "|":
        return False
    if isinstance(document, EmbeddedDocument) and not document.has_own_places:
        return False
    return not node.file.is_template or _text_of(node, raw).split() == raw.value.split()


def _composed_in_place(node: Node, raw: RawScalar, value: str) -> Iterator[Raw]:
    """From the file itself, with blanks for all that stands before the text, so that every place is right."""
    file = node.file
    start = _start_of(node, raw)
    # A scalar within that ends where the outer one does has the line breaks that are left to this one.
    text = _text_of(node, raw).rstrip() + "\n" * (len(value) - len(value.rstrip("\n")))
    begin, blank = 0, "\n"
    for end in (*_separators(text, value), len(text)):
        roots, errors = compose.documents(" " * (start + begin - 1) + blank + text[begin:end])
        if errors:
            place = Spot(file, Span(errors[0].offset, errors[0].offset))
            raise BuildError(Cause.BAD_PATCH, place, f"cannot be read: {errors[0].message}")
        yield from roots
        begin, blank = end + len(_SEPARATOR), " "


def _start_of(node: Node, raw: RawScalar) -> int:
    """Where the first line of its text begins in the file."""
    return node.file.text.find("\n", raw.start_mark.index) + 1


def _text_of(node: Node, raw: RawScalar) -> str:
    return node.file.text[_start_of(node, raw) : raw.end_mark.index]


def _separators(text: str, value: str) -> list[int]:
    """Where documents end: an indented line of dashes is none to YAML, so they are looked for here."""
    if not value.startswith(_SEPARATOR) and f"\n{_SEPARATOR}" not in value:
        return []
    indent = re.escape(_first_line(text).removesuffix(_first_line(value)))
    found = re.finditer(rf"^{indent}{_SEPARATOR}(?=\s|$)", text, re.MULTILINE)
    return [one.end() - len(_SEPARATOR) for one in found]


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


def _composed_apart(node: Node, raw: RawScalar, value: str) -> Iterator[Raw]:
    """From the value, where a line of it is none of the file: all of it is where the scalar is."""
    roots, errors = compose.documents(value)
    if errors:
        raise BuildError(Cause.BAD_PATCH, node, f"cannot be read: {errors[0].message}")
    for root in roots:
        place_all(root, raw)
        yield root


def place_all(root: Raw, at: Raw) -> None:
    """Everything counts as written where `at` is."""
    waiting = [root]
    while waiting:
        raw = waiting.pop()
        raw.start_mark, raw.end_mark = at.start_mark, at.end_mark
        if isinstance(raw, Mapping):
            for pair in raw.value:
                waiting += pair
        elif isinstance(raw, Sequence):
            waiting += raw.value
