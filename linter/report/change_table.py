"""The table of affected Applications, in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..lint.result import AffectedApp
from .escape import markdown

MOST_ROWS: Final = 500
LONGEST_NAME: Final = 200


def affected_table(apps: Sequence[AffectedApp]) -> str:
    """One row each, as many as somebody may still read; empty without any."""
    if not apps:
        return ""
    lines = [
        "| Application | Destination | Create | Change | Recreate | Prune | Refused | By itself |",
        "|:--|:--|--:|--:|--:|--:|--:|:--|",
        *(_row(app) for app in apps[:MOST_ROWS]),
    ]
    if len(apps) > MOST_ROWS:
        lines.append(f"| {len(apps) - MOST_ROWS} more | | | | | | | |")
    return "\n".join(lines) + "\n\n"


def _row(app: AffectedApp) -> str:
    name = f"{markdown(app.name[:LONGEST_NAME])}{f' ({app.status})' if app.status else ''}"
    numbers = (app.create, app.change, app.recreate, app.prune, app.refused)
    cells = (
        name,
        markdown(app.destination[:LONGEST_NAME]),
        *(str(one) if one else "" for one in numbers),
        app.automatic,
    )
    return f"| {' | '.join(cells)} |"
