"""Notes on a terminal: a line a rule, with how many there are and how to see them."""

from __future__ import annotations

from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Result
from ..lint.rule import Rule
from .escape import terminal
from .report_options import ReportOptions
from .style import BOLD, Paint

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
