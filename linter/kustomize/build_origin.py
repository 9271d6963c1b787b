"""From a built object back to the files: where each of its fields was written, and what was done since.

What a build copies keeps the marks of what it was copied from, so a place in
the output is looked up by its start mark among the documents that took part:
the object's own first, then those of the patches and kustomizations that
changed it. Nothing is looked up until somebody asks, which is when there is a
finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..yaml.compose import Mapping, Raw
from ..yaml.lazy import lazy
from ..yaml.source import Document, Node
from .objects import Object, Step
from .trees import Rewritten


@dataclass(frozen=True, eq=False)
class BuiltDocument(Document):
    """An object as a build made it."""

    made: Object

    is_built: ClassVar[bool] = True

    def origin(self, node: Node) -> Node:
        return self.source(node).origin

    def agrees(self, node: Node) -> bool:
        """What was rendered before it was built has to follow from its template, too."""
        source = self.source(node)
        return source.document.agrees(source)

    def source(self, node: Node) -> Node:
        """The place that went into the build: in a file, or in what Helm made of a template."""
        if node.raw is not None:
            found = self.find(node.raw)
            if found is not None:
                return found
        if node.parent is None:
            return self.made.document.root
        above = self.source(node.parent)
        # A field that nobody wrote belongs where its parent is written, or would be, if that is a mapping there, too.
        if node.raw is None and isinstance(node.key, str) and (above.raw is None or isinstance(above.raw, Mapping)):
            return above[node.key]
        return above

    def find(self, raw: Raw) -> Node | None:
        """The place that a part of the tree was taken from; None for what nobody wrote."""
        key = id(raw.start_mark)
        for document in self.sources:
            found = document.by_mark.get(key)
            if found is not None:
                return found
        return None

    def history(self, node: Node) -> Iterator[Node]:
        """What stood at a place before the value that it has now, the latest first."""
        raw = node.raw
        while isinstance(raw, Rewritten):
            raw = raw.before
            found = self.find(raw)
            if found is not None:
                yield found

    def story(self, node: Node) -> Iterator[tuple[Node, str]]:
        here = self.origin(node)
        for earlier in self.history(node):
            if (earlier.file.path, earlier.span) != (here.file.path, here.span):
                yield earlier, f"it takes the place of {earlier.scalar_text!r} here"
        source = self.source(node)
        yield from source.document.story(source)

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.made.steps

    @lazy
    def sources(self) -> list[Document]:
        documents = [self.made.document]
        for step in self.made.steps:
            documents += (step.at.document, *step.sources)
        return list({id(document): document for document in documents}.values())


def built_document(made: Object) -> Document:
    """The document of an object; the file's own, if the build did nothing to it."""
    if made.root is made.document.raw and not made.steps:
        return made.document
    return BuiltDocument(made.document.file, made.document.index, made.root, made)
