"""The run in a few sentences: what was found, what can be fixed, what was not looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.result import Result

SHOWN_PATHS: Final = 2


def counts(result: Result) -> str:
    """``3 errors, 5 warnings``: the severities that occur, worst first."""
    numbers = ((result.count(severity), str(severity)) for severity in sorted(Severity, reverse=True))
    return ", ".join(counted(number, noun) for number, noun in numbers if number)


def headline(result: Result) -> str:
    left_out = (
        (result.suppressed, "suppressed"),
        (result.baselined, "in the baseline"),
        (result.unasked, "not asked for"),
    )
    words = ", ".join(f"{number} {what}" for number, what in left_out if number)
    aside = f" ({words})" if words else ""
    files = counted(len(result.files), "file")
    if result.reported:
        return f"Found {counts(result)}{_places(result)}{_new(result)}{aside}{_fixable(result)}."
    if result.crashed:
        return f"Found nothing in {files}{aside}, but not every rule could run."
    if result.unasked:
        return f"Found nothing of that in {files}{aside}."
    if result.left_out:
        return f"Found nothing new in {files}{aside}."
    if not result.files:
        return "No files to check."
    objects = counted(result.resources, "object")
    return f"All checks passed: {files}, {objects}, {counted(len(result.rules), 'rule')}{aside}."


def sentence(remark: str) -> str:
    return f"{remark[0].upper()}{remark[1:]}."


def _places(result: Result) -> str:
    """Causes are counted; how many places they have is said where that is another number."""
    places = len(result.reported)
    return f" at {counted(places, 'place')}" if places != len(result.groups) else ""


def _new(result: Result) -> str:
    if result.changed_lines is None:
        return ""
    new = sum(1 for group in result.groups if group.is_new)
    return f", {new} of them new" if new else ", none of them new"


def _fixable(result: Result) -> str:
    safe, unsafe = result.fixable(safe=True), result.fixable(safe=False)
    if not safe:
        return f"; {unsafe:,} fixable with --fix --unsafe-fixes" if unsafe else ""
    return f"; {safe:,} fixable with --fix" + (f", {unsafe:,} more with --unsafe-fixes" if unsafe else "")


def out_of_reach(result: Result) -> Iterator[str]:
    """What no rule was asked about, and why."""
    if result.is_flux_only:
        yield "Flux syncs this repository, not Argo CD: only what holds for any tool was checked."
    number = sum(map(len, result.out_of_reach.values()))
    if number:
        reasons = "; ".join(f"{len(paths):,} {reason}" for reason, paths in result.out_of_reach.items())
        judged = f", {result.judged_unread} of them judged one step lower" if result.judged_unread else ""
        word = "Unread" if judged else "Not judged"
        yield f"{word}: {counted(number, 'file')} that no Application reads{judged} ({reasons})"


def not_analysed(result: Result) -> dict[str, list[str]]:
    """Reason → paths, the commonest reason first."""
    paths: dict[str, list[str]] = defaultdict(list)
    for item in result.not_analysed:
        paths[item.reason].append(item.path)
    return {reason: sorted(paths[reason]) for reason in sorted(paths, key=lambda reason: (-len(paths[reason]), reason))}


def first_of(paths: list[str]) -> str:
    return ", ".join(paths[:SHOWN_PATHS]) + (", …" if len(paths) > SHOWN_PATHS else "")


def not_analysed_sentence(reason: str, paths: list[str]) -> str:
    return f"Not analysed ({len(paths)}): {reason} ({first_of(paths)})"
