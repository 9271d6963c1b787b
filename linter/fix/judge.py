"""Whether an edited text says what the patch meant, and nothing else.

Two parsers read the new text: ours, and one that shares no code with it. Both
must find the old value with the patch applied. Every comment must be there,
in its order, and nothing outside the patched collection may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Final

from ..yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar
from ..yaml.json_pointer import unescaped
from ..yaml.scalars import as_key
from ..yaml.source import Document, Node, SourceFile, Span
from ..yaml.values import scalar_value
from .pieces import MERGE, Refused
from .text_difference import changed_span

MOST_NODES: Final = 200_000
"""After aliases are followed: a judge that unfolds them must not be made to unfold a bomb."""


def demand_same_meaning(old: Document, new: Document, operations: Sequence[dict[str, Any]]) -> None:
    """Refuse an edit that is not exactly the patch. Both are the only document of their text."""
    after = new.file.text
    expected = patched(old.root.value, operations)
    if not same(new.root.value, expected):
        raise Refused("the edited text would mean something else than the patch")
    if not same(second_reading(after), expected):
        raise Refused("a second parser reads the edited text otherwise")
    if [c.text.rstrip() for c in old.file.comments] != [c.text.rstrip() for c in new.file.comments]:
        raise Refused("a comment would be lost")
    if not _stays_inside(old, after, operations):
        raise Refused("the edit would change lines that the patch does not touch")


def patched(value: Any, operations: Sequence[dict[str, Any]]) -> Any:
    from jsonpatch import JsonPatchException, apply_patch
    from jsonpointer import JsonPointerException

    try:
        # Older releases put an operation's own value into the result, where a later operation would change it.
        return apply_patch(value, [deepcopy(operation) for operation in operations])
    except (JsonPatchException, JsonPointerException) as error:
        raise Refused(f"the patch does not fit: {error}") from error


def same(one: Any, other: Any) -> bool:
    """Equal as JSON, where 1, 1.0 and true are three things."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def only_document(text: str) -> Document:
    file = SourceFile("", text)
    if file.problems or len(file.documents) != 1:
        raise Refused("the text is not one document that parses")
    document = file.documents[0]
    if "*" in text and _unfolded(document.raw, {}) > MOST_NODES:
        raise Refused("the document grows too much through its aliases")
    return document


def _unfolded(raw: Raw, known: dict[int, int]) -> int:
    if isinstance(raw, RawScalar):
        return 1
    if id(raw) not in known:
        inside = (part for pair in raw.value for part in pair) if isinstance(raw, Mapping) else raw.value
        known[id(raw)] = 1 + sum(_unfolded(part, known) for part in inside)
    return known[id(raw)]


def _stays_inside(old: Document, after: str, operations: Sequence[dict[str, Any]]) -> bool:
    text = old.file.text
    if text == after:
        return True
    changed = changed_span(text, after)
    around = [_collection_around(old.root, operation["path"]) for operation in operations]
    start = text.rfind("\n", 0, min(span.start for span in around)) + 1
    end = text.find("\n", max(span.end for span in around))
    return start <= changed.start and (end < 0 or changed.end <= end + 1)


def _collection_around(root: Node, pointer: str) -> Span:
    """The collection that holds the place, with the key that names it."""
    node = root
    for part in pointer.split("/")[1:-1]:
        name = unescaped(part)
        below = node[int(name)] if node.is_sequence and name.isdecimal() else node[name]
        if below.absent:
            break
        node = below
    named = node
    while named.parent and named.key_raw is None:  # a dash has no place of its own
        named = named.parent
    start = named.key_span.start if named.parent else 0
    return Span(start, max(start, node.raw.end_mark.index if node.raw else start))


# -- the second parser


def second_reading(text: str) -> Any:
    """The value of a text, by Python's json where it is JSON, else by ruamel.yaml's events.

    Only the events: what a plain scalar means is Kubernetes' table, not ruamel's.
    """
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            pass
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return _Reader(YAML(typ="safe", pure=True).parse(text)).document()
    except YAMLError as error:
        raise Refused(f"a second parser cannot read the edited text: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return re.sub(r"\s+", " ", str(getattr(error, "problem", None) or error))[:120]


class _Reader:
    """Events → a value. Independent of `compose` on purpose."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, Any] = {}

    def document(self) -> Any:
        kinds = [self._next_kind()[0], self._next_kind()[0]]
        value = self._value(*self._next_kind())
        kinds += [self._next_kind()[0], self._next_kind()[0]]
        if kinds != ["StreamStart", "DocumentStart", "DocumentEnd", "StreamEnd"]:
            raise Refused("a second parser finds more than one document")
        return value

    def _next_kind(self) -> tuple[str, Any]:
        event = next(self._events)
        return type(event).__name__.removesuffix("Event"), event

    def _value(self, kind: str, event: Any) -> Any:
        if kind == "Alias":
            if event.anchor not in self._anchors:
                raise Refused(f"a second parser finds no anchor {event.anchor!r}")
            return self._anchors[event.anchor]
        value: Any
        if kind == "Scalar":
            value = _scalar(event)
        elif kind == "MappingStart":
            value = self._mapping()
        elif kind == "SequenceStart":
            value = self._sequence()
        else:
            raise Refused("a second parser finds no value")
        if event.anchor:
            self._anchors[event.anchor] = value
        return value

    def _sequence(self) -> list[Any]:
        items: list[Any] = []
        while (found := self._next_kind())[0] != "SequenceEnd":
            items.append(self._value(*found))
        return items

    def _mapping(self) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        while (found := self._next_kind())[0] != "MappingEnd":
            key = self._value(*found)
            value = self._value(*self._next_kind())
            if found[0] == "Scalar" and found[1].value == MERGE and found[1].implicit[0]:
                # Of several maps the first one that has the key wins.
                for source in reversed(value if isinstance(value, list) else [value]):
                    merged |= source if isinstance(source, dict) else {}
            else:
                own["" if isinstance(key, dict | list) else key if isinstance(key, str) else as_key(key)] = value
        return {**merged, **own}


def _scalar(event: Any) -> str | int | float | bool | None:
    tag = event.tag or (PLAIN if event.implicit[0] else TEXT)
    return scalar_value(RawScalar(tag, event.value))
