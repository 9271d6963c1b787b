"""The values that a render had, layer over layer, and where each of them is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from .. import compose
from ..compose import PLAIN, RawScalar
from ..kustomize.embedded import EmbeddedDocument, documents_in, place_all
from ..kustomize.errors import BuildError
from ..scalars import NULLS
from ..source import Document, Node

_STEP: Final = re.compile(r"((?:\\.|[^.\[\]\\])+)|\[(\d+)\]")
_GLOBAL: Final = "global"


class Layer(NamedTuple):
    """One file of values, or what an Application says inline."""

    root: Node
    chart: tuple[str, ...] = ()
    """Whose values these are: nothing for the chart itself, the names of the charts on the way to a subchart."""


class Parameter(NamedTuple):
    """One value by its name, as with ``--set``."""

    path: tuple[str, ...]
    at: Node


def inline(node: Node) -> Node:
    """The values that an Application has inline: a mapping as it is, of a text the mapping within.

    What cannot be read as a mapping comes back as it is.
    """
    if not isinstance(node.raw, RawScalar):
        return node
    if node.document.is_built and node.document.agrees(node):
        node = node.origin
    try:
        documents = _printed_in(node) if node.document.is_built else documents_in(node)
    except BuildError:
        return node
    found = [document.root for document in documents if document.root.is_mapping]
    return found[0] if len(found) == 1 else node


def _printed_in(node: Node) -> list[Document]:
    """Of a text that a build made: all of it is where the text comes from."""
    origin = node.origin
    roots = compose.documents(node.scalar_text)[0]
    for root in roots:
        if origin.raw is not None:
            place_all(root, origin.raw)
    return [EmbeddedDocument(origin.document.file, index, root, origin) for index, root in enumerate(roots)]


def parameter(name: str, at: Node) -> Parameter:
    r"""``a.b\.c[0]`` is the first item of ``b.c`` in ``a``."""
    return Parameter(
        tuple(found[2] or re.sub(r"\\(.)", r"\1", found[1]) for found in _STEP.finditer(name)),
        at,
    )


@dataclass(frozen=True)
class Layers:
    """What a request came to, the lowest layer first, and the parameters, that stand above all of them."""

    layers: Sequence[Layer]
    parameters: Sequence[Parameter] = ()

    def lookup(self, path: Sequence[str], chart: Sequence[str] = ()) -> Node | None:
        """Where ``.Values`` with this path is decided, for the templates of a chart; None if nothing has it."""
        for absolute in _absolute(path, chart):
            found = self._decided(absolute)
            if found is not None:
                return found
        return None

    def _decided(self, path: tuple[str, ...]) -> Node | None:
        for given in reversed(self.parameters):
            if given.path == path:
                return given.at
            if path[: len(given.path)] == given.path:
                return None  # a scalar stands where more would have to be
        for layer in reversed(self.layers):
            depth = len(layer.chart)
            if path[:depth] != layer.chart:
                continue
            node = layer.root
            for key in path[depth:]:
                node = node[int(key)] if node.is_sequence and key.isdecimal() else node[key]
                if node.absent or not (node.is_mapping or node.is_sequence):
                    break
            if node.present:
                is_whole = node.parent is None or _steps(node, layer.root) == len(path) - depth
                return node if is_whole and not _is_null(node) else None
            if node.parent is not None and node.parent.is_sequence:
                return None  # a list takes the place of the list below it
        return None


def _absolute(path: Sequence[str], chart: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The paths in the values of the chart itself; what is global counts from the top down."""
    if list(path[:1]) == [_GLOBAL]:
        for depth in range(len(chart)):
            yield (*chart[:depth], *path)
    yield (*chart, *path)


def _steps(node: Node, root: Node) -> int:
    steps = 0
    while node.raw is not root.raw and node.parent is not None:
        node, steps = node.parent, steps + 1
    return steps


def _is_null(node: Node) -> bool:
    """A null takes away what lower layers have."""
    return isinstance(node.raw, RawScalar) and node.raw.tag == PLAIN and node.raw.value in NULLS
