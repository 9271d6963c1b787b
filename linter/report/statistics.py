"""Findings counted by rule, as text or as JSON; the rules that took longest for those who ask for more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from ..facts.severity import Severity
from ..lint.result import Result
from ..lint.rule import Rule
from .report_options import TOOL, ReportOptions

SLOWEST: Final = 10
VERSION: Final = 1


class Count(NamedTuple):
    rule: Rule
    severity: Severity
    causes: int
    places: int


class Statistics(NamedTuple):
    result: Result
    seconds: Mapping[str, float]
    """By rule code."""
    without_schema: Mapping[str, int]
    """Custom resources that could not be validated, by kind."""

    @property
    def counts(self) -> list[Count]:
        """The worst first, then the most frequent."""
        causes = Counter((group.rule, group.severity) for group in self.result.groups)
        places = Counter((item.rule, item.severity) for item in self.result.reported)
        found = [Count(rule, severity, causes[rule, severity], number) for (rule, severity), number in places.items()]
        return sorted(found, key=lambda one: (-one.severity, -one.causes, -one.places, one.rule.code))

    @property
    def slowest(self) -> list[tuple[Rule, float]]:
        rules = {rule.code: rule for rule in self.result.rules}
        taken = sorted(((seconds, code) for code, seconds in self.seconds.items() if code in rules), reverse=True)
        return [(rules[code], seconds) for seconds, code in taken]

    @property
    def unknown_kinds(self) -> list[tuple[str, int]]:
        return sorted(self.without_schema.items(), key=lambda one: (-one[1], one[0]))


def as_text(found: Statistics, *, timing: bool) -> str:
    lines = [
        f"{one.causes:>6}  {one.severity!s:<8} {one.rule.code}  {one.rule.name}"
        + (f" at {one.places} places" if one.places != one.causes else "")
        for one in found.counts
    ] or ["No findings."]
    if timing:
        lines += ["", "Slowest rules:"]
        lines += [f"{taken * 1000:>8.1f} ms  {rule.code}  {rule.name}" for rule, taken in found.slowest[:SLOWEST]]
    if found.without_schema:
        lines += ["", "Not validated, since no schema is known (--schema-dir can name a folder with more):"]
        lines += [f"{count:>6}  {kind}" for kind, count in found.unknown_kinds]
    return "\n".join(lines) + "\n"


def as_json(found: Statistics, options: ReportOptions, *, timing: bool) -> str:
    report: dict[str, object] = {
        "version": VERSION,
        "tool": {"name": TOOL, "version": options.tool_version},
        "rules": [
            {
                "code": one.rule.code,
                "name": one.rule.name,
                "severity": str(one.severity),
                "causes": one.causes,
                "places": one.places,
            }
            for one in found.counts
        ],
        "withoutSchema": dict(found.unknown_kinds),
    }
    if timing:
        report["milliseconds"] = {rule.code: round(taken * 1000, 1) for rule, taken in found.slowest}
    return json.dumps(report, indent=2) + "\n"
