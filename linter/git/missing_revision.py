"""What to do when a revision is not in the clone."""

from __future__ import annotations

import re
from typing import Final

from ..facts.regexes import regex

_OBJECT: Final = regex(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ALL_HISTORY: Final = "with actions/checkout: `fetch-depth: 0`"


def not_here(name: str, is_shallow: bool) -> str:
    if is_shallow:
        return f"{name} is not in this clone, which is shallow (not all history is there). {_fetch(name, True)}"
    return f"{name}: git knows no such revision here. {_fetch(name, False)}"


def _fetch(name: str, is_shallow: bool) -> str:
    depth = " --depth=1" if is_shallow else ""
    checkout = f", or {_ALL_HISTORY}" if is_shallow else ""
    remote, _, branch = name.partition("/")
    if name.startswith(("HEAD", "@")):
        wanted = "`git fetch --deepen=1`" if is_shallow else ""
        return f"Fetch its parent: {wanted}, or with actions/checkout: `fetch-depth: 2`" if wanted else ""
    if _OBJECT.fullmatch(name):
        return f"Fetch it: `git fetch{depth} origin {name}`{checkout}"
    if branch and re.fullmatch(r"[\w.-]+", remote) and remote != "refs" and re.fullmatch(r"[\w./+-]+", branch):
        return f"If it is a branch there, fetch it: `git fetch{depth} {remote} {branch}:{_tracking(name)}`{checkout}"
    if re.fullmatch(r"[\w./+-]+", name):
        return f"If it is a branch of the remote, fetch it: `git fetch{depth} origin {name}:{name}`{checkout}"
    return ""


def _tracking(name: str) -> str:
    return f"refs/remotes/{name}"


def without_ancestor(name: str, is_shallow: bool) -> str:
    if is_shallow:
        return (
            f"where HEAD left {name} is not in this clone, which is shallow (not all history is there)."
            f" Fetch the rest: `git fetch --unshallow`, or {_ALL_HISTORY}"
        )
    return f"HEAD and {name} have no history in common; give the commit to compare with, without the dots"
