"""The summary of a workflow job: counts and findings as tables, details folded."""

from __future__ import annotations

from itertools import islice
from typing import Final

from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..lint.causes import Group
from ..lint.result import Reported, Result
from . import summary
from .advice import to_do
from .change_table import affected_table
from .escape import markdown
from .heading import WHEN, opening
from .links import rule_url
from .region import region_of
from .report_options import TOOL, ReportOptions

LARGEST: Final = 1_000_000
"""Bytes. GitHub drops a step's summary above 1 MiB, and others may write to it as well."""
_CLOSING: Final = 1_000
"""Bytes kept for what closes a cut summary."""
_SHOWN_REASONS: Final = 20
_SHOWN_PLACES: Final = 6
_TITLES: Final = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.NOTE: "Notes"}


def render(result: Result, options: ReportOptions) -> str:
    title = summary.counts(result) or _nothing_found(result)
    page = Page()
    head = [*opening(result), summary.headline(result)]
    page.add(f"## {TOOL}: {title}\n\n{'<br>'.join(map(markdown, head))}\n\n")
    for remark in result.remarks:
        page.add(f"**{markdown(summary.sentence(remark))}**\n\n")
    if result.affected:
        page.add(f"### What the next sync does\n\n{affected_table(result.affected)}")
    for severity in sorted(Severity, reverse=True):
        groups = [group for group in result.groups if group.severity is severity]
        if groups:
            _section(page, severity, groups, options)
    page.add(_not_analysed(result, options))
    return page.text()


def _nothing_found(result: Result) -> str:
    if result.crashed:
        return "incomplete"
    return "all checks passed" if result.files else "nothing to check"


class Page:
    """Grows to its limit; after the first piece that does not fit it takes no other."""

    def __init__(self) -> None:
        self.left_out = 0
        """Findings that found no room."""
        self._parts: list[str] = []
        self._room = LARGEST - _CLOSING

    def add(self, text: str) -> bool:
        """False when there is no room for it."""
        self._room -= len(text.encode("utf-8", "replace"))
        if self._room < 0:
            return False
        self._parts.append(text)
        return True

    def close(self, text: str) -> None:
        """For what must follow a piece that was taken: room is kept for it."""
        self._parts.append(text)

    def text(self) -> str:
        cut = f"\n{self.left_out} findings are left out: a job summary holds 1 MiB.\n" if self.left_out else ""
        return "".join(self._parts) + cut


def _not_analysed(result: Result, options: ReportOptions) -> str:
    reasons = summary.not_analysed(result)
    if not reasons:
        return ""
    lines = ["### Not analysed", ""]
    for reason, paths in list(reasons.items())[:_SHOWN_REASONS]:
        shown = [options.repository_path(path) for path in paths]
        lines.append(f"- {markdown(reason)} ({len(paths)}): <code>{markdown(summary.first_of(shown))}</code>")
    if len(reasons) > _SHOWN_REASONS:
        lines.append(f"- {counted(len(reasons) - _SHOWN_REASONS, 'more reason')}")
    return "\n".join(lines) + "\n\n"


def _section(page: Page, severity: Severity, groups: list[Group], options: ReportOptions) -> None:
    """Errors and warnings lie open; notes are folded."""
    title = f"{_TITLES[severity]} ({len(groups)})"
    folded = severity is Severity.NOTE
    heading = f"<details><summary>{title}</summary>" if folded else f"### {title}"
    if not page.add(f"{heading}\n\n| Place | Rule | What happens, and what to do |\n|:--|:--|:--|\n"):
        page.left_out += len(groups)
        return
    for group in groups:
        page.left_out += not page.add(_row(group, options))
    page.close("\n</details>\n\n" if folded else "\n")


def _row(group: Group, options: ReportOptions) -> str:
    item = group.first
    more = len(group.places) - 1
    place = _place(item, options) + (f"<br>and {counted(more, 'more place')}" if more else "")
    what = f"{'**New:** ' if group.is_new else ''}{markdown(group.headline)}"
    if item.finding.wording.happens:
        what += f"<br>{markdown(item.finding.wording.happens)}"
    for note in item.finding.related:
        where = f"{options.repository_path(note.at.file.path)}:{region_of(note.at).line}"
        what += f"<br><code>{markdown(where)}</code> {markdown(note.message)}"
    for advice in islice(to_do(group.first), 1):
        what += f"<br>Do: {markdown(advice)}"
    if more:
        others = ", ".join(_place(other, options) for other in group.places[1:_SHOWN_PLACES])
        what += f"<br>Also: {others}{', …' if more >= _SHOWN_PLACES else ''}"
    return f"| {place} | {_rule(group, options)} | {what} |\n"


def _place(item: Reported, options: ReportOptions) -> str:
    line = region_of(item.finding.at).line
    return f"<code>{markdown(options.repository_path(item.file.path))}&#58;{line}</code>"


def _rule(group: Group, options: ReportOptions) -> str:
    """With its page, which is ours, and when it bites."""
    url = rule_url(group.rule, options)
    name = f"{group.rule.code} {group.rule.name}"
    return f"[{name}]({url})<br>{WHEN[group.moment]}" if url else f"{name}<br>{WHEN[group.moment]}"
