"""The plan as a Mermaid flowchart: steps in boxes, what each waits for between them, who needs whom.

Viewers refuse charts above a size (GitHub's takes 50,000 characters and 500
edges), so a large plan is drawn with less detail rather than not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ...dialects.phrases import and_more
from ...facts.regexes import regex
from ...facts.severity import Severity
from ...report.escape import visible
from ...report.report_options import ReportOptions
from ..views import AppView, ObjectView, PlanView
from ..views.plan_views import StepView
from ..views.plan_words import counts

LARGEST: Final = 45_000
MOST_EDGES: Final = 450
_EDGES: Final = (" -->", " .->", " ~~~ ")
_LONGEST_LABEL: Final = 120
_UNSAFE: Final = regex(r"[^\w .,:/()*=+'-]")
_STYLES: Final = (
    "classDef hook stroke-dasharray: 5 3",
    "classDef error stroke:#c4001a,stroke-width:3px",
    "classDef warning stroke:#a86400,stroke-width:3px",
    "classDef failed stroke:#c4001a,stroke-width:3px",
)


def render(view: PlanView, options: ReportOptions) -> str:
    for draw in (_objects, _kinds, _steps):
        chart = _chart([draw(app) for app in view.apps])
        if _fits(chart):
            return chart
    return _cut(view.apps)


def _chart(apps: Sequence[Sequence[str]]) -> str:
    lines = ["flowchart TB", *(f"  {line}" for app in apps for line in app), *(f"  {style}" for style in _STYLES)]
    return "\n".join(lines) + "\n"


def _fits(chart: str) -> bool:
    return len(chart) <= LARGEST and sum(map(chart.count, _EDGES)) <= MOST_EDGES


def _cut(apps: Sequence[AppView]) -> str:
    """As many apps as there is room for, and the number of the others."""
    drawn: list[list[str]] = []
    size = edges = 0
    for app in apps:
        lines = _steps(app)
        size += sum(len(line) + 3 for line in lines)
        edges += sum("-->" in line for line in lines)
        if size > LARGEST - 1_000 or edges > MOST_EDGES:
            break
        drawn.append(lines)
    rest = f'rest["{len(apps) - len(drawn)} more apps: use --app NAME"]'
    return _chart([*drawn, [rest]])


# -- one app, in three degrees of detail


def _objects(app: AppView) -> list[str]:
    def inside(step: StepView) -> Iterator[str]:
        for one in step.objects:
            lines = [one.resource.kind, one.name, *_marks(one)]
            yield f'{_node(one.id)}["{"<br/>".join(map(_label, lines))}"]{_style(one)}'

    return [*_framed(app, inside), *_kind_order(app), *_needs(app)]


def _kind_order(app: AppView) -> Iterator[str]:
    """Unseen links, so that what is applied later stands lower."""
    for step in app.steps:
        for run, following in zip(step.runs, step.runs[1:], strict=False):
            yield f"{_node(run[0].id)} ~~~ {_node(following[0].id)}"


def _needs(app: AppView) -> Iterator[str]:
    """From the one that is needed, as time goes; only what comes too late points back."""
    for need in app.needs:
        if need.too_late:
            words = _edge_label(f"needs {need.target}, {need.timing.value}")
            yield f"{_node(need.consumer)} -. {words} .-> {_node(need.provider)}"
        else:
            yield f"{_node(need.provider)} -. {_edge_label('needed by')} .-> {_node(need.consumer)}"


def _kinds(app: AppView) -> list[str]:
    def inside(step: StepView) -> Iterator[str]:
        for number, run in enumerate(step.runs):
            yield f"{_step_id(app, step)}k{number}[{quoted(f'{run[0].resource.kind} ({len(run)})')}]"

    return _framed(app, inside)


def _steps(app: AppView) -> list[str]:
    def inside(step: StepView) -> Iterator[str]:
        yield f"{_step_id(app, step)}k0[{quoted(f'{len(step.objects)} objects')}]"

    return _framed(app, inside)


def _framed(app: AppView, inside: Callable[[StepView], Iterator[str]]) -> list[str]:
    lines = [f"subgraph {_node(app.id)}[{quoted(app.title)}]", "  direction TB"]
    if not app.steps:
        why = (*app.failures, *app.unresolved, "nothing to apply")[0]
        lines.append(f"  {_node(app.id)}k0[{quoted(why)}]")
    elif app.failures:
        lines.append(f"  {_node(app.id)}f[{quoted(f'cannot be synced: {app.failures[0]}')}]:::failed")
        lines.append(f"  {_node(app.id)}f ~~~ {_step_id(app, app.steps[0])}")
    for phase, steps in groupby(app.steps, key=lambda step: step.phase):
        lines.append(f"  subgraph {_node(app.id)}{phase}[{quoted(phase)}]")
        for step in steps:
            lines.append(f"    subgraph {_step_id(app, step)}[{quoted(f'step {step.number}: {step.title}')}]")
            lines += (f"      {line}" for line in inside(step))
            lines.append("    end")
        lines.append("  end")
    return [*lines, "end", *_order(app)]


def _order(app: AppView) -> Iterator[str]:
    for step, following in zip(app.steps, app.steps[1:], strict=False):
        waits = [f"{one.title}: {wait.worst}" for one, wait in step.waits]
        shown = f"waits for {waits[0]}" if waits else "2 s"
        label = "if something fails" if following.phase == "SyncFail" else shown + and_more(len(waits) - 1)
        yield f"{_step_id(app, step)} -->|{_edge_label(label)}| {_step_id(app, following)}"


# -- what may stand in a chart


def _node(id_: str) -> str:
    return id_.replace("-", "_")


def _step_id(app: AppView, step: StepView) -> str:
    return f"{_node(app.id)}s{step.number}"


def _marks(one: ObjectView) -> Iterator[str]:
    """In words what the styles say: a colour alone says nothing to many."""
    if one.resource.is_hook:
        yield "hook"
    if one.findings:
        yield counts(one.findings)


def _style(one: ObjectView) -> str:
    worst = max((item.severity for item in one.findings), default=Severity.NOTE)
    if worst > Severity.NOTE:
        return f":::{worst}"
    return ":::hook" if one.resource.is_hook else ""


def quoted(text: str) -> str:
    return f'"{_label(text)}"'


def _label(text: str) -> str:
    """Everything that could be markup as a character code, which Mermaid spells with a hash."""
    return _UNSAFE.sub(lambda match: f"#{ord(match[0])};", _short(text))


def _edge_label(text: str) -> str:
    """On edges Mermaid does not decode what it has encoded, so that nothing needs it here."""
    return f'"{_UNSAFE.sub(" ", _short(text))}"'


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 3] + "..."
