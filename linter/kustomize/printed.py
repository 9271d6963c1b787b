"""From an object that a real Kustomize printed back to the files, by way of the one that was built in-process.

The two are matched by identity, their fields by key path: a field counts as
written where the field at the same place of the other one is. What only the
real one has, such as the objects of a remote base, counts as written at the
entry that brings it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..yaml.compose import Mapping
from ..yaml.lazy import lazy
from ..yaml.same import is_surely_twin, same, same_item
from ..yaml.source import Document, Node
from .build_origin import BuiltDocument, built_document
from .objects import Id, Object, gvk
from .trees import at, mapping, member, text


@dataclass(frozen=True, eq=False)
class PrintedDocument(BuiltDocument):
    """An object as it was printed; `made` is the same object as it was built in-process, which differs somewhere."""

    def origin(self, node: Node) -> Node:
        return self._twin(node).origin

    def agrees(self, node: Node) -> bool:
        twin = self._twin(node)
        if node.raw is None or twin.raw is None:
            return node.raw is twin.raw and is_surely_twin(node, twin)
        return same(node.raw, twin.raw) and is_surely_twin(node, twin)

    def source(self, node: Node) -> Node:
        twin = self._twin(node)
        return twin.document.source(twin) if isinstance(twin.document, BuiltDocument) else twin

    def history(self, node: Node) -> Iterator[Node]:
        return super().history(self._twin(node))

    @lazy
    def _built(self) -> Node:
        return built_document(self.made).root

    def _twin(self, node: Node) -> Node:
        """The place at the same key path of the object that was built in-process."""
        if node.parent is None:
            return self._built
        above = self._twin(node.parent)
        key = node.key
        return above[same_item(key, node.parent, above) if isinstance(key, int) else key]


@dataclass(frozen=True, eq=False)
class FetchedDocument(Document):
    """An object that only the real Kustomize knows; all of it counts as written at one entry."""

    entry: Node

    is_built: ClassVar[bool] = True

    def origin(self, node: Node) -> Node:
        return self.entry

    def agrees(self, node: Node) -> bool:
        return False


# -- objects


def matched(printed: Iterable[Mapping], objects: Iterable[Object], entry: Node) -> Iterator[Object | Document]:
    """For each printed object the in-process one if they are equal, else a document that leads back to it.

    `entry` is where an object comes from that was not built in-process.
    """
    known: dict[Id, list[Object]] = defaultdict(list)
    for one in objects:
        known[one.id].append(one)
    for raw in printed:
        twins = known.get(_id(raw))
        if not twins:
            yield FetchedDocument(entry.file, entry.document.index, raw, entry)
            continue
        made = twins.pop(0)
        if same(raw, made.root):
            yield made
        else:
            # It keeps the mark of the text that it was made from: by that the builds of one text are known.
            root = mapping(raw.value, made.root)
            yield PrintedDocument(made.document.file, made.document.index, root, made)


def _id(raw: Mapping) -> Id:
    kind = gvk(text(member(raw, "apiVersion")), text(member(raw, "kind")))
    return Id(kind, text(at(raw, "metadata", "name")), text(at(raw, "metadata", "namespace")))
