"""Patterns for paths in git's spelling: of `.gitignore` files, and of the configuration.

A pattern without a slash in it (``vendor``, ``*.tmpl.yaml``) matches a file or
folder of that name at any depth; one with a slash counts from the folder that
it is written in. ``*`` stays within one name, ``**`` goes through folders. The
library pathspec knows what the rest means; what it makes of a pattern is put
together here, so that many patterns are asked at once.

Both files may come from a stranger's pull request: a pattern with many stars,
which Python's `re` may try for ever, goes to an engine that does not.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from ..dialects.go_regexp import BadPattern, NotJudged, Regexp
from ..facts.regexes import regex

_MOST_STARS: Final = 2
"""In one name, or as names of their own: `re` tries each way to share out what they stand for."""
_MOST_STEPS: Final = 20_000_000
"""Of one such pattern with one path; both are short, or no path would be as long as the pattern wants."""
_MANY: Final = 100
"""So many patterns are not tried one after the other: a path has to hold what each of them spells out."""
_LONGEST_PIECE: Final = 32
"""Letters of a pattern to look for; a path is searched once for each length that there is."""
_FOLDER: Final = "(?P<ps_d>/)"
"""How pathspec writes the slash after what matched, when that is a folder."""
_CUT: Final = regex(r"(?P<plain>(?=[^*]*/|[^*]+\*\*+/.)[^*?[\\]*[^*?[\\/])\*\*+(?P<rest>/.*)?")
"""Git compares what stands before the first wildcard by itself: `**` after letters goes through folders, too."""
_CLASSES: Final = {
    "[:alnum:]": "a-zA-Z0-9", "[:alpha:]": "a-zA-Z", "[:blank:]": " \t", "[:digit:]": "0-9", "[:lower:]": "a-z",
    "[:punct:]": "!-.:-@\\[-`{-~", "[:space:]": " \t-\r", "[:upper:]": "A-Z", "[:xdigit:]": "0-9a-fA-F",
}  # fmt: skip


def glob_problem(pattern: str) -> str:
    """Why this is no pattern of the configuration; empty when it is one."""
    if not pattern.strip("/ "):
        return "an empty pattern matches nothing"
    if "\\" in pattern:
        return "patterns are written with forward slashes"
    if pattern.startswith("!"):
        return "a pattern cannot be negated"
    if ".." in pattern.split("/"):
        return "a pattern cannot lead out of its folder"
    if re.search(r"\[(?![!]?[^/][^/\]]*\])", pattern):
        return "a '[' is not closed"
    return ""


def matches(pattern: str, path: str) -> bool:
    """Whether the configuration's pattern covers the file, or a folder above it; both count from the same folder."""
    return not path.startswith("../") and _of_config(pattern).last(path) is not None


@cache
def _of_config(pattern: str) -> Globs:
    written = pattern.removeprefix("./")
    names = [name for name in written.split("/") if name]
    while len(names) > 1 and names[-1] == "**":  # what matches a folder covers what is in it
        names.pop()
    is_anchored = "/" in written.rstrip("/")
    return Globs([("/" if is_anchored else "\\" * names[0].startswith("#")) + "/".join(names)], covers_below=True)


class Globs:
    """Patterns that are asked at once; which of them is the last that matches?

    A folder's path ends with a slash. With `covers_below`, what matches a
    folder matches all that is in it.
    """

    def __init__(self, patterns: Sequence[str], *, covers_below: bool = False) -> None:
        texts: dict[int, str] = {}
        self._slow: list[tuple[int, Regexp]] = []
        for index, pattern in enumerate(patterns):
            text = _regexp(pattern, "/" if covers_below else "/$")
            if not text:
                continue
            if not _may_take_long(pattern):
                texts[index] = text
            elif regexp := _linear(text):
                self._slow.insert(0, (index, regexp))
        self._quick = _Indexed(patterns, texts) if len(texts) > _MANY else _Joined(texts)

    def last(self, path: str) -> int | None:
        quick = self._quick.last(path)
        slow = next((at for at, regexp in self._slow if at > quick and _is_in(regexp, path)), -1)
        last = max(quick, slow)
        return None if last < 0 else last


def _regexp(pattern: str, folder: str) -> str:
    """What pathspec makes of a pattern, to be matched at the start of a path; empty for what matches nothing."""
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # not every repository has a pattern

    pattern = re.sub(r"\*{3,}", "**", pattern)  # to git they are the same, to `re` a way more to try for each
    for name, characters in _CLASSES.items() if "[:" in pattern else ():
        pattern = pattern.replace(name, characters)
    if cut := _CUT.fullmatch(pattern):
        rest = cut["rest"] or ""
        below = _regexp(rest, folder).removeprefix("^") if rest.strip("/") else folder * bool(rest)
        return f"^{re.escape(cut['plain'].lstrip('/'))}{f'(?:.*/)?{below}' if rest.strip('/') else f'.*{below}'}"
    if pattern.endswith("/**/"):
        pattern += "*/"
    try:
        text, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    except ValueError:
        return ""
    if not text:
        return ""
    text = text.replace(_FOLDER, folder).replace("[^", "[^/")  # no set matches a slash
    return text if text.startswith("^") else f"^.*{text}"


def _may_take_long(pattern: str) -> bool:
    names = pattern.split("/")
    deep = sum(name == "**" for name in names)
    return deep > _MOST_STARS or any(len(re.findall(r"\*+", name)) > _MOST_STARS for name in names)


def _linear(text: str) -> Regexp | None:
    try:
        return Regexp(text)
    except (BadPattern, NotJudged):
        return None  # longer than any path


def _is_in(regexp: Regexp, path: str) -> bool:
    try:
        return regexp.is_in(path, _MOST_STEPS)
    except NotJudged:
        return False


class _Joined:
    """One expression, the last pattern first: the number of the group that matches says which."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._indexes, self._regexp = _joined(texts)

    def last(self, path: str) -> int:
        found = self._regexp.match(path) if self._regexp else None
        return self._indexes[(found.lastindex or 1) - 1] if found else -1


class _Indexed:
    """Many patterns by the longest piece of theirs that has no wildcard; only those are tried whose piece is there."""

    def __init__(self, patterns: Sequence[str], texts: Mapping[int, str]) -> None:
        self._texts: dict[str, dict[int, str]] = {}
        for index, text in texts.items():
            self._texts.setdefault(_longest_piece(patterns[index]), {})[index] = text
        self._lengths = sorted({len(piece) for piece in self._texts})
        self._joined: dict[str, _Joined] = {}

    def last(self, path: str) -> int:
        pieces = {path[at : at + size] for size in self._lengths for at in range(len(path) - size + 1)}
        return max((self._at(piece).last(path) for piece in pieces & self._texts.keys()), default=-1)

    def _at(self, piece: str) -> _Joined:
        if piece not in self._joined:
            self._joined[piece] = _Joined(self._texts[piece])
        return self._joined[piece]


def _joined(texts: Mapping[int, str]) -> tuple[list[int], re.Pattern[str] | None]:
    indexes = sorted(texts, reverse=True)
    compiled = _compiled("|".join(f"({texts[index]})" for index in indexes)) if indexes else None
    if compiled is None and len(indexes) > 1:  # one of them is none, a range that runs backwards
        return _joined({index: texts[index] for index in indexes if _compiled(texts[index])})
    return indexes, compiled


def _longest_piece(pattern: str) -> str:
    """Within one name, since `**/` may stand for nothing; what a set or a backslash begins is left to the library."""
    spelled_out = re.split(r"[\[\\]", pattern, maxsplit=1)[0].lstrip("!")
    return max((piece.strip() for piece in re.split("[*?/]", spelled_out)), key=len)[-_LONGEST_PIECE:]


def _compiled(text: str) -> re.Pattern[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # a bracket within a set is one
        try:
            return re.compile(text, re.DOTALL)
        except (re.error, RecursionError, OverflowError):
            return None
