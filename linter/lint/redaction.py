"""Lines of a file as a report may show them: every secret value with stars in its place, character for character.

The one place that decides it for all formats. Columns stay what they are, since a
star takes the place of every character; the length of a value is all that is left of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ..kubernetes.masked_fields import is_below_secret, is_secret, name_in_list, name_of
from ..kubernetes.secrets_in_text import decoded
from ..yaml.source import Node, SourceFile, Span
from .result import Reported
from .rule import Fix

_SHORTEST: Final = 4
"""A shorter value is in every sentence."""
_SEALED: Final = "SealedSecret"
_GENERATOR: Final = "secretGenerator"
_HELD: Final = ("data", "stringData")
_SETTING: Final = re.compile(
    r"""^[ \t]*(?:- +)?["']?(?P<key>[\w./-]+)["']?[ \t]*[:=][ \t]*(?P<value>\S.*)$""", re.MULTILINE
)
_SECRET: Final = re.compile(r"""\bkind["']?\s*:\s*["']?(?:Sealed)?Secret\b""")
_SAFE_KEYS: Final = frozenset(("kind", "apiVersion", "name", "namespace", "type"))


def shown(file: SourceFile, start: int, end: int) -> str:
    """The text between two offsets."""
    text = file.text[start:end]
    spans = _hidden(file, start, end)
    for first, last in spans:
        first, last = max(first - start, 0), min(last - start, len(text))
        text = text[:first] + re.sub(r"\S", "*", text[first:last]) + text[last:]
    return text


def shown_line(file: SourceFile, number: int) -> str:
    span = file.line_span(number)
    return shown(file, span.start, span.end)


def shown_whole(file: SourceFile) -> str:
    return shown(file, 0, len(file.text))


def without_values(item: Reported) -> Reported:
    """A finding whose words quote nothing of what its Secret holds."""
    resource = item.resource
    if resource is None or resource.kind not in ("Secret", _SEALED):
        return item
    holder = resource.node if resource.kind == "Secret" else resource["spec"]["template"]
    held = [value.scalar_text for field in _HELD for _, value in holder[field].items()]
    words = {word for text in held for word in (text, decoded(text) or "") if len(word) >= _SHORTEST}
    if not words:
        return item
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))
    finding = item.finding
    related = tuple(note._replace(message=pattern.sub("***", note.message)) for note in finding.related)
    return replace(item, finding=replace(finding.reworded(lambda text: pattern.sub("***", text)), related=related))


def shows_secret(fix: Fix) -> bool:
    """Whether the edits of a fix would have to say what a Secret holds."""
    holds = fix.patch.document.root["kind"].text in ("Secret", _SEALED)
    paths = (str(operation.get("path", "")) for operation in fix.patch.operations)
    return holds and any(part in _HELD for path in paths for part in path.split("/"))


def _hidden(file: SourceFile, start: int, end: int) -> list[Span]:
    spans = [span for document in file.documents for span in _spans(document.root, "", False, Span(start, end))]
    if file.problems or file.is_template:  # there is no telling what the parser has not seen
        spans += _in_lines(file, start, end)
    return sorted(set(spans))


def _spans(node: Node, name: str, hidden: bool, window: Span) -> Iterator[Span]:
    raw = node.raw
    if raw is None or raw.end_mark.index < window.start or raw.start_mark.index > window.end:
        return
    if node.is_mapping:
        kind = {"kind": node["kind"].text}
        for key, child in node.items():
            known_by = name_of({"name": node["name"].text}, key)
            below = hidden or is_below_secret(kind, key) or (key == "literals" and name == _GENERATOR)
            yield from _spans(child, key if key == _GENERATOR else known_by, below, window)
        for field in _HELD if kind["kind"] == _SEALED else ():
            yield from _spans(node["spec"]["template"][field], field, True, window)
    elif node.is_sequence:
        items = [item.scalar_text for item in node]
        for at, item in enumerate(node):
            yield from _spans(item, name_in_list(items, at, name), hidden, window)
    elif hidden or is_secret(name, node.scalar_text):
        yield Span(raw.start_mark.index, raw.end_mark.index)


def _in_lines(file: SourceFile, start: int, end: int) -> Iterator[Span]:
    of_secret = _SECRET.search(file.text) is not None
    for found in _SETTING.finditer(file.text, file.text.rfind("\n", 0, start) + 1, end):
        if (of_secret and found["key"] not in _SAFE_KEYS) or is_secret(found["key"], found["value"]):
            yield Span(*found.span("value"))
