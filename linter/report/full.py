"""The format for people: what matters first, and no more than two screens of it unless there are more errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Result
from ..lint.rule import Rule
from .concise import closing_lines
from .escape import terminal
from .heading import opening
from .report_options import ReportOptions
from .style import BOLD, Paint
from .summary import headline
from .told import in_brief, in_full, others_of_its_rule, wrapped

SCREEN: Final = 40
"""Lines."""
ERRORS_IN_FULL: Final = 12
OF_ONE_RULE: Final = 3
WARNINGS_IN_FULL: Final = 3
"""Whatever room the errors have left."""


def render(result: Result, options: ReportOptions) -> str:
    paint = Paint(options.color)
    head = [] if options.quiet else [*_wrapped(opening(result), options), ""] if result.reported else opening(result)
    foot = [] if options.quiet else _foot(result, options)
    if options.group_by:
        body = _by_heading(result, options, paint)
    elif options.every:
        body = [line for group in result.groups for line in (*in_full(group, options, paint, excerpt=True), "")]
    else:
        body = _what_matters(result, options, paint, 2 * SCREEN - len(head) - len(foot) - 1)
    if len(body) > SCREEN and head:  # who reads from the top learns it there, too
        head[-1:] = [headline(result), ""]
    return "".join(f"{line}\n" for line in (*head, *body, *foot))


def _foot(result: Result, options: ReportOptions) -> list[str]:
    found, *unseen = closing_lines(result, options)
    return [*_wrapped([found], options), *(cut(line, options.width) for line in unseen)]


def _wrapped(lines: Sequence[str], options: ReportOptions) -> list[str]:
    return [part for line in lines for part in wrapped(line, options.width, "  ")]


def _what_matters(result: Result, options: ReportOptions, paint: Paint, room: int) -> list[str]:
    errors = [group for group in result.groups if group.severity is Severity.ERROR]
    warnings = [group for group in result.groups if group.severity is Severity.WARNING]
    notes = note_lines(result, options, paint)
    lines: list[str] = []
    lines += _errors(errors, options, paint)
    lines += _warnings(warnings, options, paint, room - len(lines) - len(notes))
    return [*lines, *notes]


def _errors(groups: Sequence[Group], options: ReportOptions, paint: Paint) -> list[str]:
    """All of them: the first of each rule in full, then the others in a line or two."""
    told: Counter[str] = Counter()
    full: list[str] = []
    brief: list[str] = []
    for group in groups:
        if told[group.rule.code] < OF_ONE_RULE and told.total() < ERRORS_IN_FULL:
            told[group.rule.code] += 1
            full += _block(group, options, paint)
        else:
            brief += in_brief(group, options, paint)
    return [*full, *brief, ""] if brief else full


def _block(group: Group, options: ReportOptions, paint: Paint) -> list[str]:
    return [*in_full(group, options, paint, excerpt=group.severity is Severity.ERROR), ""]


def _warnings(groups: Sequence[Group], options: ReportOptions, paint: Paint, room: int) -> list[str]:
    """Of each rule the first: in full as long as there is room, then in short; then only numbers."""
    rules: dict[str, list[Group]] = {}
    for group in groups:
        rules.setdefault(group.rule.code, []).append(group)
    lines: list[str] = []
    left: list[str] = []
    in_short = False
    for number, (code, (first, *others)) in enumerate(sorted(rules.items(), key=lambda one: _weight(one[1]))):
        more = others_of_its_rule(first, others, options, paint) if others else []
        block = [*in_full(first, options, paint, excerpt=False), *more, ""]
        brief = in_brief(first, options, paint, len(others))
        after = 2 * (len(rules) - number - 1)  # for those that follow, in short
        in_short = number >= WARNINGS_IN_FULL and (in_short or len(lines) + len(block) + after > room)
        if not in_short:
            lines += block
        elif len(lines) + len(brief) + 2 <= room:
            lines += brief
        else:
            left.append(f"{code} {len(others) + 1}")
    if left:
        lines.append(cut(f"… and more warnings (--min-severity warning): {', '.join(left)}", options.width))
    return [*lines, ""] if lines and lines[-1] else lines


def _weight(groups: Sequence[Group]) -> tuple[bool, int]:
    """What is new comes first, then what touches most Applications."""
    return not any(group.is_new for group in groups), -len({name for group in groups for name in group.applications})


# -- under headings


def _by_heading(result: Result, options: ReportOptions, paint: Paint) -> list[str]:
    lines: list[str] = []
    for heading, groups in _sections(result, options):
        lines.append(paint(heading, BOLD))
        for group in groups:
            lines += _block(group, options, paint) if options.every else in_brief(group, options, paint)
        if not options.every:
            lines.append("")
    return lines


def _sections(result: Result, options: ReportOptions) -> Iterator[tuple[str, list[Group]]]:
    """In the order of their worst findings; a finding in several Applications is under each of them."""
    found: dict[str, list[Group]] = {}
    for group in result.groups:
        for heading in _headings(group, options):
            found.setdefault(heading, []).append(group)
    yield from found.items()


def _headings(group: Group, options: ReportOptions) -> Sequence[str]:
    if options.group_by == "rule":
        return [f"{group.rule.code} {group.rule.name}"]
    if options.group_by == "app":
        return [terminal(name) for name in group.applications] or ["in no known Application"]
    return list(dict.fromkeys(terminal(options.shown_path(item.file.path)) for item in group.places))


# -- notes on a terminal: a line a rule, with how many there are and how to see them

NAMED: Final = (
    "hook-without-delete-policy",
    "hook-without-deadline",
    "cr-in-wave-of-its-crd",
    "explicit-prune-false",
    "unpinned-crd-default",
    "dependency-in-same-wave",
    "secret-without-prune-protection",
)
"""What this linter was first asked for: never left out where there is no room for all."""
RULES: Final = 14


def note_lines(result: Result, options: ReportOptions, paint: Paint) -> list[str]:
    rules: dict[Rule, list[Group]] = {}
    for group in result.groups:
        if group.severity is Severity.NOTE:
            rules.setdefault(group.rule, []).append(group)
    if not rules:
        return []
    number = sum(map(len, rules.values()))
    by_number = sorted(rules, key=lambda rule: (rule.name not in NAMED, -len(rules[rule]), rule.code))
    lines = [paint(f"{counted(number, 'note')}, by rule (--min-severity note shows all, --show RULE one):", BOLD)]
    lines += [_line(rule, rules[rule], options) for rule in by_number[:RULES]]
    left = by_number[RULES:]
    if left:
        lines.append(f"  … and {sum(len(rules[rule]) for rule in left)} of {counted(len(left), 'more rule')}")
    return [*lines, ""]


def _line(rule: Rule, groups: list[Group], options: ReportOptions) -> str:
    places = sum(len(group.places) for group in groups)
    line = f"  {rule.code} {len(groups):>4}  {rule.name}"
    line += f" at {counted(places, 'place')}" if places != len(groups) else ""
    return cut(f"{line}: {terminal(rule.manual.summary)}", options.width)


def cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1].rpartition(' ')[0]}…"
