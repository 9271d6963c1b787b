"""What `gitops-lint plan` prints: the syncs as they will be, or what a change makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..files.discover import Found
from ..lint.result import Result
from ..lint.run import Linted
from ..report.formats import PAGE

if TYPE_CHECKING:
    from ..report import ReportOptions


def planned(
    linted: Linted,
    found: Found,
    app: str | None,
    output_format: str,
    report: ReportOptions,
    link_root: str,
    *,
    base: str | None,
    ascii_only: bool,
) -> str:
    """With a revision to compare with, about what is changed only. Raises UnknownApp."""
    if linted.change is not None:
        from .changes import build_changes, check_name
        from .formats.plan_formats import render_change

        check_name(linted.change, app)
        changes = build_changes(linted.change, base or "", app, found.wants)
        return render_change(output_format, changes, report, link_root, ascii_only=ascii_only)
    from .formats.plan_formats import render_plan
    from .views import build_view, choose
    from .views.anchors import Names, Numbers

    anchors = Names() if output_format == PAGE else Numbers()
    view = build_view(linted.repo, linted.result.reported, choose(linted.repo, app, found.wants), anchors)
    result = linted.result
    if app is not None:
        elsewhere = set(map(id, view.elsewhere))
        result = replace(result, reported=tuple(item for item in result.reported if id(item) not in elsewhere))
    return render_plan(output_format, view, report, link_root, ascii_only=ascii_only, result=result)


def page_of_findings(
    linted: Linted, result: Result, found: Found, app: str | None, report: ReportOptions, link_root: str
) -> str:
    """The same page, opened on the findings: `result` is what was asked for of them."""
    from .formats.plan_formats import render_plan
    from .views import build_view, choose
    from .views.anchors import Names

    view = build_view(linted.repo, result.reported, choose(linted.repo, app, found.wants), Names())
    return render_plan(PAGE, view, report, link_root, ascii_only=False, result=result)


def with_affected(linted: Linted) -> Result:
    """The result with what the change does to Applications, for formats that show it."""
    if linted.change is None:
        return linted.result
    from .changes import affected_apps, build_changes

    return replace(linted.result, affected=affected_apps(build_changes(linted.change)))
