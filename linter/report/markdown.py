"""The summary of a workflow job: counts and findings as tables, details folded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..manual import Manual
from ..result import Reported, Result
from ..rule import Severity
from . import summary
from .change_table import affected_table
from .escape import markdown
from .options import TOOL, ReportOptions
from .region import region_of

LARGEST: Final = 1_000_000
"""Bytes. GitHub drops a step's summary above 1 MiB, and others may write to it as well."""
_CLOSING: Final = 1_000
"""Bytes kept for what closes a cut summary."""
_SHOWN_REASONS: Final = 20
_TITLES: Final = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.NOTE: "Notes"}


def render(result: Result, options: ReportOptions) -> str:
    title = summary.counts(result) or _nothing_found(result)
    page = Page()
    page.add(f"## {TOOL}: {title}\n\n{markdown(summary.headline(result))}\n\n")
    for remark in result.remarks:
        page.add(f"**{markdown(summary.sentence(remark))}**\n\n")
    if result.affected:
        page.add(f"### What the next sync does\n\n{affected_table(result.affected)}")
    if result.reported:
        page.add(_count_table(result))
    page.add(_not_analysed(result, options))
    for severity in sorted(Severity, reverse=True):
        items = [item for item in result.reported if item.severity is severity]
        if items:
            _section(page, severity, items, options)
    _meanings(page, result)
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


def _count_table(result: Result) -> str:
    lines = ["| Severity | Findings |", "|:--|--:|"]
    lines += [f"| {severity} | {result.count(severity)} |" for severity in sorted(Severity, reverse=True)]
    return "\n".join(lines) + "\n\n"


def _not_analysed(result: Result, options: ReportOptions) -> str:
    reasons = summary.not_analysed(result)
    if not reasons:
        return ""
    lines = ["### Not analysed", ""]
    for reason, paths in list(reasons.items())[:_SHOWN_REASONS]:
        shown = [options.repository_path(path) for path in paths]
        lines.append(f"- {markdown(reason)} ({len(paths)}): <code>{markdown(summary.first_of(shown))}</code>")
    if len(reasons) > _SHOWN_REASONS:
        lines.append(f"- {len(reasons) - _SHOWN_REASONS} more reasons")
    return "\n".join(lines) + "\n\n"


def _section(page: Page, severity: Severity, items: list[Reported], options: ReportOptions) -> None:
    """Errors and warnings lie open; notes are folded."""
    title = f"{_TITLES[severity]} ({len(items)})"
    folded = severity is Severity.NOTE
    heading = f"<details><summary>{title}</summary>" if folded else f"### {title}"
    if not page.add(f"{heading}\n\n| Place | Rule | What happens |\n|:--|:--|:--|\n"):
        page.left_out += len(items)
        return
    for item in items:
        page.left_out += not page.add(_row(item, options))
    page.close("\n</details>\n\n" if folded else "\n")


def _row(item: Reported, options: ReportOptions) -> str:
    region = region_of(item.finding.at)
    place = f"<code>{markdown(options.repository_path(item.file.path))}&#58;{region.line}</code>"
    what = markdown(item.finding.message)
    for note in item.finding.related:
        where = f"{options.repository_path(note.at.file.path)}:{region_of(note.at).line}"
        what += f"<br><code>{markdown(where)}</code> {markdown(note.message)}"
    if item.finding.fixes:
        what += f"<br>Fix: {markdown(item.finding.fixes[0].title)}"
    return f"| {place} | {item.rule.code} {item.rule.name} | {what} |\n"


def _meanings(page: Page, result: Result) -> None:
    rules = {item.rule.code: item.rule for item in result.reported}
    if not rules or not page.add("<details><summary>What these rules say</summary>\n\n"):
        return
    for code in sorted(rules):
        page.add(f"**{code} {rules[code].name}**: {' '.join(_meaning(rules[code].manual))}\n\n")
    page.close("</details>\n")


def _meaning(manual: Manual) -> Iterator[str]:
    fix = f"Fix: {manual.fix}" if manual.fix else ""
    yield from (markdown(" ".join(text.split())) for text in (manual.summary, manual.why, fix) if text)
