"""Durations as Go's time.ParseDuration reads them: ``1h30m``, ``90s``; never ``1d``, which libraries take."""

from __future__ import annotations

import re
from typing import Final

from ..facts.regexes import regex

_NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,  # micro sign
    "\u03bcs": 10**3,  # Greek letter mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART: Final = regex(r"(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?P<unit>ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
_SPELLED_OUT: Final = regex(r"(?:(?P<weeks>[0-9]{1,3})w)?(?:(?P<days>[0-9]{1,4})d)?(?P<rest>[0-9hms]*)")
_LONGEST: Final = 2**63
"""Of nanoseconds: some 292 years."""
_MOST_DIGITS: Final = 40


def parse_duration(text: str) -> float | None:
    """The duration in seconds; None where Go reports an error."""
    found = nanoseconds(text)
    return None if found is None else found / 10**9


def nanoseconds(text: str) -> int | None:
    """The duration as Go keeps it; None where Go reports an error."""
    unsigned = text[1:] if text[:1] in ("+", "-") else text
    if unsigned == "0":
        return 0
    at = total = 0
    while at < len(unsigned):
        part = _PART.match(unsigned, at)
        if part is None or not (part["whole"] or part["fraction"]):
            return None
        total += _nanoseconds(part["whole"].lstrip("0"), part["fraction"] or "", _NANOSECONDS[part["unit"]])
        if total > _LONGEST:
            return None
        at = part.end()
    if at == 0 or (total == _LONGEST and text[0] != "-"):
        return None
    return -total if text[0] == "-" else total


def _nanoseconds(whole: str, fraction: str, unit: int) -> int:
    if len(whole) > _MOST_DIGITS:
        return _LONGEST + 1
    fraction = fraction[:_MOST_DIGITS]
    scale: int = 10 ** len(fraction)
    return int(whole or "0") * unit + int(fraction or "0") * unit // scale


def meant_duration(text: str) -> str | None:
    """What Go accepts for a text with days or weeks in it, such as ``1d`` or ``1w12h``; None for any other."""
    match = _SPELLED_OUT.fullmatch(text.strip().lower())
    if match is None or not (match["weeks"] or match["days"]):
        return None
    hours = 24 * (7 * int(match["weeks"] or "0") + int(match["days"] or "0"))
    return _with_hours(hours, match["rest"])


def _with_hours(hours: int, rest: str) -> str | None:
    leading = re.match(r"([0-9]{1,4})h", rest)
    if leading:
        hours, rest = hours + int(leading[1]), rest[leading.end() :]
    respelled = f"{hours}h{rest}"
    return respelled if parse_duration(respelled) is not None else None
