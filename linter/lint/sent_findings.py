"""Findings on their way from a copy of this process: places are told as the way to them, all else as it is.

Both processes have the same model, so a document is a number, and a place in it the keys that lead there. What
neither has from before, a text within a text for example, cannot be told: the rule is asked again by the receiver.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

from ..facts.severity import Severity
from ..helm.helm_request import Request
from ..kubernetes.resource import Resource
from ..repo.sources.kustomize_builds import NotAnalysed
from ..yaml.compose import Mapping
from ..yaml.source import Document, Node, Patch, SourceFile, Span, Spot
from .rule import Cause, Confidence, Finding, Fix, Moment, Note

_SENT: Final = frozenset((
    Cause, Confidence, Finding, Fix, Moment, NotAnalysed, Note, Patch, Request, Severity, Span, Spot,
))  # fmt: skip
_BY_NAME: Final = (type, FunctionType, BuiltinFunctionType)


class CannotBeTold(Exception):
    """Something that the receiver does not have."""


class Tellers:
    """Both sides of one model, made before it is copied."""

    def __init__(self, files: Iterable[SourceFile], resources: Iterable[Resource]) -> None:
        self._documents: list[Document] = []
        self._files: list[SourceFile] = []
        self._numbers: dict[int, int] = {}
        """By the id of a file or a document: its place in its list."""
        for file in files:
            self._know_file(file)
            for document in file.documents if file.is_parsed else ():
                self._know(document)
        for resource in resources:
            self._know(resource.node.document)
            self._know_file(resource.node.document.file)

    def _know(self, document: Document) -> None:
        if id(document) not in self._numbers:
            self._numbers[id(document)] = len(self._documents)
            self._documents.append(document)

    def _know_file(self, file: SourceFile) -> None:
        if id(file) not in self._numbers:
            self._numbers[id(file)] = len(self._files)
            self._files.append(file)

    def told(self, found: Any) -> bytes:
        """Raises CannotBeTold."""
        out = io.BytesIO()
        _Teller(out, self).dump(found)
        return out.getvalue()

    def heard(self, told: bytes) -> Any:
        """Raises CannotBeTold. Only for what a copy of this very process says."""
        return _Listener(io.BytesIO(told), self).load()

    def number(self, known: Document | SourceFile) -> int:
        number = self._numbers.get(id(known))
        if number is None:
            raise CannotBeTold
        return number

    def file(self, number: int) -> SourceFile:
        return self._files[number]

    def document(self, number: int) -> Document:
        return self._documents[number]


class _Teller(pickle.Pickler):
    def __init__(self, out: io.BytesIO, known: Tellers) -> None:
        super().__init__(out, pickle.HIGHEST_PROTOCOL)
        self._known = known

    def persistent_id(self, value: Any) -> Any:
        if isinstance(value, Node):
            document = self._known.number(value.document)
            return "node", document, tuple(_way(value)), _identity(value)
        if isinstance(value, SourceFile):
            return "file", self._known.number(value)
        if isinstance(value, Document):
            return "document", self._known.number(value)
        return None

    def reducer_override(self, value: Any) -> Any:
        if type(value) in _SENT or isinstance(value, _BY_NAME):
            return NotImplemented
        raise CannotBeTold


class _Listener(pickle.Unpickler):
    def __init__(self, told: io.BytesIO, known: Tellers) -> None:
        super().__init__(told)
        self._known = known

    def persistent_load(self, told: Any) -> Any:
        kind, number, *rest = told
        if kind == "node":
            return _found(self._known.document(number), *rest)
        return self._known.file(number) if kind == "file" else self._known.document(number)


def _way(node: Node) -> Iterator[str | int]:
    """Keys from the top."""
    if node.parent is not None:
        yield from _way(node.parent)
        yield node.key


def _identity(node: Node) -> tuple[int, int]:
    """What was there before the process was copied is in the copy at the same address."""
    return id(node.raw), id(node.key_raw)


def _found(document: Document, way: tuple[str | int, ...], identity: tuple[int, int]) -> Node:
    node = document.root
    for key in way:
        parent, node = node, node[key]
    if _identity(node) == identity:
        return node
    if way and isinstance(parent.raw, Mapping):  # a key that a later one overrides
        for key_raw, raw in parent.raw.value:
            found = Node(document, parent, node.key, raw, key_raw)
            if _identity(found) == identity:
                return found
    raise CannotBeTold
