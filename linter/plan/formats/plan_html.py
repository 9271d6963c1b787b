"""The plan as one page that needs nothing but itself: no network, no script to be readable."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialects.phrases import counted
from ...report.report_options import ReportOptions
from ..page.markup import NOTHING, Html, tag
from ..page.page_apps import app_list, app_section
from ..page.page_findings import finding_list
from ..page.page_links import Places
from ..page.shell import page
from ..views import PlanView


def render(view: PlanView, options: ReportOptions, *, link_root: str = ".", head: Sequence[str] = ()) -> str:
    """`link_root` is the run's root, seen from the folder that the page is in."""
    frame = (_navigation(view), _main(view, Places(link_root)))
    return page(_title(view), " ".join((_intro(view), *head)), frame, options, ("page.css",), "page.js")


def _title(view: PlanView) -> str:
    return f"Sync plan of {view.apps[0].title}" if len(view.apps) == 1 else f"Sync plans of {len(view.apps)} apps"


def _intro(view: PlanView) -> str:
    objects = counted(sum(len(app.objects) for app in view.apps), "object")
    return f"What Argo CD will do with {objects}, in which order, and what it waits for; read from the files alone."


def _navigation(view: PlanView) -> Html:
    if len(view.apps) < 2:
        return NOTHING
    return tag("nav", {"aria-label": "Apps"}, tag("h2", {}, "Apps"), app_list(view))


def _main(view: PlanView, places: Places) -> Html:
    sections = [app_section(app, places) for app in view.apps]
    if view.elsewhere:
        listed = finding_list(view.elsewhere, {}, places, "elsewhere")
        sections.append(tag("section", {"id": "elsewhere"}, tag("h2", {}, "Findings elsewhere"), listed))
    return tag("main", {"id": "plan", "tabindex": "-1"}, *sections)
