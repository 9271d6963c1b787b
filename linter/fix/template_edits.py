"""Edits of a template: made on its masked text, carried over to what is written, and judged once more.

Both texts have every place at the same offset, so an edit of one is an edit
of the other. It is refused where it would touch an action, where the template
would be read otherwise afterwards, and where an action decides what is in the
collection that it changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..helm.actions import Kind, actions
from ..helm.masked_templates import UNKNOWN
from ..helm.template_file import TemplateFile
from ..yaml.compose import Mapping, Raw
from ..yaml.compose import Sequence as RawSequence
from ..yaml.json_pointer import steps
from ..yaml.source import Document, Node, Span
from ..yaml.values import key_text
from .edits import Batch, Operation, apply_edits
from .pieces import Refused


def transplanted(
    document: Document, span: Span, written: str, batches: Sequence[Batch], masked: str, operations: Sequence[Operation]
) -> str:
    """What is written after the edits, that led from the masked text to `masked`; raises Refused."""
    file = document.file
    now = TemplateFile(file.path, file.text[: span.start] + written + file.text[span.end :])
    if len(now.documents) != len(file.documents):
        raise Refused("the documents of the template would be others")
    for operation in operations:
        _demand_room(now, now.documents[document.index].root, operation)
    after = written
    for batch in batches:
        after = apply_edits(after, batch)
    if after.count(UNKNOWN) != written.count(UNKNOWN):
        raise Refused("a comment with an action in it would be moved")
    if _texts(after) != _texts(written):
        raise Refused("an action would be lost")
    whole = TemplateFile(file.path, file.text[: span.start] + after + file.text[span.end :])
    if whole.masked[span.start : span.start + len(after)] != masked:
        raise Refused("the template would be read otherwise")
    return after


def _texts(text: str) -> list[str]:
    return [text[action.span.start : action.span.end] for action in actions(text)]


def _demand_room(file: TemplateFile, root: Node, operation: Operation) -> None:
    """Refuse where actions decide what is in the collection that changes, or which of two equal keys counts."""
    parent, last = _parent(root, steps(operation["path"]))
    changed = parent[int(last)] if parent.is_sequence and last.isdecimal() else parent[last]
    if changed.present and not (file.literal(changed) if _is_scalar(changed) else not _has_actions(file, changed)):
        raise Refused("an action has a part in what would be changed")
    if operation["op"] == "remove" and _has_actions(file, parent) and not _stays_filled(file, parent, changed):
        raise Refused("whether anything would be left depends on an action")
    if operation["op"] == "add" and changed.absent and (_is_decided(file, parent) or file.may_go_on(parent)):
        raise Refused("an action decides what is in the collection")


def _parent(root: Node, path: Sequence[str]) -> tuple[Node, str]:
    node = root
    for part in path[:-1]:
        _demand_once(node, part)
        node = node[int(part)] if node.is_sequence and part.isdecimal() else node[part]
    _demand_once(node, path[-1] if path else "")
    return node, path[-1] if path else ""


def _demand_once(node: Node, name: str) -> None:
    if isinstance(node.raw, Mapping) and sum(key_text(key) == name for key, _ in node.raw.value) > 1:
        raise Refused(f"{name!r} is written in several branches of the template")


def _is_scalar(node: Node) -> bool:
    return not (node.is_mapping or node.is_sequence)


def _has_actions(file: TemplateFile, node: Node) -> bool:
    """Whether an action has a part in a collection, or may print more of it behind it."""
    start, end = _extent(file, node)
    return file.is_acted_on(start, end) or bool(file.holes_in(end, file.next_token(end)))


def _stays_filled(file: TemplateFile, parent: Node, removed: Node) -> bool:
    """Whether another entry is printed for sure: without one a block collection would become null."""
    others = [raw for raw in _entries(parent) if raw is not (removed.key_raw or removed.raw)]
    start, _ = _extent(file, parent)
    for raw in others:
        before = file.actions_in(start, raw.start_mark.index)
        if sum(action.opens for action in before) == sum(action.closes for action in before):
            return True
    return False


def _entries(node: Node) -> list[Raw]:
    """The keys of a mapping, the items of a list."""
    if isinstance(node.raw, Mapping):
        return [key for key, _ in node.raw.value]
    return list(node.raw.value) if isinstance(node.raw, RawSequence) else []


def _is_decided(file: TemplateFile, node: Node) -> bool:
    """Whether the template decides about the entries of a collection."""
    start, end = _extent(file, node)
    if node.raw is not None and getattr(node.raw, "flow_style", False):
        return file.is_acted_on(start, end)  # it may print nothing, and leave a comma behind
    return any(action.kind is Kind.CONTROL for action in file.actions_in(start, end)) or bool(file.holes_in(start, end))


def _extent(file: TemplateFile, node: Node) -> Span:
    raw = node.raw
    if raw is None:
        raise Refused("there is no mapping or list")
    start = node.key_raw.end_mark.index if node.key_raw is not None else raw.start_mark.index
    return Span(start, file.content_end(raw))
