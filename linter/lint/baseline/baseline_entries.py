"""Text → Baseline, every entry with its place in the text.

`schemas/baseline.schema.json` describes the file. It is read by hand all the
same: a validator would take longer for ten thousand entries than the lint, and
could not say on which line an entry stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final

from ...facts.regexes import regex
from ...yaml.source import SourceFile, Span, Spot

VERSION: Final = 1
"""Of the form. Grows when an older gitops-lint would read a file wrongly."""
FINDINGS: Final = "findings"
_BLANK: Final = regex(r"[ \t\n\r]*")
_CONFLICT: Final = regex(r"^(?:<{7}|={7}|>{7})", re.MULTILINE)
_FINGERPRINT: Final = regex(r"[0-9a-f]{32}")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, order=True)
class Entry:
    """One finding that is known; `count` of them if nothing tells several apart."""

    path: str
    code: str
    rule: str
    object: str
    """As git has it: group/Kind/namespace/name; empty when the finding is about no object."""
    pointer: str
    message: str
    fingerprint: str
    count: int = 1


KEYS: Final = tuple(one.name for one in fields(Entry))


class BaselineError(Exception):
    """The baseline cannot be used; the run ends before it begins."""

    def __init__(self, path: str, line: int | None, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")


@dataclass(frozen=True)
class Baseline:
    file: SourceFile
    entries: tuple[Entry, ...] = ()
    spans: tuple[Span, ...] = field(default=(), repr=False)
    """Where each entry stands."""

    def at(self, index: int) -> Spot:
        return Spot(self.file, self.spans[index], f"/{FINDINGS}/{index}")


def parse(file: SourceFile) -> Baseline:
    """Raises BaselineError, with the line, for what is no baseline or one of a newer gitops-lint."""
    reader = _Reader(file)
    try:
        members = dict(reader.members())
    except json.JSONDecodeError as error:
        raise reader.error(error.pos, _not_json(file.text, error)) from None
    except (ValueError, RecursionError) as error:  # a number of a million digits; brackets in brackets
        raise reader.error(0, f"is not a baseline: {error}") from None
    if "version" not in members:
        raise reader.error(0, "is not a baseline: it has no 'version'")
    version = members["version"]
    if type(version) is not int or version < 1:
        raise reader.error(reader.places["version"], f"'version' is {VERSION}, not {_shown(version)}")
    if version > VERSION:
        newer = f"is of version {version}, and this gitops-lint knows version {VERSION}; a newer one can read it"
        raise reader.error(reader.places["version"], newer)
    if FINDINGS not in members:
        raise reader.error(0, f"is not a baseline: it has no {FINDINGS!r}")
    for name in members:
        if name not in ("version", FINDINGS):
            raise reader.error(reader.places[name], f"unknown key {_shown(name)}")
    spans = tuple(reader.spans)
    entries = tuple(_entry(reader, value, span) for value, span in zip(members[FINDINGS], spans, strict=True))
    return Baseline(file, entries, spans)


def _not_json(text: str, error: json.JSONDecodeError) -> str:
    if _CONFLICT.search(text):
        return "git's marks of a merge conflict are in it; keep the entries of both sides"
    return f"is not JSON: {error.msg}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


class _Reader:
    """The outermost object, member by member, and its findings one by one: JSON's own reader keeps no places."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.text = file.text
        self.spans: list[Span] = []
        self.places: dict[str, int] = {}
        self._at = 0

    def error(self, at: int, message: str) -> BaselineError:
        return BaselineError(self.file.path, self.file.position(min(at, len(self.text))).line, message)

    def members(self) -> Iterator[tuple[str, Any]]:
        self._expect("{")
        if not self._took("}"):
            while True:
                name = self._name()
                yield name, list(self._items()) if name == FINDINGS else self._value()
                if not self._took(","):
                    break
            self._expect("}")
        if self._blank() != len(self.text):
            raise json.JSONDecodeError("something stands after the end", self.text, self._at)

    def _name(self) -> str:
        at = self._blank()
        name = self._value()
        if not isinstance(name, str) or name in self.places:
            raise json.JSONDecodeError("a key is expected, each once", self.text, at)
        self.places[name] = at
        self._expect(":")
        return name

    def _items(self) -> Iterator[Any]:
        self._expect("[")
        if self._took("]"):
            return
        while True:
            start = self._blank()
            yield self._value()
            self.spans.append(Span(start, self._at))
            if not self._took(","):
                break
        self._expect("]")

    def _value(self) -> Any:
        value, self._at = _DECODER.raw_decode(self.text, self._blank())
        return value

    def _blank(self) -> int:
        found = _BLANK.match(self.text, self._at)
        self._at = found.end() if found else self._at
        return self._at

    def _took(self, character: str) -> bool:
        if not self.text.startswith(character, self._blank()):
            return False
        self._at += 1
        return True

    def _expect(self, character: str) -> None:
        if not self._took(character):
            raise json.JSONDecodeError(f"{character!r} is expected", self.text, self._at)


def _entry(reader: _Reader, value: Any, span: Span) -> Entry:
    if not isinstance(value, dict):
        raise reader.error(span.start, f"an entry is an object, not {_shown(value)}")
    for name in value:
        if name not in KEYS:
            raise reader.error(span.start, f"unknown key {_shown(name)} in an entry")
    for name in KEYS[:-1]:
        if not isinstance(value.get(name), str):
            problem = f"must be a text, not {_shown(value[name])}" if name in value else "is missing"
            raise reader.error(span.start, f"{name!r} of an entry {problem}")
    if not _FINGERPRINT.fullmatch(value["fingerprint"]):
        raise reader.error(span.start, "'fingerprint' of an entry is 32 hexadecimal digits")
    count = value.get("count", 1)
    if type(count) is not int or count < 1:
        raise reader.error(span.start, f"'count' of an entry is a number from 1 on, not {_shown(count)}")
    return Entry(**value)
