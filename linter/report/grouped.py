"""File by file: a heading each, and below it a line a finding."""

from __future__ import annotations

from itertools import groupby

from ..lint.result import Reported, Result
from .concise import closing_lines
from .escape import terminal, terminal_path
from .region import region_of
from .report_options import ReportOptions
from .style import BOLD, DIM, Paint


def render(result: Result, options: ReportOptions) -> str:
    paint = Paint(options.color)
    lines: list[str] = []
    for path, items in groupby(result.reported, key=lambda item: item.file.path):
        lines.append(f"{paint(terminal_path(options.shown_path(path)), BOLD)}:")
        lines += _rows(list(items), paint)
        lines.append("")
    return "".join(f"{line}\n" for line in (*lines, *closing_lines(result, options)))


def _rows(items: list[Reported], paint: Paint) -> list[str]:
    """Places, severities and codes stand below each other."""
    places = [f"{region_of(item.finding.at).line}:{region_of(item.finding.at).column}" for item in items]
    place_width = max(map(len, places))
    word_width = max(len(str(item.severity)) for item in items)
    return [
        f"  {place.rjust(place_width)}  {paint.severity(item.severity)}{' ' * (word_width - len(str(item.severity)))}"
        f"  {item.rule.code}  {terminal(item.finding.wording.headline)} {paint(f'({item.rule.name})', DIM)}"
        for place, item in zip(places, items, strict=True)
    ]
