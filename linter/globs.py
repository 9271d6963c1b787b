"""Path patterns as the config writes them.

A pattern without a slash in it (``vendor``, ``*.tmpl.yaml``) matches a file or
folder of that name at any depth; one with a slash counts from the folder of
the config. ``*`` stays within one name, ``**`` goes through folders, and what
matches a folder covers everything in it.

Matching takes time in proportion to the lengths, whatever the pattern: a
config may come from a stranger's pull request.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache


def glob_problem(pattern: str) -> str:
    """Why this is no pattern; empty when it is one."""
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
    """Whether the pattern covers the file; both are relative to the same folder, and never lead out of it."""
    return not path.startswith("../") and match_names(_parts(pattern), tuple(path.split("/")))


@cache
def _parts(pattern: str) -> tuple[str, ...]:
    anchored = pattern.removeprefix("./")
    names = [name for name in anchored.split("/") if name]
    if "/" not in anchored.rstrip("/"):
        names.insert(0, "**")
    # What matches a folder covers what is in it.
    return (*names, "**") if names[-1:] != ["**"] else tuple(names)


def match_names(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """The positions in the pattern that can be reached after each name, all at once."""
    reached = _with_skips({0}, parts)
    for name in names:
        ahead = {at + 1 for at in reached if at < len(parts) and parts[at] != "**" and fnmatchcase(name, parts[at])}
        stay = {at for at in reached if at < len(parts) and parts[at] == "**"}
        reached = _with_skips(ahead | stay, parts)
    return len(parts) in reached


def _with_skips(reached: set[int], parts: tuple[str, ...]) -> set[int]:
    """``**`` also stands for no folder at all."""
    for at in sorted(reached):
        while at < len(parts) and parts[at] == "**":
            at += 1
            reached.add(at)
    return reached
