"""The plan as one page that needs nothing but itself: no network, no script to be readable."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

from ..planview import PlanView
from ..planview.words import counted
from .options import TOOL, ReportOptions
from .plan_page.apps import app_list, app_section
from .plan_page.findings import finding_list
from .plan_page.markup import NOTHING, Html, tag
from .plan_page.places import Places


def render(view: PlanView, options: ReportOptions, *, link_root: str = ".") -> str:
    """`link_root` is the run's root, seen from the folder that the page is in."""
    places = Places(link_root)
    style, script = _part("page.css"), _part("page.js")
    head = tag(
        "head",
        {},
        Html('<meta charset="utf-8">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        tag("title", {}, _title(view)),
        Html(f"<style>{style}</style>"),
    )
    body = tag(
        "body",
        {},
        tag("a", {"class": "skip", "href": "#plan"}, "Skip to the plan"),
        tag("header", {}, tag("h1", {}, _title(view)), tag("p", {}, _intro(view))),
        tag("div", {"class": "frame"}, _navigation(view), _main(view, places)),
        tag("footer", {}, tag("p", {}, f"{TOOL} {options.tool_version}")),
        Html(f"<script>{script}</script>"),
    )
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


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


@cache
def _part(name: str) -> str:
    return (files("gitops_lint.linter.report.plan_page") / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing may load, and nothing may run but these two texts."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(code: str) -> str:
    return f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'"
