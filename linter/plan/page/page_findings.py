"""Findings on the page: where, what happens, what to do, and the lines themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from ...dialects.phrases import and_more, counted
from ...facts.severity import Severity
from ...lint.causes import Group, grouped
from ...lint.redaction import shown_line, shown_whole
from ...lint.result import Reported, Result
from ...report.advice import to_do
from ...report.fix_edits import Lowered
from ...report.heading import WHEN
from ...report.region import Region, region_of
from .markup import NOTHING, Html, join, later, prose, tag, text
from .page_links import Places

CONTEXT: Final = 2
OTHERS: Final = 5
APPLICATIONS: Final = 12
_LONGEST_LINE: Final = 200
_CHANGED: Final = {"+": "added", "-": "removed"}
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
    return count_marks(number)


def count_marks(number: Mapping[Severity, int], *, short: bool = False) -> Html:
    """In a short one the words are only heard."""
    return join(_count(severity, number[severity], short) for severity in sorted(number, reverse=True))


def _count(severity: Severity, number: int, short: bool) -> Html:
    word = f"{severity}{'s' if number > 1 else ''}"
    return mark(
        severity, join((str(number), tag("span", {"class": "unseen"}, f" {word}"))) if short else f"{number} {word}"
    )


def anchor_of(group: Group) -> str:
    """Its address, which stays when its places change; worse places of one cause are a group of their own."""
    return f"cause-{group.severity}-{group.fingerprint[:12]}"


class Shown:
    """What findings are shown with: links to files, the apps that they touch, the text of fixes."""

    def __init__(self, places: Places, groups: Iterable[Group], apps: Mapping[str, str]) -> None:
        self.places = places
        self.apps = apps
        """By the name of an Application: the id of its section."""
        self._groups = {id(item): group for group in groups for item in group.places}
        self._lowered = Lowered()

    def groups_of(self, findings: Iterable[Reported]) -> list[Group]:
        """Each once, in the order of the findings."""
        found = (self._groups.get(id(item)) for item in findings)
        return list({id(group): group for group in found if group is not None}.values())

    def difference(self, group: Group) -> str:
        """What the best fix of the first place changes; empty where that cannot be shown."""
        from ...fix import FileFix, unified_diff

        for fix in islice(group.first.finding.fixes, 1):
            edits = self._lowered.edits(fix)
            file = fix.patch.document.file
            if edits:
                after = file.text
                for edit in sorted(edits, key=lambda one: -one.start):
                    after = f"{after[: edit.start]}{edit.text}{after[edit.end :]}"
                return unified_diff(FileFix(file, file.text, after, (), ()), shown_whole)
        return ""


def brief_list(findings: Iterable[Reported], shown: Shown) -> Html:
    """Of one app: a line or two each, that lead to all that is to be said."""
    return tag("ol", {"class": "causes"}, *(_brief(group, shown) for group in shown.groups_of(findings)))


def _brief(group: Group, shown: Shown) -> Html:
    item = group.first
    todo = next(to_do(item), "")
    return tag(
        "li",
        {},
        mark(group.severity, f"{group.severity} {group.rule.code}"),
        tag("a", {"href": f"#{anchor_of(group)}"}, group.headline),
        shown.places.of(item),
        tag("span", {"class": "todo"}, f"To do: {todo}") if todo else NOTHING,
    )


def cause(group: Group, shown: Shown) -> Html:
    item = group.first
    region = region_of(item.finding.at)
    new = tag("span", {"class": "chip"}, "new") if group.is_new else NOTHING
    head = tag(
        "p",
        {"class": "head"},
        mark(item.severity, str(item.severity)),
        new,
        tag("span", {"class": "rule"}, f"{item.rule.code} {item.rule.name}, {WHEN[group.moment]}"),
        shown.places.of(item),
        tag("a", {"href": f"#{anchor_of(group)}", "class": "anchor", "aria-label": "link to this finding"}, "#"),
    )
    body = [head, tag("p", {}, tag("b", {}, group.headline)), _excerpt(region)]
    if item.finding.wording.happens:
        body.append(tag("p", {}, prose(item.finding.wording.happens)))
    for todo in islice(to_do(item), 1):
        body.append(tag("p", {"class": "todo"}, tag("b", {}, "To do: "), prose(todo)))
    body += _difference(shown.difference(group))
    body += _related(item, shown.places)
    body += _in_apps(group, shown)
    body += _others(group, shown.places)
    attributes = {
        "id": anchor_of(group),
        "class": f"finding {item.severity}",
        "data-severity": str(item.severity),
        "data-rule": f"{item.rule.code} {item.rule.name}",
        "data-moment": str(group.moment),
        "data-apps": "\n".join(group.applications),
        **({} if group.is_new is None else {"data-new": "new" if group.is_new else "known"}),
    }
    return tag("li", attributes, *body)


def _difference(text_: str) -> Iterator[Html]:
    if text_:
        rows = [
            tag("span", {"class": f"row {_CHANGED.get(line[:1], '')}".strip()}, line, Html("\n"))
            for line in text_.splitlines()[2:]
        ]
        excerpt = tag("pre", {"class": "excerpt", "tabindex": "0", "aria-label": "what the fix changes"}, *rows)
        yield tag("details", {"class": "fix"}, tag("summary", {}, "The fix"), excerpt)


def _in_apps(group: Group, shown: Shown) -> Iterator[Html]:
    names = group.applications
    if names:
        known = [tag("a", {"href": f"#{shown.apps[name]}"}, name) if name in shown.apps else name for name in names]
        listed = join(part for one in known[:APPLICATIONS] for part in (one, ", "))[:-2]
        more = and_more(len(names) - APPLICATIONS)
        yield tag("p", {"class": "related"}, "In ", Html(listed), more)


def _related(item: Reported, places: Places) -> Iterator[Html]:
    for note in item.finding.related:
        region = region_of(note.at)
        yield tag("p", {"class": "related"}, places.link(note.at.file.path, region.line), f" {note.message}")


def _others(group: Group, places: Places) -> Iterator[Html]:
    """Folded where there are many."""
    others = [
        tag("p", {"class": "related"}, places.of(item), f" {said}")
        for item in group.places[1:]
        for said in (item.finding.wording.headline,)
    ]
    if len(others) <= OTHERS:
        yield from others
    else:
        yield tag("details", {}, tag("summary", {}, counted(len(others), "more place")), *others)


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


# -- all of them on one view; the script adds the choice of severity, rule, Application and moment


def findings_view(result: Result, shown: Shown, *, lazy: bool) -> Html:
    listed = tag("ol", {"class": "findings"}, *(cause(group, shown) for group in result.groups))
    body = listed if result.groups else tag("p", {}, "Nothing was found.")
    return tag(
        "section",
        {"class": "view", "id": "findings", "aria-labelledby": "findings-title"},
        tag("h2", {"id": "findings-title"}, counted(len(result.groups), "finding")),
        later(body) if lazy else body,
    )
