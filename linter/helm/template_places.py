"""A line of a template → the node that stands on it, or a place that is only that stretch of the line."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from yaml import Mark

from ..yaml.compose import PLAIN, Mapping, Raw, RawScalar
from ..yaml.source import Document, Node, SourceFile, Span
from ..yaml.values import key_text
from .matching_templates import fit
from .template_file import TemplateFile


@dataclass(frozen=True, eq=False)
class Stretch(Document):
    """A part of a line as a document: a place to point at, that no patch can change."""


_lines_of: WeakKeyDictionary[SourceFile, dict[int, list[Node]]] = WeakKeyDictionary()


def nodes_by_line(file: SourceFile) -> dict[int, list[Node]]:
    """Line → the members that have their key there, repeated ones too, and the items that begin there."""
    known = _lines_of.get(file)
    if known is None:
        known = defaultdict(list)
        for document in file.documents:
            for node in _all(document.root):
                raw = node.key_raw if node.key_raw is not None else node.raw
                if raw is not None:
                    known[file.position(raw.start_mark.index).line].append(node)
        _lines_of[file] = known
    return known


def _all(root: Node) -> list[Node]:
    """Every node, those that an equal key overrides included; shared ones once."""
    found, seen, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        found.append(node)
        if node.raw is None or id(node.raw) in seen:
            continue
        seen.add(id(node.raw))
        if isinstance(node.raw, Mapping):
            stack += [
                Node(node.document, node, key_text(key), value, key)
                for key, value in reversed(node.raw.value)
                if isinstance(key, RawScalar)
            ]
        elif not isinstance(node.raw, RawScalar):
            stack += [Node(node.document, node, index, value, None) for index, value in enumerate(node.raw.value)]
    return found


def place_on(file: SourceFile, line: int, node: Node) -> Node:
    """Where on a line a rendered node was written."""
    return _node_on(file, line, node) or stretch(file, _span_on(file, line, node), node)


def _node_on(file: SourceFile, line: int, node: Node) -> Node | None:
    found = [one for one in nodes_by_line(file).get(line, []) if one.key == node.key or _are_items(one, node)]
    found = [one for one in found if _same_holder(one, node)]
    if len(found) > 1 and node.raw is not None:
        raw = node.raw
        found.sort(key=lambda one: fit(raw, one.raw) if one.raw is not None else -1, reverse=True)
    return found[0] if found else None


def _are_items(one: Node, other: Node) -> bool:
    return isinstance(one.key, int) and isinstance(other.key, int) and other.parent is not None


def _same_holder(one: Node, node: Node) -> bool:
    """Whether what holds both has the same name; in a named template nobody knows what holds it."""
    if one.parent is None or node.parent is None or one.parent.parent is None or node.parent.parent is None:
        return node.parent is not None or one.parent is None
    if isinstance(one.parent.key, int) or isinstance(node.parent.key, int):
        return type(one.parent.key) is type(node.parent.key)
    return one.parent.key == node.parent.key


def _span_on(file: SourceFile, line: int, node: Node) -> Span:
    """The key and its value; else the action that printed it; else all of the line."""
    start, end = file.line_span(line)
    text = file.text[start:end]
    if isinstance(node.key, str):
        key = re.search(rf"(?:^|[\s{{,\"'-])({re.escape(node.key)})[\"']?\s*:(?:\s|$)", text)
        if key and not (isinstance(file, TemplateFile) and file.action_at(start + key.start(1))):
            value = text[key.end() :]
            if isinstance(node.raw, RawScalar) and value.strip():
                begin = start + key.end() + len(value) - len(value.lstrip())
                return Span(begin, start + len(text.rstrip()))
            return Span(start + key.start(1), start + key.end(1))
    if isinstance(file, TemplateFile):
        printing = [one for one in file.actions_in(start, end) if not one.is_silent]
        if printing:
            return Span(max(printing[0].span.start, start), min(printing[-1].span.end, end))
    return Span(start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


def nearest(node: Node) -> Node:
    """The node, or the nearest one above it that is there."""
    while node.raw is None and node.parent is not None:
        node = node.parent
    return node


def stretch(file: SourceFile, span: Span, node: Node) -> Node:
    """A node at the key path of a rendered one that stands at a stretch of a file."""
    position = file.position(span.start)
    begin = Mark(file.path, span.start, position.line - 1, position.column - 1, None, 0)
    stop = Mark(file.path, span.end, position.line - 1, position.column - 1 + span.end - span.start, None, 0)
    value = node.raw.value if isinstance(node.raw, RawScalar) else ""
    tag = node.raw.tag if isinstance(node.raw, RawScalar) else PLAIN
    raw = RawScalar(tag, value, begin, stop)
    document = Stretch(file, 0, raw)
    return _along(document, node, raw)


def _along(document: Document, node: Node, raw: Raw) -> Node:
    above = _along(document, node.parent, raw) if node.parent is not None else None
    return Node(document, above, node.key, raw, None)
