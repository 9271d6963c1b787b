"""Which paths git ignores: the patterns of `.gitignore` files, matched without asking git.

A pull request may bring a git configuration that runs commands, and plain
folders have no git at all; so the few rules of the format are applied here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .globs import match_names


class Pattern(NamedTuple):
    names: tuple[str, ...]
    negated: bool
    only_folders: bool


class Ignores(NamedTuple):
    """The patterns of one folder's file, for paths relative to that folder."""

    patterns: tuple[Pattern, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored, False: kept by a negation, None: not mentioned. The last match counts."""
        names = tuple(path.split("/"))
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.only_folders) and match_names(pattern.names, names):
                return not pattern.negated
        return None


def parse(lines: Iterable[str]) -> Ignores:
    return Ignores(tuple(pattern for line in lines if (pattern := _pattern(line.rstrip("\r\n")))))


def _pattern(line: str) -> Pattern | None:
    line = re.sub(r"(?<!\\) +$", "", line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line[1:] if negated else line
    names = [_shell_pattern(name) for name in body.strip("/").split("/")]
    if "/" not in body.rstrip("/"):
        names.insert(0, "**")
    if names[-1] == "**":  # what is in the folder, not the folder
        names[-1] = "*"
    return Pattern(tuple(names), negated, body.endswith("/")) if names[-1] else None


def _shell_pattern(name: str) -> str:
    """git's spelling of escapes and of negated sets, in fnmatch's."""
    if name == "**":
        return name
    escaped = re.sub(r"\\(.)", lambda escape: f"[{escape[1]}]" if escape[1] in "*?[" else escape[1], name)
    return re.sub(r"\[\^", "[!", re.sub(r"\*\*+", "*", escaped))
