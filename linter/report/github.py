"""Workflow commands: annotations on a pull request without code scanning."""

from __future__ import annotations

from collections import Counter
from typing import Final

from ..result import Reported, Result
from ..rule import Severity
from .escape import command_data, command_property
from .options import TOOL, ReportOptions
from .region import region_of

_COMMAND: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
MOST_A_LEVEL: Final = 10
"""GitHub shows no more of each from one step, and says nothing about the rest."""


def render(result: Result, options: ReportOptions) -> str:
    """The findings that concern the reader most, and where some had to be left out, how many."""
    numbers = {severity: result.count(severity) for severity in Severity}
    room = dict.fromkeys(Severity, MOST_A_LEVEL)
    if any(numbers[severity] > room[severity] for severity in Severity):
        room[Severity.NOTE] -= 1  # for the sentence that says so
    shown: Counter[Severity] = Counter()
    lines = []
    for item in result.nearest_first:
        shown[item.severity] += 1
        if shown[item.severity] <= room[item.severity]:
            lines.append(_command(item, options))
    left_out = len(result.reported) - len(lines)
    if left_out:
        title = command_property(TOOL)
        lines.append(f"::notice title={title}::{left_out} more findings are not shown as annotations")
    for remark in result.remarks:
        lines.append(f"::notice title={command_property(TOOL)}::{command_data(remark)}")
    return "".join(f"{line}\n" for line in lines)


def _command(item: Reported, options: ReportOptions) -> str:
    region = region_of(item.finding.at)
    properties = {
        "file": options.repository_path(item.file.path),
        "line": str(region.line),
        "endLine": str(region.line),
        "col": str(region.column),
        "endColumn": str(region.end_column),
        "title": f"{TOOL} ({item.rule.code} {item.rule.name})",
    }
    written = ",".join(f"{key}={command_property(value)}" for key, value in properties.items())
    related = "".join(
        f"\n{options.repository_path(note.at.file.path)}:{region_of(note.at).line}: {note.message}"
        for note in item.finding.related
    )
    return f"::{_COMMAND[item.severity]} {written}::{command_data(item.finding.message + related)}"
