"""Where the page opens: what was read and not seen, the Applications by what is wrong, the causes by weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ...dialects.phrases import counted
from ...facts.severity import Severity
from ...lint.causes import Group
from ...lint.result import Result
from ...report import summary
from ...report.heading import opening
from ..views import AppView, PlanView
from ..views.glance import hang_ups
from ..views.twins import made_by
from .markup import NOTHING, Html, fold, join, prose, tag
from .page_findings import anchor_of, count_marks, mark
from .page_links import Places

CAUSES: Final = 15
"""Those that weigh most; the others are a click away."""
REASONS: Final = 5
PATHS: Final = 100
ROWS: Final = 25
"""Of a table; the others are a click away, so that what comes below it is found."""
BRANCHES: Final = 40
"""Applications in the tree, from which on it is folded."""

HINT: Final = "Can hang: objects that a sync waits for without a limit of time."


def worst_first(apps: Sequence[AppView]) -> list[AppView]:
    """By what is wrong with them, then by where they can hang, then by name."""
    return sorted(apps, key=lambda app: (*(-number for number in _numbers(app)), -len(hang_ups(app)), app.title))


def _numbers(app: AppView) -> tuple[int, int, int]:
    found = app.numbers
    return found.get(Severity.ERROR, 0), found.get(Severity.WARNING, 0), found.get(Severity.NOTE, 0)


def overview(view: PlanView, result: Result, places: Places, *, lazy: bool) -> Html:
    applications = worst_first([app for app in view.apps if app.is_application])
    folders = worst_first([app for app in view.apps if not app.is_application])
    return tag(
        "section",
        {"class": "view", "id": "overview", "aria-labelledby": "overview-title"},
        tag("h2", {"id": "overview-title"}, "Overview"),
        join(tag("p", {}, prose(line)) for line in (*opening(result), summary.headline(result), *result.remarks)),
        join(_unseen(result)),
        join(_causes(result.groups, places)),
        join(_applications(applications, lazy)),
        join(_order(applications, lazy)),
        join(_folders(folders, lazy)),
    )


def _unseen(result: Result) -> Iterator[Html]:
    reasons = summary.not_analysed(result)
    lines = [_reason(reason, paths) for reason, paths in reasons.items()]
    if len(lines) > REASONS + 1:
        rest = tag("ul", {}, *lines[REASONS:])
        lines[REASONS:] = [tag("li", {}, fold(counted(len(reasons) - REASONS, "more reason"), rest))]
    lines += [tag("li", {}, prose(line)) for line in summary.out_of_reach(result)]
    if lines:
        title = "Not seen: what is said below may lack something" if reasons else "Not judged"
        yield tag("div", {"class": "box unknown"}, tag("p", {}, title), tag("ul", {}, *lines))


def _reason(reason: str, paths: list[str]) -> Html:
    """The files are many and seldom asked for."""
    shown = [tag("li", {"class": "place"}, path) for path in paths[:PATHS]]
    if len(paths) > PATHS:
        shown.append(tag("li", {}, f"and {len(paths) - PATHS} more, see the format json"))
    title = join((prose(reason), tag("small", {}, f" in {counted(len(paths), 'file')}")))
    return tag("li", {}, fold(title, tag("ul", {}, *shown)))


def _causes(groups: Sequence[Group], places: Places) -> Iterator[Html]:
    if not groups:
        return
    yield tag("h3", {}, "What weighs most")
    yield tag("ol", {"class": "causes"}, *(_cause(group, places) for group in groups[:CAUSES]))
    if len(groups) > CAUSES:
        yield tag("p", {}, tag("a", {"href": "#findings"}, f"All {len(groups)} findings"))


def _cause(group: Group, places: Places) -> Html:
    new = tag("span", {"class": "chip"}, "new") if group.is_new else NOTHING
    return tag(
        "li",
        {},
        mark(group.severity, str(group.severity)),
        new,
        tag("a", {"href": f"#{anchor_of(group)}"}, group.headline),
        tag("small", {}, _weight(group)) if len(group.places) > 1 else places.of(group.first),
    )


def _weight(group: Group) -> str:
    apps = len(group.applications)
    whose = f"{apps} Applications" if apps > 1 else f"Application '{group.applications[0]}'" if apps else ""
    return counted(len(group.places), "place") + (f" in {whose}" if whose else "")


_COLUMNS: Final = ("Application", "Errors", "Warnings", "Notes", "Can hang", "Objects", "Seen whole")


def _applications(apps: Sequence[AppView], lazy: bool) -> Iterator[Html]:
    yield tag("h3", {}, f"Applications ({len(apps)})")
    if apps:
        makers = _makers(apps)
        yield tag("p", {"class": "hint"}, HINT)
        most = ROWS if lazy and len(apps) > ROWS + 5 else len(apps)
        yield _table(apps[:most], f"{len(apps)} Applications, the worst first", _COLUMNS, makers)
        if apps[most:]:
            rest = counted(len(apps) - most, "more Application")
            yield fold(f"Show {rest}", _table(apps[most:], rest, _COLUMNS, makers), lazy=True)
    else:
        yield tag("p", {}, "No Application is known here: nothing says who would sync these files.")


def _folders(apps: Sequence[AppView], lazy: bool) -> Iterator[Html]:
    if apps:
        title = f"{counted(len(apps), 'folder')} that no known Application syncs"
        listed = _table(apps, "Folders that no known Application syncs", ("Folder", *_COLUMNS[1:]), {})
        yield fold(title, listed, lazy=lazy, name="loose")


def _table(apps: Sequence[AppView], caption: str, columns: Sequence[str], makers: Mapping[str, str]) -> Html:
    head = tag("tr", {}, *(tag("th", {"scope": "col"}, name) for name in columns))
    rows = (_row(app, makers.get(app.id, "")) for app in apps)
    return tag(
        "div",
        {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption},
        tag("table", {}, tag("thead", {}, head), tag("tbody", {}, *rows)),
    )


def _row(app: AppView, maker: str) -> Html:
    name = tag("th", {"scope": "row"}, tag("a", {"href": f"#{app.id}"}, app.title), _told_apart(app, maker))
    cells = [
        tag("td", {"class": f"number {word if number else 'none'}"}, str(number))
        for word, number in zip(("error", "warning", "note"), _numbers(app), strict=True)
    ]
    hangs = len(hang_ups(app))
    cells.append(tag("td", {"class": f"number {'hang' if hangs else 'none'}"}, str(hangs)))
    cells.append(tag("td", {"class": "number"}, str(len(app.objects))))
    cells.append(tag("td", {"class": "seen"}, _seen(app)))
    return tag("tr", {}, name, *cells)


def _told_apart(app: AppView, maker: str) -> Html:
    """Where it comes from and goes: Applications of one name are not rare. Some have even that in common."""
    words = " → ".join(word for word in (app.source, app.destination) if word)
    words = ", ".join(word for word in (words, maker) if word)
    return tag("small", {}, words) if app.is_application and words else NOTHING


def _makers(apps: Sequence[AppView]) -> dict[str, str]:
    """By id: who creates those that nothing else tells apart."""
    alike = Counter((app.title, app.source, app.destination) for app in apps)
    known = {app.id: app for app in apps}
    return {app.id: made_by(app, known) for app in apps if alike[app.title, app.source, app.destination] > 1}


def _seen(app: AppView) -> str:
    if app.failures:
        return "cannot be generated"
    if not app.unresolved:
        return "yes"
    return join(("in part" if app.steps else "no", tag("small", {}, prose(app.unresolved[0]))))


def _order(apps: Sequence[AppView], lazy: bool) -> Iterator[Html]:
    """The tree of Applications that create others, children in the order of their waves."""
    known = {app.id: app for app in apps}
    made = {child.id for app in apps for child in app.children if child.id != app.id}
    roots = [app for app in apps if app.id not in made and any(child.id in known for child in app.children)]
    shown: set[str] = set()
    branches = [_branch(root, known, shown) for root in sorted(roots, key=lambda app: app.title)]
    if branches:
        yield tag("h3", {}, "Who creates whom, in the order of the syncs")
        tree = tag("ul", {"class": "tree"}, *branches)
        yield fold(f"Show all {len(shown)}", tree, lazy=True) if lazy and len(shown) > BRANCHES else tree


def _branch(app: AppView, known: dict[str, AppView], shown: set[str], lead: str = "") -> Html:
    shown.add(app.id)
    children = [
        _branch(known[child.id], known, shown, f"wave {child.wave}: ")
        for child in sorted(app.children, key=lambda one: (one.wave, one.name))
        if child.id in known and child.id not in shown
    ]
    wrong = {severity: number for severity, number in app.numbers.items() if severity > Severity.NOTE}
    label = join((lead, tag("a", {"href": f"#{app.id}"}, app.title), " ", count_marks(wrong)))
    return tag("li", {}, label, tag("ul", {}, *children) if children else NOTHING)
