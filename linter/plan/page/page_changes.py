"""An app that a merge touches, on the page: waves in order, objects with what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..changes.change_views import SIGNS, Action, AppChangeView, ChangedObject, ChangeView
from ..changes.changed_fields import Field
from ..formats import change_words
from .kind_badges import family, letters
from .markup import NOTHING, Html, join, tag
from .page_links import Places

MOST_FIELDS: Final = 100


def navigation(view: ChangeView) -> Html:
    if len(view.apps) < 2:
        return NOTHING
    items = [
        tag(
            "li",
            {},
            tag(
                "a",
                {"href": f"#{app.id}"},
                tag("span", {"class": "name"}, change_words.title(app)),
                tag("span", {"class": "chips"}, *_chips(app)),
            ),
        )
        for app in view.apps
    ]
    return tag("nav", {"aria-label": "Apps"}, tag("h2", {}, "Apps"), tag("ul", {"class": "apps"}, *items))


def filters(view: ChangeView) -> Html:
    """Check boxes that the script brings to life; without it everything is shown anyway."""
    boxes = []
    for action in Action:
        number = view.counts[action]
        if number:
            box = Html(f'<input type="checkbox" checked value="{action.key}">')
            boxes.append(tag("label", {"class": f"act {action.key}"}, box, f" {action.value} ({number})"))
    legend = tag("legend", {}, "Show")
    return tag("fieldset", {"class": "filters", "hidden": ""}, legend, *boxes) if len(boxes) > 1 else NOTHING


def app_section(app: AppChangeView, places: Places) -> Html:
    title = f"{app.id}-title"
    return tag(
        "section",
        {"class": "app", "id": app.id, "aria-labelledby": title},
        tag("h2", {"id": title}, change_words.title(app), tag("small", {}, app.kind)),
        _facts(app, places),
        join(tag("p", {"class": "box unknown"}, words) for words in app.words),
        _box("trouble", "Argo CD cannot generate the manifests, so nothing of this happens:", app.failures),
        _box("unknown", "Not everything is known, objects may be missing here:", app.unresolved),
        join(_own(app)),
        join(_waves(app, places)),
        tag("ul", {"class": "notes"}, *(tag("li", {}, note) for note in app.notes)) if app.notes else NOTHING,
    )


def _chips(app: AppChangeView) -> Iterator[Html]:
    for action in Action:
        if app.counts[action]:
            yield tag("span", {"class": f"act {action.key}"}, f"{app.counts[action]} {action.value}")


def _facts(app: AppChangeView, places: Places) -> Html:
    rows: list[tuple[str, str]] = []
    if app.where:
        rows.append(("Written in", places.link(app.where.path, app.where.line)))
    if app.is_application:
        rows += [("Source", app.source), ("Destination", app.destination)]
    rows.append(("When", app.how))
    pairs = [tag("div", {}, tag("dt", {}, name), tag("dd", {}, value)) for name, value in rows]
    return tag("dl", {"class": "about-app"}, *pairs)


def _box(name: str, title: str, items: tuple[str, ...]) -> Html:
    if not items:
        return NOTHING
    listed = tag("ul", {}, *(tag("li", {}, one) for one in items))
    return tag("div", {"class": f"box {name}"}, tag("p", {}, title), listed)


def _own(app: AppChangeView) -> Iterator[Html]:
    if app.fields:
        yield tag("h3", {}, "The Application itself")
        yield _fields(app.fields)


def _waves(app: AppChangeView, places: Places) -> Iterator[Html]:
    for title, objects in app.groups:
        items = [_object(one, places) for one in objects]
        yield tag("div", {"class": "wave"}, tag("h3", {}, title), tag("ul", {"class": "changed"}, *items))


def _object(one: ChangedObject, places: Places) -> Html:
    word = one.action.key
    sign = tag("span", {"aria-hidden": "true", "class": "sign"}, SIGNS[one.action])
    badge = tag("span", {"class": f"badge {family(one.resource)}", "aria-hidden": "true"}, letters(one.resource.kind))
    place = places.link(one.place.path, one.place.line) if one.place else tag("span", {"class": "place"}, one.path)
    head = tag(
        "p",
        {"class": "head"},
        tag("span", {"class": f"act {word}"}, sign, one.action.value),
        badge,
        tag("span", {}, one.resource.kind, " ", tag("b", {}, one.name)),
        place,
    )
    said = [tag("p", {"class": "remark"}, remark) for remark in one.remarks]
    fields = _fields(one.fields) if one.fields else NOTHING
    return tag("li", {"id": one.id, "class": f"object {word}", "data-action": word}, head, *said, fields)


def _fields(fields: tuple[Field, ...]) -> Html:
    rows = [row for field in fields[:MOST_FIELDS] for row in _field(field)]
    if len(fields) > MOST_FIELDS:
        rows.append(tag("dt", {}, f"and {len(fields) - MOST_FIELDS} more fields"))
    return tag("dl", {"class": "fields"}, *rows)


def _field(field: Field) -> Iterator[Html]:
    yield tag("dt", {}, field.path)
    if field.hidden:
        yield tag("dd", {}, tag("em", {}, f"{field.what}, not shown"))
        return
    parts: list[str] = []
    if field.before is not None:
        parts.append(tag("del", {}, field.before))
    if field.before is not None and field.after is not None:
        parts.append(tag("span", {}, " → "))
    if field.after is not None:
        parts.append(tag("ins", {}, field.after))
    if field.lines:
        lines = [tag("ins" if line.startswith("+") else "del", {}, line) for line in field.lines]
        parts.append(tag("pre", {"tabindex": "0", "aria-label": "lines that differ"}, join(_by_line(lines))))
    yield tag("dd", {}, *parts)


def _by_line(lines: list[Html]) -> Iterator[Html]:
    for line in lines:
        yield line
        yield Html("\n")
