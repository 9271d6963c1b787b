"""Links as git has them: the content of the entry is where it leads."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Final, NamedTuple

from ...git import Entry, Listing

MAX_HOPS: Final = 20


class Target(NamedTuple):
    """Where a path comes out, links followed."""

    path: str = ""
    entry: Entry | None = None
    """None for a folder, and for what is not there."""
    leads_out: bool = False
    """Out of the repository: not followed."""


def follow(path: str, listing: Listing, folders: frozenset[str], text_of: Callable[[Entry], str]) -> Target:
    """Links to files and to folders on the way, as a file system would follow them."""
    for _ in range(MAX_HOPS):
        entry = listing.get(path)
        if entry is not None and not entry.is_link:
            return Target(path, entry)
        if path in folders:
            return Target(path)
        above = _link_on_the_way(path, listing)
        if above is None:
            return Target()
        target = text_of(listing[above])
        if not target or target.startswith("/"):
            return Target(leads_out=bool(target))
        path = posixpath.normpath(posixpath.join(posixpath.dirname(above), target) + path[len(above) :])
        if path == ".." or path.startswith("../"):
            return Target(leads_out=True)
    return Target()


def _link_on_the_way(path: str, listing: Listing) -> str | None:
    """The first part of a path that is a link."""
    parts = path.split("/")
    for length in range(1, len(parts) + 1):
        above = "/".join(parts[:length])
        entry = listing.get(above)
        if entry is not None:
            return above if entry.is_link else None
    return None
