"""Whether a targetRevision means the files that are checked out."""

from __future__ import annotations

from typing import Final

from ..facts.regexes import regex
from .spelling import is_placeholder

_MAIN_LINES: Final = frozenset({"", "HEAD", "main", "master", "trunk"})
_FIXED: Final = regex(r"[0-9a-f]{7,40}|refs/tags/.*|[v=<>~^]?\s*\d+(?:\.[\dx*]+)+.*|.*\d+\.\d+\.\d+.*")


def follows_main_line(revision: str) -> bool | None:
    """True for the main line, False for a commit, a tag or a range of versions, None for another branch.

    A linter sees one checkout. What an Application takes from another revision may differ from it.
    """
    if revision.removeprefix("refs/heads/") in _MAIN_LINES:
        return True
    if is_placeholder(revision):
        return None
    return False if _FIXED.fullmatch(revision) else None
