"""The format for people: every error and warning with its source lines and what to do about it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from ..result import Reported, Result
from ..rule import Fix, Note, Severity
from .concise import closing_lines, line_of
from .escape import terminal, terminal_path
from .excerpt import gutter_width, margin, marked_line, with_context
from .options import ReportOptions
from .region import Region, region_of
from .style import BLUE, BOLD, CYAN, SEVERITY, Paint

NOTES_A_RULE: Final = 10
IN_FULL_AN_APP: Final = 3
"""Findings of one rule in one app that are shown with their source; the others are a line each."""
EXCERPTS_A_FINDING: Final = 3
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def render(result: Result, options: ReportOptions) -> str:
    paint = Paint(options.color)
    lines: list[str] = []
    groups: dict[tuple[str, str], list[Reported]] = {}
    for item in result.reported:
        if item.severity > Severity.NOTE:
            group = groups.setdefault((item.rule.code, item.app or item.file.path), [])
            group.append(item)
            if len(group) <= IN_FULL_AN_APP:
                lines += [*_finding(item, options, paint), ""]
    for group in groups.values():
        if len(group) > IN_FULL_AN_APP:
            lines += [*_others(group[IN_FULL_AN_APP:], options, paint), ""]
    notes = list(_notes(result, options, paint))
    if notes:
        lines += [*notes, ""]
    return "\n".join([*lines, *closing_lines(result, options)]) + "\n"


def _others(items: list[Reported], options: ReportOptions, paint: Paint) -> Iterator[str]:
    first = items[0]
    where = f"in {first.app}" if first.app else "in this file"
    title = f"{first.rule.code} {first.rule.name}"
    yield f"{paint.severity(first.severity)} {paint(title, BOLD)}: {len(items)} more {terminal(where)}"
    for item in items:
        region = region_of(item.finding.at)
        path = terminal_path(options.shown_path(item.file.path))
        yield f"  {paint('-->', BLUE)} {path}:{region.line}:{region.column}: {terminal(item.finding.message)}"


def _finding(item: Reported, options: ReportOptions, paint: Paint) -> Iterator[str]:
    region = region_of(item.finding.at)
    # What is said of the place itself needs no second look at it.
    remarks = [note.message for note in item.finding.related if note.at is item.finding.at]
    related = [(note, region_of(note.at)) for note in item.finding.related if note.at is not item.finding.at]
    gutter = max(gutter_width(place) for place in (region, *(place for _, place in related[:EXCERPTS_A_FINDING])))
    title = f"{item.rule.code} {item.rule.name}"
    yield f"{paint.severity(item.severity)} {paint(title, BOLD)}: {paint(terminal(item.finding.message), BOLD)}"
    path = terminal_path(options.shown_path(item.file.path))
    yield f"{' ' * gutter}{paint('-->', BLUE)} {path}:{region.line}:{region.column}"
    yield margin(gutter, paint)
    yield from with_context(region, gutter, options.width, SEVERITY[item.severity], paint)
    for note, place in related[:EXCERPTS_A_FINDING]:
        yield from _related_excerpt(note, place, gutter, options, paint)
    yield margin(gutter, paint)
    for note, place in related[EXCERPTS_A_FINDING:]:
        where = f"{terminal_path(options.shown_path(place.file.path))}:{place.line}"
        yield f"{margin(gutter, paint, '=')} {paint('note', BOLD)}: {where}: {terminal(note.message)}"
    for remark in remarks:
        yield f"{margin(gutter, paint, '=')} {paint('note', BOLD)}: {terminal(remark)}"
    for help_ in _help(item):
        yield f"{margin(gutter, paint, '=')} {paint('help', CYAN)}: {terminal(help_)}"
    yield f"{margin(gutter, paint, '=')} {paint('docs', CYAN)}: gitops-lint rule {item.rule.name}"


def _related_excerpt(note: Note, region: Region, gutter: int, options: ReportOptions, paint: Paint) -> Iterator[str]:
    where = f"{terminal_path(options.shown_path(region.file.path))}:{region.line}:{region.column}"
    yield margin(gutter, paint)
    yield f"{' ' * gutter}{paint('-->', BLUE)} {where}: {terminal(note.message)}"
    yield margin(gutter, paint)
    yield from marked_line(region, gutter, options.width, "-", BLUE, paint)


def _help(item: Reported) -> Iterator[str]:
    if not item.finding.fixes:
        sentence = _SENTENCE_END.split(" ".join(item.rule.manual.fix.split()))[0]
        if sentence:
            yield sentence[0].lower() + sentence[1:]
        return
    safe = next((fix for fix in item.finding.fixes if fix.safe), None)
    for number, fix in enumerate(item.finding.fixes):
        yield ("or: " if number else "") + f"{fix.title} ({_who_applies(fix, number == 0, safe)})"


def _who_applies(fix: Fix, is_first: bool, first_safe: Fix | None) -> str:
    """`--fix` takes the first safe one, with `--unsafe-fixes` the first of all."""
    if fix is first_safe:
        return "--fix applies it"
    return "--fix --unsafe-fixes applies it" if is_first else "by hand"


def _notes(result: Result, options: ReportOptions, paint: Paint) -> Iterator[str]:
    shown: Counter[str] = Counter()
    for item in result.reported:
        if item.severity is Severity.NOTE:
            shown[item.rule.name] += 1
            if shown[item.rule.name] <= NOTES_A_RULE:
                yield line_of(item, options, paint)
    for name, number in shown.items():
        if number > NOTES_A_RULE:
            noun = "note" if number == NOTES_A_RULE + 1 else "notes"
            yield f"… and {number - NOTES_A_RULE} more {noun} of {name} (concise or json lists all)"
