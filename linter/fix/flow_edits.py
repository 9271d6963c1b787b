"""Text edits in flow style: brackets and commas, and JSON."""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Any

from . import fragment
from .pieces import Collection, Entry, Refused
from .text_layout import Layout, TextEdit


def add(layout: Layout, parent: Collection, index: int, key: str | None, value: Any) -> list[TextEdit]:
    _demand_brackets(layout, parent)
    if not parent.entries:
        return _add_first(layout, parent, key, value)
    last = parent.entries[-1]
    margin = layout.margin(last.start) if _has_own_line(layout, parent, last) else None
    text = _entry_text(layout, parent, key, value, margin)
    gap = " " if margin is None else layout.line_break(last.end) + margin
    if layout.is_json and margin is None and _is_compact(layout):
        gap = ""
    if index < len(parent.entries):
        start = parent.entries[index].start
        return [TextEdit(start, start, f"{text},{gap}")]
    comma = _comma_after(layout, last, parent)
    at = last.end if comma is None else comma + 1
    # An empty value must not touch the comma: older readers take "a:," for a word.
    touching = " " if comma is None and layout.text[at - 1] == ":" else ""
    before, after = ("", ",") if comma is not None else (touching + ",", "")
    end = layout.line_end(at)
    if margin is None or end >= parent.end:
        return [TextEdit(at, at, before + gap + text + after)]
    return [TextEdit(at, at, before), TextEdit(end, end, gap + text + after)]


def replace(layout: Layout, parent: Collection, entry: Entry, value: Any) -> list[TextEdit]:
    old = entry.value
    margin = layout.margin(entry.start) if _has_own_line(layout, parent, entry) else None
    text = _value_text(layout, parent, value, margin, old.quote)
    if not old.is_empty:
        return [TextEdit(old.body, old.end, text)]
    if entry.has_colon or entry.key is None:
        at = old.end if old.inner > old.start else entry.head
        return [TextEdit(at, at, " " + text)]
    return [TextEdit(entry.key.end, entry.key.end, ": " + text)]


def remove(layout: Layout, parent: Collection, entry: Entry) -> list[TextEdit]:
    """The entry and one comma. Comments stay where they are, or as lines of their own."""
    _demand_brackets(layout, parent)
    index = parent.entries.index(entry)
    comma = _comma_after(layout, entry, parent)
    end = entry.end if comma is None else comma + 1
    if len(parent.entries) == 1:
        if not layout.comments_in(parent.body, parent.end):
            return [TextEdit(parent.body + 1, parent.end - 1, "")]
        return [TextEdit(entry.start, end, "")]
    is_last = index == len(parent.entries) - 1
    following = parent.end - 1 if is_last else parent.entries[index + 1].start
    if _has_own_line(layout, parent, entry) and following > layout.line_end(end):
        # JSON and older readers want no comma before the bracket.
        needless = _comma_after(layout, parent.entries[index - 1], parent) if is_last and comma is None else None
        commas = [] if needless is None else [TextEdit(needless, needless + 1, "")]
        return [*commas, _without_lines(layout, entry, end)]
    if is_last:
        return [_without_tail(layout, parent.entries[index - 1], entry)]
    gap = layout.line_break(entry.start) + layout.margin(entry.start)
    comments = layout.comments_in(entry.start, following)
    return [TextEdit(entry.start, following, "".join(comment.text + gap for comment in comments))]


def _without_lines(layout: Layout, entry: Entry, end: int) -> TextEdit:
    stop = layout.line_end(end)
    kept = [layout.margin(entry.start) + comment.text for comment in layout.comments_in(entry.start, stop)]
    start, after = layout.line_start(entry.start), layout.next_line(stop)
    return TextEdit(start, after, "".join(line + layout.line_break(start) for line in kept))


def _without_tail(layout: Layout, previous: Entry, entry: Entry) -> TextEdit:
    if layout.comments_in(previous.end, entry.end):
        raise Refused("a comment stands between the entry and the one before it")
    return TextEdit(previous.end, entry.end, "")


# -- where things stand


def _demand_brackets(layout: Layout, parent: Collection) -> None:
    if layout.text[parent.body] not in "{[":
        raise Refused("the mapping has no brackets")


def _comma_after(layout: Layout, entry: Entry, parent: Collection) -> int | None:
    at = bisect_left(layout.commas, entry.end)
    if at == len(layout.commas) or layout.commas[at] >= parent.end:
        return None
    following = [other.start for other in parent.entries if other.start > entry.start]
    return layout.commas[at] if not following or layout.commas[at] < following[0] else None


def _has_own_line(layout: Layout, parent: Collection, entry: Entry) -> bool:
    return layout.begins_line(entry.start) and layout.line_start(entry.start) > parent.body


# -- what is written


def _add_first(layout: Layout, parent: Collection, key: str | None, value: Any) -> list[TextEdit]:
    unit = _json_unit(layout)
    if unit is None:
        text = _entry_text(layout, parent, key, value, None)
        return [TextEdit(parent.body + 1, parent.body + 1, text)]
    margin = layout.margin(parent.body)
    text = _entry_text(layout, parent, key, value, margin + unit)
    end = layout.line_break(parent.body)
    lines = end + margin + unit + text + end + margin
    return [TextEdit(parent.body + 1, parent.end - 1, lines)]


def _entry_text(layout: Layout, parent: Collection, key: str | None, value: Any, margin: str | None) -> str:
    if key is None:
        return _value_text(layout, parent, value, margin, parent.common_quote)
    text = _value_text(layout, parent, value, margin, "")
    if _is_json_like(layout, parent):
        return json.dumps(key, ensure_ascii=False) + (":" if _is_compact(layout) else ": ") + text
    return f"{fragment.scalar(key, flow=True)}: {text}"


def _value_text(layout: Layout, parent: Collection, value: Any, margin: str | None, quote: str) -> str:
    if not _is_json_like(layout, parent):
        return fragment.flow(value, quote=quote)
    unit = _json_unit(layout) if margin is not None else None
    end = layout.line_break(parent.body)
    return fragment.as_json(value, indent=unit, margin=margin or "", line_break=end, compact=_is_compact(layout))


def _is_json_like(layout: Layout, parent: Collection) -> bool:
    if layout.is_json:
        return True
    return bool(parent.entries) and all(entry.key and entry.key.style == '"' for entry in parent.entries)


def _is_compact(layout: Layout) -> bool:
    return layout.is_json and bool(layout.colons) and not layout.text[layout.colons[0] + 1].isspace()


def _json_unit(layout: Layout) -> str | None:
    """One step of a JSON document's indentation; None when it stands on one line."""
    root = layout.root
    if not (layout.is_json and isinstance(root, Collection) and root.entries):
        return None
    first = root.entries[0]
    return layout.margin(first.start) if _has_own_line(layout, root, first) else None
