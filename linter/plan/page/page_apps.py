"""One app on the page, and the list to choose it from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..views import AppView
from ..views.glance import can_hang, runs_first
from ..views.plan_words import left_out
from ..views.twins import told_apart
from .markup import NOTHING, Html, join, later, prose, tag
from .page_findings import Shown, brief_list, count_marks, mark
from .page_links import Places
from .timeline import timeline


def app_list(apps: Sequence[AppView]) -> Html:
    apart = told_apart(apps)
    return tag("ul", {"class": "apps"}, *(_entry(app, apart.get(app.id, "")) for app in apps))


def _entry(app: AppView, apart: str) -> Html:
    """With what tells it apart where another one has its name."""
    name = tag("span", {"class": "name"}, app.title)
    aside = tag("small", {}, apart) if apart else NOTHING
    return tag("li", {}, tag("a", {"href": f"#{app.id}"}, name, _state(app), aside))


def _state(app: AppView) -> Html:
    known = NOTHING if app.steps else tag("span", {"class": "chip"}, "not known")
    return tag("span", {"class": "chips"}, known, count_marks(app.numbers, short=True))


def app_section(app: AppView, shown: Shown, *, lazy: bool) -> Html:
    """A lazy one is in the page as text, which costs a browser next to nothing until somebody looks at it."""
    title = f"{app.id}-title"
    head = tag("h2", {"id": title}, app.title, tag("small", {}, app.kind))
    body = join((*_plan(app, shown),))
    attributes = {"class": "app", "id": app.id, "aria-labelledby": title}
    return tag("section", attributes, head, later(body) if lazy else body)


def _plan(app: AppView, shown: Shown) -> Iterator[Html]:
    places = shown.places
    yield _facts(app, places)
    yield from _trouble(app)
    yield _glance(app, shown)
    yield from _order(app, places)
    yield from _to_change(app, shown)
    yield from _not_applied(app, places)
    yield from _notes(app)


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
    listed = tag("ul", {}, *(tag("li", {}, prose(one)) for one in items))
    return tag("div", {"class": f"box {name}"}, tag("p", {}, title), listed)


def _glance(app: AppView, shown: Shown) -> Html:
    if not app.steps:
        return NOTHING
    change: str = "nothing found"
    for worst in shown.groups_of(app.all_findings[:1]):
        link = tag("a", {"href": f"#{app.id}-findings"}, worst.headline)
        change = join((mark(worst.severity, str(worst.severity)), " ", link))
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


def _to_change(app: AppView, shown: Shown) -> Iterator[Html]:
    if app.all_findings:
        yield tag("h3", {"id": f"{app.id}-findings"}, "What to change")
        yield brief_list(app.all_findings, shown)


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
        yield tag("ul", {"class": "notes"}, *(tag("li", {}, prose(note)) for note in app.notes))
