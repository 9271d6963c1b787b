"""Findings counted by rule, and the rules that took longest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..lint.result import Result

SLOWEST = 10


def statistics(result: Result, seconds: Mapping[str, float], without_schema: Mapping[str, int]) -> str:
    counts = Counter((item.rule, item.severity) for item in result.reported)
    lines = [
        f"{count:>6}  {severity!s:<8} {rule.code}  {rule.name}"
        for (rule, severity), count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0][0].code))
    ]
    lines += ["", "Slowest rules:"] if lines else ["No findings.", "", "Slowest rules:"]
    names = {rule.code: rule.name for rule in result.rules}
    slowest = sorted(((taken, code) for code, taken in seconds.items() if code in names), reverse=True)[:SLOWEST]
    lines += [f"{taken * 1000:>8.1f} ms  {code}  {names[code]}" for taken, code in slowest]
    if without_schema:
        lines += ["", "Not validated, since no schema is known (--schema-dir can name a folder with more):"]
        lines += [
            f"{count:>6}  {kind}" for kind, count in sorted(without_schema.items(), key=lambda one: (-one[1], one[0]))
        ]
    return "\n".join(lines) + "\n"
