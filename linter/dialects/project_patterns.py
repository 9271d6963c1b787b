"""The two dialects in which an AppProject writes patterns.

URLs, clusters, namespaces and names of Applications are compared with
gobwas/glob: ``*``, ``**``, ``?``, ``[abc]``, ``[!a-z]``, ``{a,b}``, backslash.
Where there is a separator, only ``**`` and classes go over it. Groups, kinds
and names of objects are compared with Go's filepath.Match. In both, a pattern
that cannot be parsed matches nothing.

Time grows with pattern times text and no faster: both may come from a stranger.
No library for Python knows either dialect: fnmatch and wcmatch have other
classes, other escapes, and no separators of one's own choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, Union

from .generator_globs import BadPattern, matches_folder

_LONGEST: Final = 4096
_DEEPEST: Final = 32


class _Wild(Enum):
    STAR = "*"
    SUPER = "**"
    """A star that separators do not stop."""
    ONE = "?"
    """One character that is no separator."""


@dataclass(frozen=True, eq=False)
class _Class:
    """One character, a separator too: from low to high, or one of these."""

    low: str
    high: str
    characters: frozenset[str]
    negated: bool

    def takes(self, character: str) -> bool:
        found = character in self.characters if self.characters else self.low <= character <= self.high
        return found is not self.negated


# A text, a sign, or the options of a group in braces.
_Part = Union[str, _Wild, _Class, "tuple[_Parts, ...]"]
_Parts = tuple[_Part, ...]


def matches_glob(pattern: str, text: str, separators: str = "") -> bool:
    """An exclamation mark is a character like any other."""
    parts = _parsed(pattern)
    return parts is not None and len(text) in _reached(parts, text, {0}, separators)


def is_negated(pattern: str) -> bool:
    return pattern.startswith("!")


def matches_or_not_denied(pattern: str, text: str, separators: str = "") -> bool:
    """How lists that may deny are compared: ``!x`` matches all but x, a lone star everything, over separators too."""
    if is_negated(pattern):
        return not matches_glob(pattern[1:], text, separators)
    return pattern == "*" or matches_glob(pattern, text, separators)


def matches_word(pattern: str, word: str) -> bool:
    """Go's filepath.Match for a word without slashes: a group, a kind, a name."""
    try:
        return matches_folder(pattern, word)
    except BadPattern:
        return False


# -- parsing


@lru_cache(maxsize=512)
def _parsed(pattern: str) -> _Parts | None:
    try:
        return _parse(pattern)
    except BadPattern:
        return None


def _parse(pattern: str) -> _Parts:
    if len(pattern) > _LONGEST:
        raise BadPattern(pattern)
    # Groups that are open, innermost last; each is its options so far, each option its parts.
    groups: list[list[list[_Part]]] = [[[]]]
    at = 0
    while at < len(pattern):
        sign, nested = pattern[at], len(groups) > 1
        if sign == "{":
            groups.append([[]])
            at += 1
        elif sign == "," and nested:
            groups[-1].append([])
            at += 1
        elif sign == "}" and nested:
            _close(groups)
            at += 1
        else:
            part, at = _part(pattern, at, ",}" if nested else "")
            groups[-1][-1].append(part)
        if len(groups) > _DEEPEST:
            raise BadPattern(pattern)
    while len(groups) > 1:
        _close(groups)  # the library does not insist on the last braces
    return tuple(groups[0][0])


def _close(groups: list[list[list[_Part]]]) -> None:
    options = groups.pop()
    groups[-1][-1].append(tuple(tuple(option) for option in options))


def _part(pattern: str, at: int, ends: str) -> tuple[_Part, int]:
    if pattern.startswith("**", at):
        return _Wild.SUPER, at + 2
    if pattern[at] in "*?":
        return _Wild(pattern[at]), at + 1
    if pattern[at] == "[":
        return _class(pattern, at + 1)
    return _plain(pattern, at, f"?*[{{{ends}")


def _class(pattern: str, at: int) -> tuple[_Part, int]:
    """Either one range or a set; the library knows no mixture of the two."""
    negated = pattern[at : at + 1] == "!"
    at += negated
    if pattern[at + 1 : at + 2] == "-":
        low, high, close = pattern[at], pattern[at + 2 : at + 3], pattern[at + 3 : at + 4]
        if close != "]" or high < low:
            raise BadPattern(pattern)
        return _Class(low, high, frozenset(), negated), at + 4
    characters, end = _plain(pattern, at, "]")
    if not characters or end >= len(pattern):
        raise BadPattern(pattern)
    return _Class("", "", frozenset(characters), negated), end + 1


def _plain(pattern: str, at: int, ends: str) -> tuple[str, int]:
    """Characters up to one of these, backslashes resolved; one at the very end is dropped."""
    found: list[str] = []
    while at < len(pattern) and pattern[at] not in ends:
        if pattern[at] == "\\":
            at += 1
        found.append(pattern[at : at + 1])
        at += 1
    return "".join(found), min(at, len(pattern))


# -- matching


def _reached(parts: Iterable[_Part], text: str, places: set[int], separators: str) -> set[int]:
    """Where in the text one can stand after the parts, when one stood in these places before."""
    for part in parts:
        if not places:
            break
        if isinstance(part, str):
            places = {at + len(part) for at in places if text.startswith(part, at)}
        elif part is _Wild.STAR or part is _Wild.SUPER:
            places = _after_star(text, places, separators if part is _Wild.STAR else "")
        elif part is _Wild.ONE:
            places = {at + 1 for at in places if at < len(text) and text[at] not in separators}
        elif isinstance(part, _Class):
            places = {at + 1 for at in places if at < len(text) and part.takes(text[at])}
        else:
            options = [_reached(option, text, places, separators) for option in part]
            places = set().union(*options)
    return places


def _after_star(text: str, places: set[int], stops: str) -> set[int]:
    reached: set[int] = set()
    running = False
    for at in range(min(places), len(text) + 1):
        running = running or at in places
        if running:
            reached.add(at)
            running = at < len(text) and text[at] not in stops
    return reached
