"""`gitops-lint apps` as a table: a line an Application or a set, and whether it was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from ..dialects.phrases import and_more
from ..lint.sight import loose_units, seen_of, seen_set, set_in_short, why_in_short, why_not
from ..repo.app import App
from ..repo.model import Repo
from ..report.cells import cells
from ..report.escape import markdown, terminal_line, without_masks

HEADS: Final = ("application", "source", "to", "objects", "seen")
_GAP: Final = "  "
_MOST_REASONS: Final = 12
_LEAST: Final = 10
"""Cells that a column keeps, however narrow the terminal is."""
Wants = Callable[[str], bool]


class Row(NamedTuple):
    name: str
    source: str
    to: str
    objects: str
    seen: str


def rows(repo: Repo, wants: Wants) -> Iterator[Row]:
    return (Row(*(without_masks(text) for text in row)) for row in _rows(repo, wants))


def _rows(repo: Repo, wants: Wants) -> Iterator[Row]:
    for app in repo.applications:
        if concerns(app, wants):
            yield _row(app)
    for one in repo.argocd.sets:
        state = seen_set(one)
        if state != "expanded" and wants(one.resource.file.path):
            why = "; ".join(dict.fromkeys(item.reason for item in one.expansion.unresolved))
            yield Row(f"(set) {one.resource.name}", one.resource.file.path, "", "", f"{state}: {why or 'it fails'}")


def concerns(app: App, wants: Wants) -> bool:
    return wants(app.file.path) or any(wants(resource.file.path) for resource in app.resources)


def _row(app: App) -> Row:
    application = app.application
    assert application
    makers = [one for one in app.rendered if one.path or one.source.path or one.source.chart] or app.rendered
    sources = " + ".join(one.path or one.source.chart or one.source.repo_url or "?" for one in makers)
    whys = why_not(app)
    more = and_more(len(whys) - 1, " (and {} more)")
    seen = seen_of(app) if not whys else f"{seen_of(app)}: {whys[0]}{more}"
    return Row(application.name, sources, application.target, str(len(app.resources)), seen)


def as_table(repo: Repo, width: int, wants: Wants = lambda path: True) -> str:
    found = [Row(*(terminal_line(text) for text in row)) for row in rows(repo, wants)]
    table = [Row(*HEADS), *found] if found else []
    widths = _widths(table, width)
    lines = [_GAP.join(_padded(text, room) for text, room in zip(row, widths, strict=True)).rstrip() for row in table]
    end = (summary(repo, wants), *reasons(repo, wants, width))
    return "".join(f"{line}\n" for line in (*lines, *([""] if lines else []), *end))


def reasons(repo: Repo, wants: Wants, width: int) -> Iterator[str]:
    """Why not all was seen, in full: the table has no room for it."""
    counts = Counter(why for app in repo.applications if concerns(app, wants) for why in why_in_short(app))
    counts.update(why for one in repo.argocd.sets if wants(one.resource.file.path) for why in set_in_short(one))
    if counts:
        yield "Not seen whole:"
    for why, number in counts.most_common(_MOST_REASONS):
        line = f"{number:>6}  {terminal_line(without_masks(why))}"
        yield from wrap(line, max(width, 2 * _LEAST), subsequent_indent=" " * 8, break_on_hyphens=False)
    if len(counts) > _MOST_REASONS:
        yield f"        and {len(counts) - _MOST_REASONS} other reasons"


def as_markdown(repo: Repo, wants: Wants = lambda path: True) -> str:
    lines = [f"| {' | '.join(HEADS)} |", f"|{'---|' * len(HEADS)}"]
    lines += (f"| {' | '.join(markdown(text) for text in row)} |" for row in rows(repo, wants))
    return "".join(f"{line}\n" for line in (*lines, "", summary(repo, wants)))


def summary(repo: Repo, wants: Wants = lambda path: True) -> str:
    """Of what the table shows."""
    applications = [app for app in repo.applications if concerns(app, wants)]
    loose = sum(1 for app in loose_units(repo) if concerns(app, wants))
    whole = sum(1 for app in applications if app.is_complete)
    states = [seen_set(one) for one in repo.argocd.sets if wants(one.resource.file.path)]
    parts = [f"Applications: {len(applications)} ({whole} seen whole)"]
    parts.append(
        f"ApplicationSets: {len(states)} ({states.count('expanded')} expanded, {states.count('once')} seen once)"
    )
    parts.append(f"folders that no Application syncs: {loose}")
    return "; ".join(parts)


def _widths(table: Sequence[Row], width: int) -> list[int]:
    """As wide as their texts; where that is too much, the widest give first."""
    widths = [max((_width(row[column]) for row in table), default=0) for column in range(len(HEADS))]
    room = width - len(_GAP) * (len(HEADS) - 1)
    while sum(widths) > room and max(widths) > _LEAST:
        widest = widths.index(max(widths))
        others = sorted(widths)[-2]
        widths[widest] = max(_LEAST, min(widths[widest] - 1, max(others, widths[widest] - (sum(widths) - room))))
    return widths


def _width(text: str) -> int:
    return sum(cell.width for cell in cells(text, 0, len(text)))


def _padded(text: str, room: int) -> str:
    if _width(text) <= room:
        return text + " " * (room - _width(text))
    kept, used = "", 0
    for cell in cells(text, 0, len(text)):
        if used + cell.width > room - 1:
            break
        kept, used = kept + cell.text, used + cell.width
    return f"{kept}…" + " " * (room - used - 1)
