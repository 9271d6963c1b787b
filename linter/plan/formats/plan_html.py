"""The page: an overview, all findings, and the plan of each app; it needs nothing but itself, and no network."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...dialects.phrases import counted
from ...lint.result import Result
from ...report.report_options import ReportOptions
from ...report.summary import counts
from ..page.markup import NOTHING, Html, fold, tag
from ..page.page_apps import app_list, app_section
from ..page.page_findings import Shown, findings_view
from ..page.page_links import Places
from ..page.page_overview import overview, worst_first
from ..page.shell import page
from ..views import AppView, PlanView

INTRO: Final = (
    "What goes wrong when Argo CD syncs it, in which order it syncs, and what it waits for; seen in files alone."
)
READ_AT_ONCE: Final = 12
"""Apps; with more of them each is laid out when it is looked at, which needs the script."""


def render(view: PlanView, options: ReportOptions, *, result: Result, link_root: str = ".") -> str:
    """`link_root` is the run's root, seen from the folder that the page is in."""
    apps = (*worst_first([app for app in view.apps if app.is_application]), *_folders(view))
    ordered = replace(view, apps=apps)
    frame = (_navigation(ordered), _main(ordered, result, Places(link_root)))
    return page(_title(view, result), INTRO, frame, options, ("page.css",), "page.js")


def _folders(view: PlanView) -> list[AppView]:
    return worst_first([app for app in view.apps if not app.is_application])


def _title(view: PlanView, result: Result) -> str:
    """Of whom it is, and how they are: what a tab of the browser has room for."""
    number = sum(1 for app in view.apps if app.is_application)
    whose = (
        view.apps[0].title if len(view.apps) == 1 else counted(number, "Application") if number else "No Application"
    )
    where = f"{view.repository}: " if view.repository else ""
    return f"{where}{whose}{', ' if where else ': '}{counts(result) or 'nothing found'}"


def _navigation(view: PlanView) -> Html:
    applications = [app for app in view.apps if app.is_application]
    folders = [app for app in view.apps if not app.is_application]
    views = (("overview", "Overview"), ("findings", "All findings"))
    lazy = len(view.apps) > READ_AT_ONCE
    return tag(
        "nav",
        {"aria-label": "Views"},
        tag("ul", {"class": "views"}, *(tag("li", {}, tag("a", {"href": f"#{id_}"}, name)) for id_, name in views)),
        tag("h2", {}, "Applications") if applications else NOTHING,
        app_list(applications),
        fold(f"Folders nobody syncs ({len(folders)})", app_list(folders), lazy=lazy) if folders else NOTHING,
    )


def _main(view: PlanView, result: Result, places: Places) -> Html:
    ids: dict[str, str] = {}
    for app in view.apps:
        if app.is_application:
            ids.setdefault(app.name, app.id)
    shown = Shown(places, result.groups, ids)
    lazy = len(view.apps) > READ_AT_ONCE
    without_script = "Plans, findings and long lists are shown by the script of this page, which does not run here."
    sections = [
        overview(view, result, places, lazy=lazy),
        findings_view(result, shown, lazy=lazy),
        tag("noscript", {}, without_script) if lazy else NOTHING,
        *(app_section(app, shown, lazy=lazy) for app in view.apps),
    ]
    return tag("main", {"id": "plan", "tabindex": "-1"}, *sections)
