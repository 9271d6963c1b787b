"""The two ways in which git generators match paths.

Folders are matched by Go's ``path.Match``, where a star stops at a slash.
Files are matched by ``git ls-files``, where it does not. In neither does ``**``
mean anything else than ``*``. Neither fnmatch nor wcmatch reads either of the two.
Time grows with pattern times path, no faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..facts.regexes import regex


class BadPattern(ValueError):
    """Go calls it a syntax error in the pattern."""


@dataclass(frozen=True)
class _One:
    """One character: any, one of these ranges, or none of them."""

    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = True

    def takes(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) is not self.negated


_ANY_CHARACTER: Final = _One()
_STAR: Final = None
_SIGN: Final = regex(r"[*?\[\\]")
_Pattern = tuple[_One | None, ...]


def matches_folder(pattern: str, path: str) -> bool:
    """Go's path.Match. Raises BadPattern."""
    parts = [_compiled(part, "^") for part in pattern.split("/")]
    if not _may_match(pattern, path):
        return False
    names = path.split("/")
    return len(parts) == len(names) and all(map(_matches, parts, names))


def matches_file(pattern: str, path: str) -> bool:
    """git's pathspec without magic: the name itself, a folder above it, or a wildcard over the whole path."""
    pattern = pattern.removeprefix("./")
    if pattern in ("", "."):
        return True
    if path == pattern or path.startswith(f"{pattern.removesuffix('/')}/"):
        return True
    if not any(sign in pattern for sign in "*?[\\"):
        return False
    compiled = _compiled(pattern, "!^")
    return _may_match(pattern, path) and _matches(compiled, path)


def _may_match(pattern: str, path: str) -> bool:
    """By how it begins and ends, which is soon told: patterns are many, and so are paths."""
    begin, end = _plain_ends(pattern)
    return path.startswith(begin) and path.endswith(end)


@lru_cache(maxsize=512)
def _plain_ends(pattern: str) -> tuple[str, str]:
    """What stands before the first sign, and behind the last; nothing behind one that makes the next plain."""
    begin = _SIGN.split(pattern, maxsplit=1)[0]
    end = "" if "\\" in pattern or "[" in pattern else _SIGN.split(pattern)[-1]
    return begin, end


@lru_cache(maxsize=512)
def _compiled(pattern: str, negations: str) -> _Pattern:
    compiled: list[_One | None] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "*":
            if not compiled or compiled[-1] is not _STAR:
                compiled.append(_STAR)
        elif character == "?":
            compiled.append(_ANY_CHARACTER)
        elif character == "[":
            one, at = _bracket(pattern, at, negations)
            compiled.append(one)
        else:
            if character == "\\":
                if at >= len(pattern):
                    raise BadPattern(pattern)
                character, at = pattern[at], at + 1
            compiled.append(_One(((character, character),), negated=False))
    return tuple(compiled)


def _bracket(pattern: str, at: int, negations: str) -> tuple[_One, int]:
    negated = pattern[at : at + 1] != "" and pattern[at] in negations
    at += negated
    ranges: list[tuple[str, str]] = []
    while not ranges or pattern[at : at + 1] != "]":
        low, at = _bracket_character(pattern, at)
        high = low
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] != "]":
            high, at = _bracket_character(pattern, at + 1)
        ranges.append((low, high))
    return _One(tuple(ranges), negated), at + 1


def _bracket_character(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at : at + 1] == "\\":
        at += 1
    if at >= len(pattern):
        raise BadPattern(pattern)
    return pattern[at], at + 1


def _matches(pattern: _Pattern, text: str) -> bool:
    """Only the last star ever has to take one more: what the ones before it left is settled."""
    at = place = 0
    star, retry = -1, 0
    while place < len(text):
        one = pattern[at] if at < len(pattern) else _ANY_CHARACTER
        if at < len(pattern) and one is _STAR:
            star, retry = at, place
            at += 1
        elif at < len(pattern) and one is not _STAR and one.takes(text[place]):
            at, place = at + 1, place + 1
        elif star >= 0:
            retry += 1
            at, place = star + 1, retry
        else:
            return False
    return all(one is _STAR for one in pattern[at:])
