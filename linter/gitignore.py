"""Which paths git ignores: the patterns of `.gitignore` files, matched without asking git.

A pull request may bring a git configuration that runs commands, and plain
folders have no git at all; so the few rules of the format are applied here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Pattern(NamedTuple):
    regex: re.Pattern[str]
    negated: bool
    only_folders: bool


class Ignores(NamedTuple):
    """The patterns of one folder's file, for paths relative to that folder."""

    patterns: tuple[Pattern, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored, False: kept by a negation, None: not mentioned. The last match counts."""
        result = None
        for pattern in self.patterns:
            if (is_folder or not pattern.only_folders) and pattern.regex.fullmatch(path):
                result = not pattern.negated
        return result


def parse(lines: Iterable[str]) -> Ignores:
    return Ignores(tuple(pattern for line in lines if (pattern := _pattern(line.rstrip("\r\n")))))


def _pattern(line: str) -> Pattern | None:
    line = re.sub(r"(?<!\\) +$", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[1:] if negated else line
    only_folders = body.endswith("/")
    body = body.rstrip("/")
    if not body:
        return None
    anchored = "/" in body
    try:
        regex = re.compile(("" if anchored else "(?:.*/)?") + glob_regex(body.removeprefix("/")))
    except re.error:
        return None
    return Pattern(regex, negated, only_folders)


def glob_regex(glob: str) -> str:
    """``*`` and ``?`` stop at slashes, ``**`` does not."""
    out, at = [], 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif glob.startswith("/**", at) and at + 3 == len(glob):
            out.append("/.+")
            at += 3
        elif glob.startswith("**", at):
            out.append(".*")
            at += 2
        elif glob[at] == "*":
            out.append("[^/]*")
            at += 1
        elif glob[at] == "?":
            out.append("[^/]")
            at += 1
        elif glob[at] == "[" and (end := glob.find("]", at + 2)) > 0:
            members = glob[at + 1 : end].replace("\\", "\\\\")
            out.append(f"[^{members[1:]}]" if members[0] in "!^" else f"[{members}]")
            at = end + 1
        else:
            if glob[at] == "\\" and at + 1 < len(glob):
                at += 1
            out.append(re.escape(glob[at]))
            at += 1
    return "".join(out)
