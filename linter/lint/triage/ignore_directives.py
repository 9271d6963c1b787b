"""Ignores as people write them, in comments and annotations.

    # gitops-lint: ignore[hook-without-deadline, GL101] until=2026-12-31 reason
    # gitops-lint: ignore-file[GL501] reason
    gitops-lint.io/ignore: "hook-without-deadline: reason; GL101 until=2026-12-31: reason"

Whatever is meant as one and is not written so comes back with its problem:
an ignore that does nothing must not go unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, NamedTuple

from ...facts.regexes import regex
from ..selection import did_you_mean

MARK: Final = "gitops-lint"
"""A file without this word has no ignores in it."""
ANNOTATION: Final = "gitops-lint.io/ignore"
MAX_WORDS: Final = 100
IGNORE: Final = "ignore"
IGNORE_FILE: Final = "ignore-file"

_START: Final = regex(rf"#\s*(?={MARK}(?![\w./-]))")
_COLON: Final = regex(rf"{MARK}\s*(:?)\s*(.*)", re.DOTALL)
_BODY: Final = regex(r"([\w-]*)\s*(?:\[([^\]]*)\])?(.*)", re.DOTALL)
_FORGOT_COLON: Final = regex(rf"(?:{IGNORE}|{IGNORE_FILE})\s*\[")
_UNTIL: Final = regex(r"until=(\S+)\s*(.*)", re.DOTALL)
_MEANT_UNTIL: Final = regex(r"(?:un)?till?\s*[:=]?\s*\d{4}-\d", re.IGNORECASE)
_DATE: Final = regex(r"\d{4}-\d{2}-\d{2}")
_LEAD: Final = " \t:,-–—"  # noqa: RUF001 - people put dashes of all lengths before a reason


class Directive(NamedTuple):
    """One ignore: for these rules, to this day, for this reason."""

    words: tuple[str, ...] = ()
    until: date | None = None
    reason: str = ""
    whole_file: bool = False
    problem: str = ""
    """Why it cannot be followed; empty when it can."""
    text: str = ""
    """As written."""


def in_comment(text: str) -> Iterator[Directive]:
    """The ignores in one comment; none if it is about something else."""
    for part in map(_COLON.fullmatch, (part.strip() for part in _START.split(text)[1:])):
        if part and part[1]:
            yield _from_body(part[2])
        elif part and _FORGOT_COLON.match(part[2]):
            yield Directive(problem=f"a colon is missing: write '# {MARK}: {IGNORE}[RULE] reason'", text=part[2])


def _from_body(text: str) -> Directive:
    body = _BODY.fullmatch(text)
    verb, words, rest = body.groups() if body else ("", None, text)
    if not text:
        return Directive(problem=f"it says nothing; write '{IGNORE}[RULE] reason'")
    if verb not in (IGNORE, IGNORE_FILE):
        meant = did_you_mean(verb, (IGNORE, IGNORE_FILE)) or f"; write '{IGNORE}[RULE] reason'"
        return Directive(problem=f"{(verb or text)[:40]!r} is not a directive{meant}", text=text)
    if words is None:
        fault = "its bracket is not closed" if rest.lstrip().startswith("[") else "it names no rule"
        return Directive(problem=f"{fault}: write '{verb}[RULE] reason'", text=text)
    # Another comment may follow on the line.
    reason = re.split(r"\s#", rest, maxsplit=1)[0]
    return _directive(re.split(r"[,\s]+", words), reason, text)._replace(whole_file=verb == IGNORE_FILE)


def in_annotation(text: str) -> list[Directive]:
    """The ignores in the annotation's value: always at least one, if only to hold its problem."""
    items = [item.strip() for item in re.split(r"[;\n]", text) if item.strip()]
    if not items:
        return [Directive(problem="it names no rule: write 'RULE: reason'", text=text)]
    return [_from_item(item) for item in items]


def _from_item(text: str) -> Directive:
    head, _, reason = text.partition(":")
    return _directive(re.split(r"[,\s]+", head), reason, text)


def _directive(tokens: Iterable[str], reason: str, text: str) -> Directive:
    words = [token for token in tokens if token]
    reason = reason.strip(_LEAD)
    dates = [word.removeprefix("until=") for word in words if word.startswith("until=")]
    words = [word for word in words if not word.startswith("until=")]
    leading = _UNTIL.fullmatch(reason)
    if leading:
        dates.append(leading[1].rstrip(":,;"))
        reason = leading[2].strip(_LEAD)
    if not words:
        return Directive(problem="it names no rule", text=text)
    if len(words) > MAX_WORDS:
        return Directive(problem=f"it names more than {MAX_WORDS} rules", text=text)
    if len(dates) > 1:
        return Directive(problem="it has two dates", text=text)
    until = _day(dates[0]) if dates else None
    if dates and until is None:
        return Directive(problem=f"{dates[0][:40]!r} is not a date like 2026-12-31", text=text)
    if _MEANT_UNTIL.match(reason):
        return Directive(problem="its end is not written as until=2026-12-31", text=text)
    return Directive(tuple(dict.fromkeys(words)), until, reason, text=text)


def _day(text: str) -> date | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def without(directive: Directive, unused: Iterable[str]) -> str:
    """An item of the annotation as it reads without these rules; empty when none is left."""
    dropped = set(unused)
    if not dropped:
        return directive.text
    words = ", ".join(word for word in directive.words if word not in dropped)
    until = f" until={directive.until.isoformat()}" if directive.until else ""
    return f"{words}{until}{': ' if directive.reason else ''}{directive.reason}" if words else ""
