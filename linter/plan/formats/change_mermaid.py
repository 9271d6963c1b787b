"""What a merge does, as a Mermaid flowchart: the waves of the affected apps with what changes in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ...report.report_options import ReportOptions
from ..changes.change_views import Action, AppChangeView, ChangedObject, ChangeView
from . import change_words
from .plan_mermaid import LARGEST, MOST_EDGES, quoted

MOST_NODES: Final = 120
"""More than that nobody reads."""
MOST_IN_A_WAVE: Final = 8
_STYLES: Final = (
    "classDef create stroke:#1f7a3d,stroke-width:2px",
    "classDef change stroke:#9a6a00,stroke-width:2px",
    "classDef recreate stroke:#a86400,stroke-width:3px,stroke-dasharray: 5 3",
    "classDef prune stroke:#c4001a,stroke-width:2px,stroke-dasharray: 5 3",
    "classDef refused stroke:#c4001a,stroke-width:4px",
    "classDef hook stroke-dasharray: 5 3",
)
_CLASSES: Final = {
    Action.CREATE: "create",
    Action.CHANGE: "change",
    Action.MOVE: "change",
    Action.RECREATE: "recreate",
    Action.PRUNE: "prune",
    Action.REFUSED: "refused",
    Action.RUN: "hook",
}


def render(view: ChangeView, options: ReportOptions) -> str:
    return chart(view.apps)


def chart(apps: Sequence[AppChangeView], most_nodes: int = MOST_NODES) -> str:
    """As many apps as there is room for, and the number of the others."""
    lines: list[str] = []
    nodes = size = edges = 0
    drawn = 0
    for app in apps:
        if not app.steps:
            drawn += 1
            continue
        own = list(_app(app))
        nodes += sum('"]' in line and "subgraph" not in line for line in own)
        size += sum(len(line) + 3 for line in own)
        edges += sum("-->" in line for line in own)
        if (nodes > most_nodes and lines) or size > LARGEST - 1_000 or edges > MOST_EDGES:
            break
        lines += own
        drawn += 1
    if drawn < len(apps):
        lines.append(f'rest["{len(apps) - drawn} more apps"]')
    if not lines:
        lines.append('nothing["nothing is synced"]')
    return "\n".join(["flowchart LR", *(f"  {line}" for line in (*lines, *_STYLES))]) + "\n"


def _app(app: AppChangeView) -> Iterator[str]:
    yield f"subgraph {app.id}[{quoted(change_words.title(app))}]"
    yield "  direction LR"
    steps = []
    for number, (title, objects) in enumerate(app.steps):
        steps.append(f"{app.id}s{number}")
        yield f"  subgraph {steps[-1]}[{quoted(title)}]"
        shown = sorted(objects, key=lambda one: one.action is Action.RUN)[:MOST_IN_A_WAVE]
        yield from (f"    {_node(one)}" for one in objects if one in shown)
        if len(objects) > len(shown):
            yield f'    {steps[-1]}more["{len(objects) - len(shown)} more"]'
        yield "  end"
    yield "end"
    for step, following in pairwise(steps):
        yield f"{step} --> {following}"


def _node(one: ChangedObject) -> str:
    style = f":::{_CLASSES[one.action]}" if one.action in _CLASSES else ""
    label = quoted(f"{one.action.value}: {one.resource.kind} {one.name}")
    return f"{one.id.replace('-', '_')}[{label}]{style}"
