"""Masked text that is not YAML yet → text in which as many documents as can be are.

Branches of an ``if`` may not go together, and an action may print half a
line. What stands in the way is put over with blanks, and counts as a hole:
first the branches after an ``else``, then line by line what the parser
stumbles over. A document that cannot be saved so is given up, alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml import compose
from ..yaml.compose import Raw
from .actions import Action, actions
from .masked_templates import UNKNOWN, Hole, mask, matching_ends

_BORDER: Final = regex(r"^---(?=\s|$)", re.MULTILINE)
MAX_ATTEMPTS: Final = 12
MAX_REPAIRED: Final = 200_000
"""Longer documents are not repaired: each attempt reads all of it."""


class Readable(NamedTuple):
    """A template as YAML: text of the same length, what may be printed where, and what was given up."""

    text: str
    holes: tuple[Hole, ...]
    given_up: tuple[tuple[int, int], ...] = ()
    roots: Sequence[Raw] | None = None
    """What was read of it, where nothing had to be repaired."""


def readable(text: str) -> Readable:
    masked = mask(text)
    roots, errors = compose.documents(masked.text, any_key=True)
    if not errors:
        return Readable(masked.text, masked.holes, roots=roots)
    parts: list[str] = []
    holes = list(masked.holes)
    given_up = []
    found = actions(text)
    for start, end in _segments(masked.text):
        part = masked.text[start:end]
        if _fault(part) is not None:
            repaired = _repaired(part, _branches(found, start, end))
            if repaired is None:
                given_up.append((start, end))
                part = _blank(part, _body(part), len(part))
            else:
                part, more = repaired
                holes += (Hole(start + one, start + other) for one, other in more)
        parts.append(part)
    joined = "".join(parts)
    if given_up and compose.documents(joined, any_key=True)[1]:
        # It is the documents together that cannot be read.
        return Readable(_blank(joined, 0, len(joined)), tuple(sorted(holes)), ((0, len(text)),))
    return Readable(joined, tuple(sorted(holes)), tuple(given_up))


def _segments(text: str) -> Iterator[tuple[int, int]]:
    starts = [0, *(border.start() for border in _BORDER.finditer(text) if border.start())]
    yield from zip(starts, [*starts[1:], len(text)], strict=True)


def _body(part: str) -> int:
    return 3 if _BORDER.match(part) else 0


def _fault(part: str) -> int | None:
    """Where a document cannot be read; None if it can."""
    errors = compose.documents(part, any_key=True)[1]
    return errors[0].offset if errors else None


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\r\n]", " ", text[start:end]) + text[end:]


# -- one document


def _repaired(part: str, branches: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]] | None:
    if len(part) > MAX_REPAIRED:
        return None
    first = _line_by_line(part)
    if first is not None and len(first[1]) == 1:
        return first
    text = part
    for start, end in branches:
        text = _blank(text, start, end)
    if text == part:
        return first
    second = _line_by_line(text)
    if second is None or (first is not None and len(first[1]) <= len(second[1])):
        return first
    return second[0], [*second[1], *branches]


def _line_by_line(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """Without the lines that the parser stumbles over."""
    dropped: list[tuple[int, int]] = []
    for _ in range(MAX_ATTEMPTS):
        at = _fault(text)
        if at is None:
            return text, dropped
        span = _culprit(text, at)
        if span is None:
            return None
        dropped.append(span)
        text = _blank(text, *span)
    return None


def _culprit(text: str, at: int) -> tuple[int, int] | None:
    """The line to do without: of the one at fault and the one before it, rather one with an action."""
    here = _line(text, at)
    before = _line(text, max(len(text[: here[0]].rstrip()) - 1, 0))
    candidates = [span for span in (here, before) if text[slice(*span)].strip() and span[0] >= _body(text)]
    unknown = [span for span in candidates if UNKNOWN in text[slice(*span)]]
    return next(iter(unknown or candidates), None)


def _line(text: str, at: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    return start, len(text) if end < 0 else end


def _branches(found: Sequence[Action], start: int, end: int) -> list[tuple[int, int]]:
    """From the first ``else`` of each ``if`` to its ``end``, the outermost ones, counted from `start`."""
    spans = []
    ends = matching_ends(found)
    first_else: dict[int, int] = {}
    open_actions: list[int] = []
    for index, action in enumerate(found):
        if index in ends:
            open_actions.append(index)
        elif open_actions and index == ends[open_actions[-1]]:
            opener = open_actions.pop()
            if opener in first_else:
                spans.append((found[first_else[opener]].span.end, action.span.start))
        elif action.word == "else" and open_actions:
            first_else.setdefault(open_actions[-1], index)
    outermost: list[tuple[int, int]] = []
    for one, other in sorted(spans):
        if start <= one and other <= end and (not outermost or one >= outermost[-1][1]):
            outermost.append((one - start, other - start))
    return outermost
