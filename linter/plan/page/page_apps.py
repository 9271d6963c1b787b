"""One app on the page, and the list to choose it from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...report.region import region_of
from ..views import AppView, ObjectView, PlanView
from ..views.glance import can_hang, runs_first
from ..views.plan_words import left_out
from .markup import NOTHING, Html, join, tag
from .page_findings import finding_list, marks
from .page_links import Places
from .timeline import timeline


def app_list(view: PlanView) -> Html:
    """Children below the app that creates them, once; the rest in order."""
    below: dict[str, list[AppView]] = {}
    known = {app.id: app for app in view.apps}
    for app in view.apps:
        for parent, _ in app.parents:
            below.setdefault(parent, []).append(app)
    shown: set[str] = set()
    roots = [app for app in view.apps if not any(parent in known for parent, _ in app.parents)]
    items = [_entry(app, below, shown) for app in (*roots, *view.apps) if app.id not in shown]
    return tag("ul", {"class": "apps"}, *items)


def _entry(app: AppView, below: dict[str, list[AppView]], shown: set[str]) -> Html:
    shown.add(app.id)
    children = [_entry(child, below, shown) for child in below.get(app.id, ()) if child.id not in shown]
    label = tag("a", {"href": f"#{app.id}"}, tag("span", {"class": "name"}, app.title), _state(app))
    return tag("li", {}, label, tag("ul", {}, *children) if children else NOTHING)


def _state(app: AppView) -> Html:
    known = NOTHING if app.steps else tag("span", {"class": "chip"}, "not known")
    return tag("span", {"class": "chips"}, known, marks(app.all_findings))


def app_section(app: AppView, places: Places) -> Html:
    title = f"{app.id}-title"
    return tag(
        "section",
        {"class": "app", "id": app.id, "aria-labelledby": title},
        tag("h2", {"id": title}, app.title, tag("small", {}, app.kind)),
        _facts(app, places),
        join(_trouble(app)),
        _glance(app, places),
        join(_order(app, places)),
        join(_to_change(app, places)),
        join(_not_applied(app, places)),
        join(_notes(app)),
    )


def _facts(app: AppView, places: Places) -> Html:
    rows: list[tuple[str, str]] = [("Written in", places.link(app.where.path, app.where.line))]
    if app.is_application:
        rows += [("Source", app.source), ("Destination", app.destination), ("Policy", app.policy)]
    for id_, name in app.parents:
        rows.append(("Created by", tag("a", {"href": f"#{id_}"}, name)))
    pairs = [tag("div", {}, tag("dt", {}, name), tag("dd", {}, value)) for name, value in rows]
    return tag("dl", {"class": "about-app"}, *pairs)


def _trouble(app: AppView) -> Iterator[Html]:
    if app.failures:
        yield _box("trouble", "Argo CD cannot generate the manifests, so nothing of this happens:", app.failures)
    if app.unresolved:
        yield _box("unknown", "Not everything is known, objects may be missing here:", app.unresolved)


def _box(name: str, title: str, items: Sequence[str]) -> Html:
    listed = tag("ul", {}, *(tag("li", {}, one) for one in items))
    return tag("div", {"class": f"box {name}"}, tag("p", {}, title), listed)


def _glance(app: AppView, places: Places) -> Html:
    if not app.steps:
        return NOTHING
    first = app.all_findings[0] if app.all_findings else None
    change: str = "nothing found"
    if first is not None:
        link = tag("a", {"href": f"#{app.id}-f1"}, f"{first.severity} {first.rule.code}")
        change = join((link, " in ", places.link(first.file.path, region_of(first.finding.at).line)))
    tiles = (("Runs first", runs_first(app)), ("Can hang", can_hang(app)), ("Change first", change))
    return tag(
        "dl", {"class": "glance"}, *(tag("div", {}, tag("dt", {}, name), tag("dd", {}, value)) for name, value in tiles)
    )


def _order(app: AppView, places: Places) -> Iterator[Html]:
    if app.steps:
        yield tag("h3", {}, "Order of the sync")
        yield tag("p", {"class": "summary"}, app.summary)
        if app.needs:
            yield _legend()
        yield timeline(app, places)


def _legend() -> Html:
    return tag(
        "p",
        {"class": "legend"},
        tag("span", {}, tag("span", {"class": "line"}), "in time: leads to the object that needs it"),
        tag("span", {}, tag("span", {"class": "line late"}), "too early: leads to what it needs, which comes later"),
    )


def _to_change(app: AppView, places: Places) -> Iterator[Html]:
    if app.all_findings:
        objects: dict[int, ObjectView] = {}
        for one in app.objects:
            objects.setdefault(id(one.resource), one)
        yield tag("h3", {}, "What to change")
        yield finding_list(app.all_findings, objects, places, app.id)


def _not_applied(app: AppView, places: Places) -> Iterator[Html]:
    if app.left_out:
        items = []
        for item in app.left_out:
            place = item.resource.node["kind"]
            line = place.file.position(place.span.start).line
            title = f"{item.resource.kind} {item.resource.display_name}"
            items.append(tag("li", {}, tag("b", {}, title), f": {left_out(item)} ", places.link(place.file.path, line)))
        yield tag("h3", {}, "Not applied by this sync")
        yield tag("ul", {"class": "left-out"}, *items)


def _notes(app: AppView) -> Iterator[Html]:
    if app.notes:
        yield tag("h3", {}, "Good to know")
        yield tag("ul", {"class": "notes"}, *(tag("li", {}, note) for note in app.notes))
