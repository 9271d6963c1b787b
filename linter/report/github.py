"""Workflow commands: annotations on a pull request without code scanning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Result
from .advice import to_do
from .escape import command_data, command_property, terminal
from .heading import opening
from .links import rule_url
from .region import region_of
from .report_options import TOOL, ReportOptions
from .summary import headline

_COMMAND: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
MOST_A_LEVEL: Final = 10
"""GitHub shows no more of each from one step, and says nothing about the rest."""
MOST_PLACES: Final = 5


def render(result: Result, options: ReportOptions) -> str:
    """The causes that concern the reader most, and where some had to be left out, how many."""
    room = dict.fromkeys(Severity, MOST_A_LEVEL)
    if any(result.count(severity) > room[severity] for severity in Severity):
        room[Severity.NOTE] -= 1  # for the sentence that says so
    shown: Counter[Severity] = Counter()
    lines = []
    for group in result.nearest_groups:
        shown[group.severity] += 1
        if shown[group.severity] <= room[group.severity]:
            lines.append(_command(group, options))
    left_out = len(result.groups) - len(lines)
    if left_out:
        title = command_property(TOOL)
        text = f"{counted(left_out, 'more finding')} {'is' if left_out == 1 else 'are'} not shown as annotations"
        lines.append(f"::notice title={title}::{text}")
    for remark in result.remarks:
        lines.append(f"::notice title={command_property(TOOL)}::{command_data(remark)}")
    head = [*opening(result), headline(result)] if lines else []
    return "".join(f"{line}\n" for line in (*map(terminal, head), *lines))


def _command(group: Group, options: ReportOptions) -> str:
    item = group.first
    region = region_of(item.finding.at)
    new = "new " if group.is_new else ""
    properties = {
        "file": options.repository_path(item.file.path),
        "line": str(region.line),
        "endLine": str(region.line),
        "col": str(region.column),
        "endColumn": str(region.end_column),
        "title": f"{TOOL}: {new}{group.severity} {group.rule.code} {group.rule.name}",
    }
    written = ",".join(f"{key}={command_property(value)}" for key, value in properties.items())
    return f"::{_COMMAND[group.severity]} {written}::{command_data(chr(10).join(_sentences(group, options)))}"


def _sentences(group: Group, options: ReportOptions) -> Iterator[str]:
    item = group.first
    yield group.headline
    if item.finding.wording.happens:
        yield item.finding.wording.happens
    for advice in islice(to_do(group.first), 1):
        yield f"Do: {advice}"
    places = [(note.at, note.message) for note in item.finding.related]
    places += [(other.finding.at, "the same here") for other in group.places[1:MOST_PLACES]]
    for at, message in places:
        yield f"{options.repository_path(at.file.path)}:{region_of(at).line}: {message}"
    if len(group.places) > MOST_PLACES:
        yield f"and {counted(len(group.places) - MOST_PLACES, 'more place')}"
    url = rule_url(group.rule, options)
    if url:
        yield f"Docs: {url}"
