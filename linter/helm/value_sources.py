"""From a rendered value to the line in a file of values, or in an Application, that decides it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Final

from ..yaml.compose import RawScalar
from ..yaml.same import same
from ..yaml.source import Node
from .printed_documents import RenderedDocument
from .template_file import TemplateFile
from .value_layers import Layers
from .values_used import ANY, Path, scope_at, values_used

MAX_ROUNDS: Final = 1000


def source_of_value(document: RenderedDocument, node: Node, layers: Layers, chart: Sequence[str] = ()) -> Node | None:
    """Where the value of a rendered node is decided; None if it is not one value, or nobody knows which.

    `chart` are the names of the charts on the way to the subchart that the template belongs to.
    """
    if node.raw is None:
        return None
    origin = document.origin(node)
    file = origin.document.file
    if not isinstance(file, TemplateFile):
        return None
    start, end = file.line_span(file.position(origin.span.start).line)
    found: dict[int, Node] = {}
    for action in file.actions_in(start, end):
        if action.is_silent:
            continue
        for path in values_used(action.body, scope_at(file, action.span.start)):
            place = _source(node, path, layers, chart)
            if place is not None:
                found[id(place.raw)] = place
    return next(iter(found.values())) if len(found) == 1 else None


def is_literal(origin: Node) -> bool:
    """Whether nothing on the lines of a place prints anything but what stands there."""
    file = origin.document.file
    if not isinstance(file, TemplateFile):
        return True
    start, end = file.line_span(file.position(origin.span.start).line)
    return all(action.is_silent for action in file.actions_in(start, max(end, origin.span.end)))


def _source(node: Node, path: Path, layers: Layers, chart: Sequence[str]) -> Node | None:
    keys = [str(step) for step in _keys(node)]
    for tail in [keys[index:] for index in range(len(keys) + 1)]:
        fitting = [place for place in _places((*path, *tail), layers, chart) if _is_printed(node, place)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            return None
    return None


def _keys(node: Node) -> list[str | int]:
    keys: list[str | int] = []
    while node.parent is not None:
        keys.append(node.key)
        node = node.parent
    return keys[::-1]


def _places(path: Path, layers: Layers, chart: Sequence[str]) -> Iterator[Node]:
    """The places that a path leads to: one, or where it goes through a ``range`` one for each round."""
    if ANY not in path:
        place = layers.lookup(path, chart)
        if place is not None:
            yield place
        return
    at = path.index(ANY)
    above = layers.lookup(path[:at], chart) if at else None
    if above is None:
        return
    names = [name for name, _ in above.items()] or [str(index) for index, _ in enumerate(above)]
    for name in names[:MAX_ROUNDS]:
        yield from _places((*path[:at], name, *path[at + 1 :]), layers, chart)


def _is_printed(node: Node, place: Node) -> bool:
    """Whether a value came out as it is written, or as a part of what came out."""
    assert node.raw is not None
    if place.raw is None:
        return False
    if isinstance(node.raw, RawScalar) and isinstance(place.raw, RawScalar):
        written, printed = place.raw.value, node.raw.value
        return printed in (written, _encoded(written)) or (bool(written) and written in printed)
    return same(node.raw, place.raw)


def _encoded(text: str) -> str:
    """As values of Secrets are."""
    return b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
