"""One line a finding: for grep, for editors' error parsers, for long lists."""

from __future__ import annotations

from typing import Final

from ..dialects.phrases import counted
from ..lint.result import Reported, Result
from . import summary
from .escape import terminal, terminal_path
from .region import region_of
from .report_options import ReportOptions
from .style import BOLD, Paint

SHOWN_REASONS: Final = 5


def render(result: Result, options: ReportOptions) -> str:
    paint = Paint(options.color)
    lines = [line_of(item, options, paint) for item in result.reported]
    return "".join(f"{line}\n" for line in (*lines, *closing_lines(result, options)))


def line_of(item: Reported, options: ReportOptions, paint: Paint) -> str:
    region = region_of(item.finding.at)
    path = paint(terminal_path(options.shown_path(item.file.path)), BOLD)
    what = f"{paint.severity(item.severity)} {item.rule.code} {item.rule.name}"
    return f"{path}:{region.line}:{region.column}: {what}: {terminal(item.finding.message)}"


def closing_lines(result: Result, options: ReportOptions) -> list[str]:
    """The summary, and one line for every reason why something was not looked at; nothing if that was not asked for."""
    if options.quiet:
        return []
    lines = [summary.headline(result), *(terminal(summary.sentence(remark)) for remark in result.remarks)]
    lines += summary.out_of_reach(result)
    if options.show_unread:
        lines += (
            terminal(f"  {options.shown_path(path)}: {reason}")
            for reason, paths in result.out_of_reach.items()
            for path in paths
        )
    reasons = summary.not_analysed(result)
    for reason, paths in list(reasons.items())[:SHOWN_REASONS]:
        shown = [options.shown_path(path) for path in paths]
        lines.append(terminal(summary.not_analysed_sentence(reason, shown)))
    if len(reasons) > SHOWN_REASONS:
        more = counted(len(reasons) - SHOWN_REASONS, "more reason")
        lines.append(f"Not analysed for {more}; json lists all.")
    return lines
