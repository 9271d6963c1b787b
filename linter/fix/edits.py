"""JSON Patch → the smallest text edit, on the text of one document.

A patch with several operations is worked off one by one, on text that is read
anew each time. Nothing here proves that the result is right: `judge` does.
ruamel's round trip rewrites lines that nobody asked about, so text is edited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..yaml.json_pointer import steps
from . import block_edits, flow_edits, fragment
from .judge import patched, same
from .pieces import MERGE, Collection, Entry, Piece, Refused
from .text_layout import Layout, TextEdit

Operation = dict[str, Any]
Batch = Sequence[TextEdit]
"""Edits of one text; those of the next batch are of what becomes of it."""


def rewrite(text: str, value: Any, operations: Sequence[Operation]) -> str:
    """The text of a document after the patch; `value` is what it says now."""
    return rewritten(text, value, operations)[0]


def rewritten(text: str, value: Any, operations: Sequence[Operation]) -> tuple[str, list[Batch]]:
    """The text after the patch, and the edits that led to it."""
    batches: list[Batch] = []
    before = text
    for operation in operations:
        for step in _smaller(operation, value):
            for batch in _batches(text, step):
                batches.append(batch)
                text = apply_edits(text, batch)
        value = patched(value, [operation])
    ending = _same_ending(before, text)
    if ending:
        batches.append(ending)
    return apply_edits(text, ending), batches


def _same_ending(before: str, after: str) -> list[TextEdit]:
    """Whether the last line has a line break is not for a fix to change."""
    if before.endswith("\n") == after.endswith("\n"):
        return []
    if after.endswith("\n"):
        return [TextEdit(len(after.removesuffix("\n").removesuffix("\r")), len(after), "")]
    return [TextEdit(len(after), len(after), "\r\n" if before.endswith("\r\n") else "\n")]


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """Edits at one place keep their order."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join(parts) + text[at:]


# -- one operation


def _batches(text: str, operation: Operation) -> Iterator[Batch]:
    layout = Layout(text)
    if operation["op"] == "move":
        yield _rename(layout, steps(operation["from"]), steps(operation["path"]))
        return
    target = _Target.find(layout, steps(operation["path"]))
    if operation["op"] == "remove":
        # Of equal keys all must go: an earlier one would take the place of the last.
        for _ in range(max(target.times_written, 1)):
            target = _Target.find(layout, steps(operation["path"]))
            batch = target.remove()
            yield batch
            layout = Layout(apply_edits(layout.text, batch))
        return
    if operation["op"] not in ("add", "replace"):
        raise Refused(f"the operation {operation['op']!r} is not supported")
    yield target.put(operation["value"], replaces=operation["op"] == "replace")


def _rename(layout: Layout, old: list[str], new: list[str]) -> list[TextEdit]:
    """A key gets another name; nothing else is moved."""
    target = _Target.find(layout, old)
    key = target.entry.key if target.entry else None
    if key is None or old[:-1] != new[:-1] or target.times_written != 1 or key.is_alias:
        raise Refused("only a key that is written once can be renamed")
    if target.parent.find(new[-1]):
        raise Refused(f"there is {new[-1]!r} already")
    return [TextEdit(key.body, key.end, fragment.inline(new[-1], quote=key.quote))]


class _Target(NamedTuple):
    """The place that an operation names: a collection and something that is or will be in it."""

    layout: Layout
    above: tuple[Collection, ...]
    """The collections around it, the document's first."""
    holders: tuple[Entry, ...]
    """The entries that lead from one to the next."""
    last: str

    @classmethod
    def find(cls, layout: Layout, path: list[str]) -> _Target:
        if not path:
            raise Refused("the whole document would be replaced")
        piece = layout.root
        above: list[Collection] = []
        holders: list[Entry] = []
        for part in path[:-1]:
            entry = _entry(_collection(piece), part)
            if entry is None:
                raise Refused(_missing(_collection(piece), part))
            above.append(_collection(piece))
            holders.append(entry)
            piece = entry.value
        return cls(layout, (*above, _collection(piece)), tuple(holders), path[-1])

    @property
    def parent(self) -> Collection:
        return self.above[-1]

    @property
    def entry(self) -> Entry | None:
        return _entry(self.parent, self.last)

    @property
    def times_written(self) -> int:
        if not self.parent.is_mapping:
            return 1
        return sum(1 for entry in self.parent.entries if entry.key and entry.key.name == self.last)

    def put(self, value: Any, *, replaces: bool) -> list[TextEdit]:
        parent, entry = self.parent, self.entry
        if entry and (replaces or parent.is_mapping):
            if parent.is_flow:
                return flow_edits.replace(self.layout, parent, entry, value)
            return block_edits.replace(self.layout, self.above, entry, value)
        # A key that a merge brings is replaced by one of the mapping's own, which counts before it.
        if replaces and not parent.find(MERGE):
            raise Refused(_missing(parent, self.last))
        index = len(parent.entries) if parent.is_mapping or self.last == "-" else int(self.last)
        key = self.last if parent.is_mapping else None
        if parent.is_flow:
            return flow_edits.add(self.layout, parent, index, key, value)
        return block_edits.add(self.layout, self.above, index, key, value)

    def remove(self) -> list[TextEdit]:
        parent, entry = self.parent, self.entry
        if entry is None:
            raise Refused(_missing(parent, self.last))
        if parent.is_flow:
            return flow_edits.remove(self.layout, parent, entry)
        if len(parent.entries) > 1:
            return block_edits.remove(self.layout, parent, entry)
        # An empty mapping may mean something (`automated: {}`), no value at all may not.
        empty: dict[str, Any] | list[Any] = {} if parent.is_mapping else []
        if not self.holders:
            return block_edits.empty_document(self.layout, empty)
        return block_edits.replace(self.layout, self.above[:-1], self.holders[-1], empty)


def _collection(piece: Piece) -> Collection:
    if not isinstance(piece, Collection):
        raise Refused("the place is an alias of another one" if piece.is_alias else "there is no mapping or list")
    return piece


def _entry(parent: Collection, part: str) -> Entry | None:
    if parent.is_mapping:
        entry = parent.find(part)
        if entry and entry.is_explicit:
            raise Refused("the key is written with a question mark")
        return entry
    if part == "-":
        return None
    if not part.isdecimal():
        raise Refused(f"{part!r} is no index of a list")
    return parent.entries[int(part)] if int(part) < len(parent.entries) else None


def _missing(parent: Collection, part: str) -> str:
    return f"{part!r} comes from a merge key" if parent.find(MERGE) else f"there is no {part!r}"


# -- a smaller patch with the same effect


def _smaller(operation: Operation, value: Any) -> Iterator[Operation]:
    """Where a value is replaced by one like it, only the difference."""
    from jsonpointer import resolve_pointer

    if operation["op"] == "replace":
        old = resolve_pointer(value, operation["path"], None)
        yield from _difference(operation["path"], old, operation["value"])
    else:
        yield operation


def _difference(path: str, old: Any, new: Any) -> Iterator[Operation]:
    if same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() & new.keys():
        escaped = {key: f"{path}/{key.replace('~', '~0').replace('/', '~1')}" for key in (*old, *new)}
        yield from ({"op": "remove", "path": escaped[key]} for key in old if key not in new)
        for key, item in new.items():
            if key not in old:
                yield {"op": "add", "path": escaped[key], "value": item}
            else:
                yield from _difference(escaped[key], old[key], item)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        yield from _list_difference(path, old, new)
    else:
        yield {"op": "replace", "path": path, "value": new}


def _list_difference(path: str, old: list[Any], new: list[Any]) -> Iterator[Operation]:
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if not same(old[i], new[i])), shorter)
    tail = next((i for i in range(shorter - head) if not same(old[-1 - i], new[-1 - i])), shorter - head)
    both = shorter - head - tail
    for i in range(head, head + both):
        yield from _difference(f"{path}/{i}", old[i], new[i])
    yield from ({"op": "remove", "path": f"{path}/{i}"} for i in reversed(range(head + both, len(old) - tail)))
    for i in range(head + both, len(new) - tail):
        yield {"op": "add", "path": f"{path}/{i}", "value": new[i]}
