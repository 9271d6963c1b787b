"""Text edits in block style: one entry a line, depth by indentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

from . import fragment
from .fragment import Habits
from .pieces import Collection, Entry, Piece, Refused
from .text_layout import Layout, TextEdit


def add(layout: Layout, above: Sequence[Collection], index: int, key: str | None, value: Any) -> list[TextEdit]:
    """`above` are the collections around the place, the one that gets the entry last."""
    parent = above[-1]
    column = layout.column(parent.entries[0].start)
    habits = _habits(layout, above)
    if key is None:
        lines = fragment.item(value, habits, quote=parent.common_quote)
    else:
        lines = fragment.member(key, value, habits)
    index = min(index, len(parent.entries) - _is_open_ended(layout, parent))
    if index:
        # Behind the entry before it: comments above the next one belong to that.
        end = layout.line_end(parent.entries[index - 1].end)
        return [TextEdit(end, end, _joined(layout, end, ["", *fragment.indented(lines, column)]))]
    start = parent.entries[0].start
    return [
        TextEdit(start, start, _joined(layout, start, [lines[0], *fragment.indented(lines[1:], column), " " * column]))
    ]


def remove(layout: Layout, parent: Collection, entry: Entry) -> list[TextEdit]:
    """An entry that has siblings. Comments inside it and behind it stay, as lines of their own."""
    column = layout.column(entry.start)
    if layout.begins_line(entry.start):
        stop = layout.line_end(entry.end)
        comments = [" " * column + comment.text for comment in layout.comments_in(entry.start, stop)]
        start, after = layout.line_start(entry.start), layout.next_line(stop)
        return [TextEdit(start, after, "".join(line + layout.line_break(start) for line in comments))]
    # The first entry after a dash: the next one moves up.
    following = [other.start for other in parent.entries if other.start > entry.start]
    if not following:
        raise Refused("lines are ended by something else than line feeds")
    after = following[0]
    comments = [comment.text for comment in layout.comments_in(entry.start, after)]
    text = "".join(line + layout.line_break(entry.start) + " " * column for line in comments)
    return [TextEdit(entry.start, after, text)]


def empty_document(layout: Layout, value: dict[str, Any] | list[Any]) -> list[TextEdit]:
    """Put an empty collection in place of everything the document has."""
    root = layout.root
    return [_rebuilt(layout, root, root.inner, [fragment.flow(value)], [])]


def replace(layout: Layout, above: Sequence[Collection], entry: Entry, value: Any) -> list[TextEdit]:
    """Put another value into an entry of the last collection of `above`."""
    old = entry.value
    text = "" if isinstance(value, dict | list) and value else fragment.inline(value, quote=old.quote)
    lines = fragment.literal(value) if isinstance(value, str) and _has_room_for_lines(layout, old) else None
    is_inline = not old.is_block_scalar and not (isinstance(old, Collection) and not old.is_flow)
    if text and is_inline and not lines:
        return [TextEdit(old.body, old.end, " " * old.is_empty + text)]
    habits = _habits(layout, above)
    depth = habits.width if entry.key is None else habits.dash if isinstance(value, list) else habits.step
    head = old.inner if old.inner > old.start else entry.head
    if text or lines:
        first, *rest = lines or [text]
        below = fragment.indented(rest, layout.column(entry.start) + depth)
        return [_rebuilt(layout, old, head, [" " + first], below)]
    block = fragment.block(value, habits)
    below = fragment.indented(block, layout.column(entry.start) + depth)
    if entry.key is None and head == entry.head and not layout.comments_in(head, layout.line_end(old.end)):
        return [_rebuilt(layout, old, head, [" " * (depth - 1) + block[0]], below[1:])]
    return [_rebuilt(layout, old, head, [""], below)]


def _rebuilt(layout: Layout, old: Piece, head: int, first: list[str], below: list[str]) -> TextEdit:
    """All from the colon or dash to the end of the old value, anew; its comments stay, before the new lines."""
    stop = layout.line_end(old.end)
    comments = []
    for comment in layout.comments_in(head, stop):
        if comment.span.start < layout.line_end(head):
            first = [*first, _gap_before(layout, comment.span.start), comment.text]
        else:
            column = layout.column(old.body if comment.trailing else comment.span.start)
            comments.append(" " * column + comment.text)
    return TextEdit(head, stop, _joined(layout, head, ["".join(first), *comments, *below]))


def _gap_before(layout: Layout, at: int) -> str:
    return layout.text[len(layout.text[:at].rstrip(" \t")) : at]


def _joined(layout: Layout, at: int, lines: list[str]) -> str:
    return layout.line_break(at).join(lines)


def _is_open_ended(layout: Layout, piece: Piece) -> bool:
    """Whether it ends in a block scalar that the end of the file ends: a line break would become part of that."""
    while isinstance(piece, Collection) and piece.entries:
        piece = piece.entries[-1].value
    return piece.is_block_scalar and "\n" not in layout.text[piece.end :]


def _has_room_for_lines(layout: Layout, old: Piece) -> bool:
    """A quoted text stays quoted; at the very end of a file the last line break would be missing."""
    return not old.quote and "\n" in layout.text[old.end :]


# -- what the file does elsewhere


def _habits(layout: Layout, above: Sequence[Collection]) -> Habits:
    near = reversed(list(pairwise(above)))
    step = dash = None
    for outer, inner in chain(near, _nested(layout.root)):
        if outer.is_flow or inner.is_flow or not outer.is_mapping:
            continue
        depth = layout.column(inner.body) - layout.column(outer.body)
        if inner.is_mapping and step is None and depth > 0:
            step = depth
        elif not inner.is_mapping and dash is None and depth >= 0:
            dash = depth
        if step is not None and dash is not None:
            break
    return Habits(2 if step is None else step, 2 if dash is None else dash, _dash_width(layout, above[-1]))


def _nested(piece: Piece) -> Iterator[tuple[Collection, Collection]]:
    if isinstance(piece, Collection):
        for entry in piece.entries:
            if isinstance(entry.value, Collection):
                yield piece, entry.value
                yield from _nested(entry.value)


def _dash_width(layout: Layout, parent: Collection) -> int:
    if parent.is_mapping:
        return 2
    last = parent.entries[-1]
    on_same_line = not last.value.is_empty and layout.line_start(last.value.start) == layout.line_start(last.start)
    return last.value.start - last.start if on_same_line else 2
