"""Findings on the page: where, what happens, what to do, and the lines themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from ...facts.severity import Severity
from ...lint.causes import Group, grouped
from ...lint.redaction import shown_line
from ...lint.result import Reported
from ...report.advice import to_do
from ...report.heading import WHEN
from ...report.region import Region, region_of
from ..views.plan_views import ObjectView
from .markup import NOTHING, Html, join, tag, text
from .page_links import Places

CONTEXT: Final = 2
_LONGEST_LINE: Final = 200
_SIGNS: Final = {Severity.ERROR: "✕", Severity.WARNING: "!", Severity.NOTE: "i"}
"""The word beside it says the same; a screen reader is not told of the sign."""


def mark(severity: Severity, words: str) -> Html:
    sign = tag("span", {"aria-hidden": "true", "class": "sign"}, _SIGNS[severity])
    return tag("span", {"class": f"mark {severity}"}, sign, words)


def marks(findings: Iterable[Reported]) -> Html:
    """How many there are of each severity; causes, not places."""
    number: dict[Severity, int] = {}
    for group in grouped(findings):
        number[group.severity] = number.get(group.severity, 0) + 1
    return join(
        mark(severity, f"{number[severity]} {severity}{'s' if number[severity] > 1 else ''}")
        for severity in sorted(number, reverse=True)
    )


def finding_list(findings: Iterable[Reported], objects: Mapping[int, ObjectView], places: Places, prefix: str) -> Html:
    """`objects` is by the id of a resource; each finding gets an id from the prefix and its place in the list."""
    return tag(
        "ol",
        {"class": "findings"},
        join(
            _cause(group, objects, places, f"{prefix}-f{number}") for number, group in enumerate(grouped(findings), 1)
        ),
    )


def _cause(group: Group, objects: Mapping[int, ObjectView], places: Places, id_: str) -> Html:
    item = group.first
    region = region_of(item.finding.at)
    one = objects.get(id(item.resource)) if item.resource else None
    about = tag("a", {"href": f"#{one.id}", "class": "about"}, one.title) if one else NOTHING
    head = tag(
        "p",
        {"class": "head"},
        mark(item.severity, str(item.severity)),
        tag("span", {"class": "rule"}, f"{item.rule.code} {item.rule.name}, {WHEN[group.moment]}"),
        about,
        places.link(item.file.path, region.line),
    )
    body = [head, tag("p", {}, tag("b", {}, group.headline)), _excerpt(region)]
    if item.finding.wording.happens:
        body.append(tag("p", {}, item.finding.wording.happens))
    for todo in islice(to_do(item), 1):
        body.append(tag("p", {"class": "todo"}, tag("b", {}, "To do: "), todo))
    body += _related(item, places)
    body += _others(group, places)
    return tag("li", {"id": id_, "class": f"finding {item.severity}"}, *body)


def _related(item: Reported, places: Places) -> Iterator[Html]:
    for note in item.finding.related:
        region = region_of(note.at)
        yield tag("p", {"class": "related"}, places.link(note.at.file.path, region.line), f" {note.message}")


def _others(group: Group, places: Places) -> Iterator[Html]:
    for item in group.places[1:]:
        place = places.link(item.file.path, region_of(item.finding.at).line)
        yield tag("p", {"class": "related"}, place, f" {item.finding.wording.headline}")


def _excerpt(region: Region) -> Html:
    last = region.file.position(len(region.file.text.rstrip())).line
    numbers = range(max(region.line - CONTEXT, 1), max(min(region.line + CONTEXT, last), region.line) + 1)
    rows = []
    for number in numbers:
        line = shown_line(region.file, number)
        content = _marked(line, region) if number == region.line else text(line[:_LONGEST_LINE])
        kind = "row here" if number == region.line else "row"
        rows.append(tag("span", {"class": kind}, tag("span", {"class": "number"}, str(number)), content, Html("\n")))
    return tag("pre", {"class": "excerpt", "tabindex": "0", "aria-label": f"around line {region.line}"}, *rows)


def _marked(line: str, region: Region) -> Html:
    start, end = region.column - 1, region.end_column - 1
    if start > _LONGEST_LINE:
        return text(line[:_LONGEST_LINE])
    return join((line[:start], tag("mark", {}, line[start:end][:_LONGEST_LINE]), line[end:][:_LONGEST_LINE]))
