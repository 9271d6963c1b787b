"""How every report begins: what was read, how much of it was seen, what was assumed, what was found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..dialects.phrases import counted
from ..lint.result import Result
from ..lint.rule import Moment

WHEN: Final = {
    Moment.SYNC: "at the next sync",
    Moment.INSTALL: "when a cluster is built from nothing",
    Moment.REMOVAL: "when something is removed",
    Moment.TROUBLE: "when something hangs or fails",
    Moment.UPGRADE: "at an upgrade",
}
"""The moments as reports say them."""


def opening(result: Result) -> list[str]:
    """Two lines; the third, what was found, is the summary's."""
    return [f"Read {_what_was_read(result)}.", f"Judged for {_versions(result)}."] if result.files else []


def _what_was_read(result: Result) -> str:
    sight = result.sight
    parts = [counted(len(result.files), "file"), counted(result.resources, "object")]
    if sight.applications:
        whole = f"{_share(sight.seen_whole, sight.applications)} seen whole"
        for number, what in ((sight.to_render, "Helm"), (sight.to_fetch, "`gitops-lint fetch`")):
            whole += f"; {number} {'needs' if number == 1 else 'need'} {what}" if number else ""
        parts.append(f"{counted(sight.applications, 'Application')} ({whole})")
    else:
        parts.append("no Application")
    if sight.sets:
        once = f", {sight.sets_open} seen once with blanks" if sight.sets_open else ""
        expanded = _share(sight.sets_expanded, sight.sets)
        parts.append(f"{counted(sight.sets, 'ApplicationSet')} ({expanded} expanded{once})")
    if sight.loose_units:
        parts.append(f"{counted(sight.loose_units, 'folder')} that no Application syncs")
    parts += _unread(result)
    return ", ".join(parts)


def _unread(result: Result) -> Iterator[str]:
    """What lies there and nobody applies; it is the reader who knows whether that is so."""
    judged, number = result.judged_unread, sum(map(len, result.out_of_reach.values()))
    if number > judged:
        yield f"{counted(number - judged, 'file')} that no Application reads (not judged, see --show-unread)"
    if judged:
        yield f"{counted(judged, 'file')} that no Application reads (judged one step lower)"


def _share(number: int, every: int) -> str:
    return "all" if number == every else str(number or "none")


def _versions(result: Result) -> str:
    words = [f"{one.what} {one.version} ({one.why})" for one in result.assumed if one.version is not None]
    unknown = [one for one in result.assumed if one.version is None]
    if unknown:
        names = " and ".join(f"any {one.what}" for one in unknown)
        options = " and ".join(one.option for one in unknown)
        words.append(f"{names} ({options} {'is' if len(unknown) == 1 else 'are'} not set)")
    return " and ".join(words) or "any version"
