"""Logging commands of Azure Pipelines: an issue a cause, shown in the summary of the run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Result
from .advice import to_do
from .escape import azure_data, azure_property, terminal
from .heading import opening
from .links import rule_url
from .region import region_of
from .report_options import ReportOptions
from .summary import headline

_TYPE: Final = {Severity.ERROR: "error", Severity.WARNING: "warning"}
"""There are no others: notes are lines of the log."""


def render(result: Result, options: ReportOptions) -> str:
    lines = [_command(group, options) for group in result.nearest_groups if group.severity in _TYPE]
    notes = [_line(group, options) for group in result.nearest_groups if group.severity not in _TYPE]
    head = [*opening(result), headline(result)]
    return "".join(f"{line}\n" for line in (*map(terminal, head), *lines, *map(terminal, notes)))


def _command(group: Group, options: ReportOptions) -> str:
    region = region_of(group.first.finding.at)
    properties = {
        "type": _TYPE[group.severity],
        "sourcepath": options.repository_path(group.first.file.path),
        "linenumber": str(region.line),
        "columnnumber": str(region.column),
        "code": group.rule.code,
    }
    written = "".join(f"{key}={azure_property(value)};" for key, value in properties.items())
    return f"##vso[task.logissue {written}]{azure_data(' '.join(_sentences(group, options)))}"


def _line(group: Group, options: ReportOptions) -> str:
    place = f"{options.repository_path(group.first.file.path)}:{region_of(group.first.finding.at).line}"
    return f"{group.severity} {group.rule.code} {group.rule.name}: {group.headline} ({place})"


def _sentences(group: Group, options: ReportOptions) -> Iterator[str]:
    """On one line: the summary shows no other."""
    wording = group.first.finding.wording
    yield f"{'New: ' if group.is_new else ''}{group.headline}."
    yield from filter(None, (wording.happens,))
    yield from (f"Do: {advice.rstrip('.')}." for advice in islice(to_do(group.first), 1))
    if len(group.places) > 1:
        yield f"And {counted(len(group.places) - 1, 'more place')}."
    url = rule_url(group.rule, options)
    if url:
        yield url
