"""The plan, or the plan of a change, in the format of a name; a run pays only for the one it writes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ...report.escape import without_masks
from ...report.formats import CHANGED_PLAN, PLAN
from ...report.report_options import ReportOptions

if TYPE_CHECKING:
    from ...lint.result import Result
    from ..changes import ChangeView
    from ..views import PlanView

_LIKE_TEXT: Final = "text"
"""What a plan is written as in a format that it does not have: Markdown is for changes."""


def render_plan(
    name: str,
    view: PlanView,
    options: ReportOptions,
    link_root: str,
    *,
    ascii_only: bool,
    result: Result,
) -> str:
    """`link_root` is the run's root, seen from the folder that a page will be in."""
    more: dict[str, dict[str, object]] = {
        "html": {"link_root": link_root, "result": result},
        "text": {"ascii_only": ascii_only},
    }
    return _render(PLAN, name if name in PLAN else _LIKE_TEXT, view, options, more)


def render_change(name: str, view: ChangeView, options: ReportOptions, link_root: str, *, ascii_only: bool) -> str:
    more: dict[str, dict[str, object]] = {"html": {"link_root": link_root}, "text": {"ascii_only": ascii_only}}
    return _render(CHANGED_PLAN, name, view, options, more)


def _render(
    formats: dict[str, str], name: str, view: Any, options: ReportOptions, more: dict[str, dict[str, object]]
) -> str:
    text: str = import_module(f".{formats[name]}", __package__).render(view, options, **more.get(name, {}))
    return without_masks(text)
