"""The formats of a changed plan by name; a run pays only for the one it writes."""

from __future__ import annotations

from ..planview.changes import ChangeView
from .options import ReportOptions


def render(name: str, view: ChangeView, options: ReportOptions, link_root: str, *, ascii_only: bool) -> str:
    """`link_root` is the run's root, seen from the folder that a page will be in."""
    if name == "html":
        from . import change_html

        return change_html.render(view, options, link_root=link_root)
    if name == "json":
        from . import change_json

        return change_json.render(view, options)
    if name == "markdown":
        from . import change_markdown

        return change_markdown.render(view, options)
    if name == "mermaid":
        from . import change_mermaid

        return change_mermaid.render(view, options)
    from . import change_text

    return change_text.render(view, options, ascii_only=ascii_only)
