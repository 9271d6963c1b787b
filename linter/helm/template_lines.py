"""Lines of a template: what stands around an action, and under which keys it comes to stand."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.source import Span
from .template_documents import around
from .template_file import TemplateFile

_KEY: Final = regex(r"(?P<indent> *)(?P<dash>- +)?(?P<key>\"[^\"]*\"|'[^']*'|[^\s:#{}\"']+) *:(?: |$)")
_BLOCK: Final = regex(r"(?P<indent> *)(?P<dash>- +)?\S.*: *[|>][-+0-9]*\s*$")
"""A text of several lines begins below; an action may print the key."""
_ACTION: Final = regex(r"\{\{.*?\}\}")
_FARTHEST: Final = 400


class Placed(NamedTuple):
    """An action on its line."""

    before: str
    after: str
    key: str
    """The key whose whole value it is, or is a part of; empty if there is none."""
    is_whole: bool
    """Nothing but the action is the value."""
    above: tuple[str, ...]
    """The keys that it stands under, the nearest first."""


def placed(file: TemplateFile, span: Span) -> Placed:
    number = file.position(span.start).line
    line = file.line_span(number)
    before, after = file.text[line.start : span.start], file.text[min(span.end, line.end) : line.end]
    match = _KEY.match(before)
    key = match["key"].strip("\"'") if match else ""
    rest = before[match.end() :] if match else before
    behind = re.sub(r"(?:^|\s)#.*", "", after)
    is_whole = match is not None and not rest.strip() and not behind.strip() and span.end <= line.end
    if match is not None and _is_in_text(file, number, len(match["indent"])):
        return Placed(before, after, key, False, ())
    return Placed(before, after, key, is_whole, _above(file, number, match) if match else ())


def _is_in_text(file: TemplateFile, number: int, indent: int) -> bool:
    """Whether the line belongs to a text of several lines, in which nothing is a key."""
    for line in range(number - 1, max(number - _FARTHEST, 0), -1):
        text = file.line_text(line)
        own = len(text) - len(text.lstrip(" "))
        if not _ACTION.sub("", text).strip() or own >= indent:
            continue
        if _BLOCK.match(text):
            return True
        indent = own
    return False


def _above(file: TemplateFile, number: int, match: re.Match[str]) -> tuple[str, ...]:
    """By the indent alone, as people read it; lines with nothing but actions have none."""
    found: list[str] = []
    limit = len(match["indent"]) + len(match["dash"] or "")
    # The first key of an item stands on the line of its dash, and the item's list is indented less or as much.
    least = len(match["indent"])
    if match["dash"]:
        limit = least
    for line in range(number - 1, max(number - _FARTHEST, 0), -1):
        text = file.line_text(line)
        if text.startswith("---"):
            break
        above = _KEY.match(text)
        if above is None or not _ACTION.sub("", text).strip() or text.lstrip().startswith("#"):
            continue
        own = len(above["indent"]) + len(above["dash"] or "")
        is_list = match["dash"] is not None and not found and own == least and not above["dash"]
        if own < limit or is_list:
            found.append(above["key"].strip("\"'"))
            limit = len(above["indent"]) if above["dash"] else own
            if above["dash"]:
                match, least = above, len(above["indent"])
                continue
        if limit == 0:
            break
    return tuple(found)


def wants_text(file: TemplateFile, span: Span, where: Placed) -> str:
    """What the value is where Kubernetes takes only texts; empty elsewhere."""
    above = where.above
    if above[:2] in (("annotations", "metadata"), ("labels", "metadata")):
        return f"the {above[0][:-1]} {where.key!r}"
    if above[:1] == ("matchLabels",):
        return f"the label {where.key!r} of a selector"
    if where.key == "value" and "env" in above[:2]:
        return "the value of an environment variable"
    kinds = around(file, span.start).kinds
    if above == ("data",) and kinds == ("ConfigMap",):
        return f"{where.key!r} of a ConfigMap"
    if above == ("stringData",) and kinds == ("Secret",):
        return f"{where.key!r} of a Secret"
    return ""
