"""What a merge does, as one page that needs nothing but itself."""

from __future__ import annotations

from ...report.report_options import ReportOptions
from ..changes import ChangeView
from ..page.markup import Html, tag
from ..page.page_changes import app_section, filters, navigation
from ..page.page_links import Places
from ..page.shell import page
from . import change_words


def render(view: ChangeView, options: ReportOptions, *, link_root: str = ".") -> str:
    """`link_root` is the run's root, seen from the folder that the page is in."""
    places = Places(link_root)
    sections: list[Html] = [app_section(app, places) for app in view.apps]
    if not sections:
        sections = [tag("section", {"class": "app"}, tag("h2", {}, "Nothing to sync"))]
    main = tag("main", {"id": "plan", "tabindex": "-1"}, filters(view), *sections)
    title = f"What the next sync does, compared with {view.base}" if view.base else "What the next sync does"
    frame = (navigation(view), main)
    return page(title, change_words.closing(view), frame, options, ("page.css", "changes.css"), "changes.js")
