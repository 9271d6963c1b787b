"""Lines of a file as a report may show them: every secret value with stars in its place, character for character.

The one place that decides it for all formats. Columns stay what they are, since a
star takes the place of every character; the length of a value is all that is left of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final
from weakref import WeakKeyDictionary

from ..dialects.secrets_in_text import decoded
from ..facts.regexes import regex
from ..kubernetes.masked_fields import is_below_secret, is_secret, name_in_list, name_of
from ..yaml.source import Node, SourceFile, Span
from .result import Reported
from .rule import Finding, Fix

_SHORTEST: Final = 4
"""A shorter value is in every sentence."""
_SEALED: Final = "SealedSecret"
_GENERATOR: Final = "secretGenerator"
_HELD: Final = ("data", "stringData")
_SETTING: Final = regex(r"""^[ \t]*(?:- +)?["']?(?P<key>[\w./-]+)["']?[ \t]*[:=][ \t]*(?P<value>\S.*)$""", re.MULTILINE)
_SECRET: Final = regex(r"""\bkind["']?\s*:\s*["']?(?:Sealed)?Secret\b""")
_CHARACTER: Final = regex(r"\S")
_FOUND: Final[WeakKeyDictionary[SourceFile, list[Span]]] = WeakKeyDictionary()
_SAFE_KEYS: Final = frozenset(("kind", "apiVersion", "name", "namespace", "type"))


def shown(file: SourceFile, start: int, end: int) -> str:
    """The text between two offsets."""
    spans = _hidden(file)
    parts, at = [], start
    for number in range(bisect_right(spans, start, key=lambda span: span.end), len(spans)):
        first, last = max(spans[number].start, start), min(spans[number].end, end)
        if first >= end:
            break
        parts += [file.text[at:first], _CHARACTER.sub("*", file.text[first:last])]
        at = last
    return "".join((*parts, file.text[at:end]))


def shown_line(file: SourceFile, number: int) -> str:
    span = file.line_span(number)
    return shown(file, span.start, span.end)


def shown_whole(file: SourceFile) -> str:
    return shown(file, 0, len(file.text))


def without_values(item: Reported, starred: Callable[[str], str] = str) -> Reported:
    """A finding whose words quote nothing of what its Secret holds, and no credential of the repository."""
    return _reworded(_without_own(item), starred)


def _reworded(item: Reported, change: Callable[[str], str]) -> Reported:
    finding = item.finding
    said = _said(finding)
    if change(said) == said:
        return item
    related = tuple(note._replace(message=change(note.message)) for note in finding.related)
    return replace(item, finding=replace(finding.reworded(change), related=related))


def _said(finding: Finding) -> str:
    notes = (note.message for note in finding.related)
    return "\0".join((finding.message, finding.headline, finding.happens, finding.do, *notes))


def _without_own(item: Reported) -> Reported:
    resource = item.resource
    if resource is None or resource.kind not in ("Secret", _SEALED):
        return item
    holder = resource.node if resource.kind == "Secret" else resource["spec"]["template"]
    held = [value.scalar_text for field in _HELD for _, value in holder[field].items()]
    words = {word for text in held for word in (text, decoded(text) or "") if len(word) >= _SHORTEST}
    # What is also its name, or that of a field, is told by every line about it.
    named = (resource.name, *(key for field in _HELD for key, _ in holder[field].items()))
    words = {word for word in words if not any(word in str(name) for name in named)}
    said = _said(item.finding)
    if not any(word in said for word in words):
        return item
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))
    return _reworded(item, lambda text: pattern.sub("***", text))


def shows_secret(fix: Fix) -> bool:
    """Whether the edits of a fix would have to say what a Secret holds."""
    holds = fix.patch.document.root["kind"].text in ("Secret", _SEALED)
    paths = (str(operation.get("path", "")) for operation in fix.patch.operations)
    return holds and any(part in _HELD for path in paths for part in path.split("/"))


def _hidden(file: SourceFile) -> list[Span]:
    """All secret values of a file, in order and apart. Found once: a report may show every line of it."""
    spans = _FOUND.get(file)
    if spans is None:
        seen: set[tuple[int, str, bool]] = set()
        found = [span for document in file.documents for span in _spans(document.root, "", False, seen)]
        if file.problems or file.is_template:  # there is no telling what the parser has not seen
            found += _in_lines(file)
        spans = _FOUND[file] = list(_apart(sorted(found)))
    return spans


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Those that overlap made one."""
    last: Span | None = None
    for span in spans:
        if last is None or span.start > last.end:
            if last is not None:
                yield last
            last = span
        else:
            last = Span(last.start, max(last.end, span.end))
    if last is not None:
        yield last


def _spans(node: Node, name: str, hidden: bool, seen: set[tuple[int, str, bool]]) -> Iterator[Span]:
    """What is below a node; what many aliases lead to is looked at once."""
    raw = node.raw
    if raw is None or (id(raw), name, hidden) in seen:
        return
    seen.add((id(raw), name, hidden))
    if node.is_mapping:
        kind, named = {"kind": node["kind"].text}, {"name": node["name"].text}
        # Of equal keys the last one counts, and the others hold secrets, too.
        for key, child in (*node.items(), *((str(one.key), one) for one in node.duplicates)):
            below = hidden or is_below_secret(kind, key) or (key == "literals" and name == _GENERATOR)
            yield from _spans(child, key if key == _GENERATOR else name_of(named, key), below, seen)
        for field in _HELD if kind["kind"] == _SEALED else ():
            yield from _spans(node["spec"]["template"][field], field, True, seen)
    elif node.is_sequence:
        items = [item.scalar_text for item in node]
        for at, item in enumerate(node):
            yield from _spans(item, name_in_list(items, at, name), hidden, seen)
    elif hidden or is_secret(name, node.scalar_text):
        yield Span(raw.start_mark.index, raw.end_mark.index)


def _in_lines(file: SourceFile) -> Iterator[Span]:
    of_secret = _SECRET.search(file.text) is not None
    for found in _SETTING.finditer(file.text):
        if (of_secret and found["key"] not in _SAFE_KEYS) or is_secret(found["key"], found["value"]):
            yield Span(*found.span("value"))
