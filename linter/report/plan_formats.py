"""The formats of the plan by name; a run pays only for the one it writes."""

from __future__ import annotations

from collections.abc import Sequence

from ..planview import PlanView
from .options import ReportOptions


def render(
    name: str, view: PlanView, options: ReportOptions, link_root: str, *, ascii_only: bool, head: Sequence[str] = ()
) -> str:
    """`link_root` is the run's root, seen from the folder that a page will be in; `head` what was read and assumed."""
    if name == "html":
        from . import plan_html

        return plan_html.render(view, options, link_root=link_root, head=head)
    if name == "json":
        from . import plan_json

        return plan_json.render(view, options)
    if name == "mermaid":
        from . import plan_mermaid

        return plan_mermaid.render(view, options)
    from . import plan_text

    return plan_text.render(view, options, ascii_only=ascii_only)
