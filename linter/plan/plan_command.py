"""What `gitops-lint plan` prints: the syncs as they will be, or what a change makes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..files.discover import Found
from ..lint.result import Result
from ..lint.run import Linted

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
    from ..report.heading import opening
    from .formats.plan_formats import render_plan
    from .views import build_view, choose

    view = build_view(linted.repo, linted.result.reported, choose(linted.repo, app, found.wants))
    head = opening(linted.result)
    return render_plan(output_format, view, report, link_root, ascii_only=ascii_only, head=head)


def with_affected(linted: Linted) -> Result:
    """The result with what the change does to Applications, for formats that show it."""
    if linted.change is None:
        return linted.result
    from .changes import affected_apps, build_changes

    return replace(linted.result, affected=affected_apps(build_changes(linted.change)))
