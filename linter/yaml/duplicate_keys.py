"""Mappings that have one key twice. Every parser of Kubernetes' takes them; they do not agree on which one counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .compose import Mapping, Raw, RawScalar
from .source import Document, Node, SourceFile

LARGE: Final = 20_000
"""Characters: among documents that long are the CRDs, whose schemas no person writes."""


def repeated_keys(files: Iterable[SourceFile]) -> Iterator[Node]:
    """The keys that a later equal one overrides, each at its own place."""
    for file in files:
        for document in file.documents:
            yield from repeated_in(document)


def repeated_in(document: Document) -> Iterator[Node]:
    raw = _looked_into(document)
    if raw is not None and _may_repeat(raw):
        for mapping in document.root.walk():
            yield from mapping.duplicates


def _looked_into(document: Document) -> Raw | None:
    """Of a CRD only the head: schemas are larger than all the rest of a repository."""
    raw = document.raw
    if isinstance(raw, RawScalar):
        return None
    if raw.end_mark.index - raw.start_mark.index > LARGE and document.root["kind"].text == "CustomResourceDefinition":
        metadata = document.root["metadata"].raw
        return metadata if isinstance(metadata, Mapping) else None
    return raw


def _may_repeat(raw: Raw) -> bool:
    """A quick look at every mapping below, since next to no file repeats a key; a closer one follows."""
    if raw.__class__ is not Mapping:
        return any(value.__class__ is not RawScalar and _may_repeat(value) for value in raw.value)
    names = set()
    for key, value in raw.value:
        name = key.value
        if name.__class__ is not str:  # a mapping or a list is a key
            return True
        names.add(name)
        if value.__class__ is not RawScalar and _may_repeat(value):
            return True
    return len(names) < len(raw.value)


def may_repeat(text: str) -> bool:
    """Whether two lines of a YAML text begin with the same key: without that, no parser need look at it."""
    heads = [head for line in text.split("\n") if (head := line.partition(":")[0]) != line]
    return len(set(heads)) < len(heads)
