"""Credentials that a repository holds, wherever they turn up again.

A template, a replacement or an error of Helm's may carry the password of a values file into an object that is
no Secret, under a name that says nothing. So what is surely a credential is known by its text, and whatever
is said has stars in its place: plain, in base64, or escaped as JSON and HTML do. What could as well be the
name of something is not: stars for it would take the names out of all messages.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Final
from weakref import WeakKeyDictionary

from ..dialects.secrets_in_text import LONG, sure_in
from ..kubernetes.masked_fields import is_below_secret
from ..yaml.compose import Mapping, Raw, RawScalar, Sequence
from ..yaml.source import SourceFile

_HOLDERS: Final = frozenset(
    ("Secret", "SealedSecret", "List", "Application", "ApplicationSet", "HelmRelease", "Kustomization")
)
"""Kinds of objects from which something is copied."""
_FOUND: Final[WeakKeyDictionary[SourceFile, frozenset[str]]] = WeakKeyDictionary()
_STEP: Final = LONG // 2
_PIECE: Final = LONG - _STEP + 1
"""A piece so long of a credential's head begins at one of the places that are a step apart, wherever the head is."""


class Credentials:
    def __init__(self, files: Iterable[SourceFile] = ()) -> None:
        self._files = files

    def are_in(self, text: str) -> bool:
        return self.starred(text) != text

    def starred(self, text: str) -> str:
        """Every credential in it with stars in its place, letter by letter; also one that was cut short."""
        parts: list[str] = []
        done = 0
        for at in self._suspects(text):
            words = self._by_head.get(text[at : at + LONG], ()) if at >= done else ()
            length = max((_length_at(text, at, word) for word in words), default=0)
            if length:
                parts += [text[done:at], "*" * length]
                done = at + length
        return "".join((*parts, text[done:])) if parts else text

    def _suspects(self, text: str) -> Iterator[int]:
        """Where a credential may begin. A report is long, and nearly never holds one: it is looked at by steps."""
        pieces = self._pieces
        if pieces:
            for at in range(0, len(text) - _PIECE + 1, _STEP):
                if text[at : at + _PIECE] in pieces:
                    yield from range(max(at - _STEP + 1, 0), at + 1)

    @cached_property
    def _pieces(self) -> frozenset[str]:
        return frozenset(head[at : at + _PIECE] for head in self._by_head for at in range(_STEP))

    @cached_property
    def _by_head(self) -> dict[str, list[str]]:
        """By their first letters, so that many cost no more time than few."""
        files = tuple(self._files)  # which may be looked for only now
        has_charts = any(file.path.endswith("Chart.yaml") for file in files)
        words = {word for file in _different(files) for word in _credentials_in(file, has_charts)}
        found: dict[str, list[str]] = {}
        for form in {form for word in words for form in _forms(word)}:
            found.setdefault(form[:LONG], []).append(form)
        return found


def _different(files: Iterable[SourceFile]) -> Iterable[SourceFile]:
    """One of those that say the same: files for many clusters are often copies."""
    return {(file.text, file.is_template): file for file in files}.values()


def _length_at(text: str, at: int, word: str) -> int:
    pairs = zip(word, text[at : at + len(word)], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _forms(word: str) -> set[str]:
    encoded = (base64.b64encode(one.encode("utf-8", "surrogateescape")).decode() for one in (word, f"{word}\n"))
    escaped = (json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1], html.escape(word))
    return {word, *(one.rstrip("=") for one in encoded), *escaped}


def _credentials_in(file: SourceFile, has_charts: bool) -> frozenset[str]:
    found = _FOUND.get(file)
    if found is None:
        found = _FOUND[file] = frozenset(_words(file, has_charts))
    return found


def _words(file: SourceFile, has_charts: bool) -> Iterator[str]:
    if file.is_template:
        return
    generates = "secretGenerator" in file.text  # asked once: a file may have a million documents
    # What has no kind is a file of values, or a kustomization, whose addresses are told.
    is_copied = has_charts or "://" in file.text
    for document in file.documents:
        kind = document.root["kind"].text
        if kind in _HOLDERS or generates or (is_copied and not kind):
            yield from _below(document.raw, "", False, set())


@lru_cache(maxsize=8192)
def _sure_in(name: str, text: str) -> tuple[str, ...]:
    """Remembered: files of values for many clusters say the same."""
    return tuple(sure_in(name, text))


def _below(raw: Raw, name: str, held: bool, seen: set[int]) -> Iterator[str]:
    if isinstance(raw, RawScalar):
        if len(raw.value) >= LONG:
            yield from _sure_in("password" if held else name, raw.value)
        return
    if id(raw) in seen:
        return
    seen.add(id(raw))
    if isinstance(raw, Mapping):
        scalars = {key.value: value.value for key, value in raw.value if isinstance(value, RawScalar)}
        for key, value in raw.value:
            own = scalars.get("name", "value") if key.value == "value" else str(key.value)
            yield from _below(value, own, held or is_below_secret(scalars, key.value), seen)
    elif isinstance(raw, Sequence):
        for item in raw.value:
            yield from _below(item, name, held, seen)
