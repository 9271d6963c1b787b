"""Two texts → what differs, as spans, as edits, as a diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from ..yaml.source import Span
from .text_layout import TextEdit


def changed_span(before: str, after: str) -> Span:
    """The part of the old text that differs from the new one."""
    shorter = min(len(before), len(after))
    head = _common(before, after, shorter)
    tail = _common(before[::-1], after[::-1], shorter - head)
    return Span(head, len(before) - tail)


def _common(one: str, other: str, limit: int) -> int:
    """How many characters two texts have in common at the start."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def minimal_edits(before: str, after: str) -> Iterator[TextEdit]:
    """Whole lines where lines come or go, else the words that change."""
    old, new = _lines(before), _lines(after)
    offsets = [0]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    for tag, i, i2, j, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        edit = TextEdit(offsets[i], offsets[i2], "".join(new[j:j2]))
        if tag == "replace":
            yield _words(before, edit)
        elif tag != "equal":
            yield edit


def _words(before: str, edit: TextEdit) -> TextEdit:
    """Without what the old and the new text have in common, but no part of a word."""
    old, new = before[edit.start : edit.end], edit.text
    start, end = changed_span(old, new)
    first = new[start : start + 1] + old[start : start + 1]
    while start and not old[start - 1].isspace() and not first[:1].isspace():
        start -= 1
    while end < len(old) and not old[end].isspace():
        end += 1
    return TextEdit(edit.start + start, edit.start + end, new[start : len(new) - (len(old) - end)])


def unified_diff(path: str, before: str, after: str) -> str:
    """As git prints it."""
    name = path.replace("\n", "\\n")  # who prints it sees lines, and escapes what is in them
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Only line feeds end a line, as in editors."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
