"""The three things that somebody wants to know first."""

from __future__ import annotations

from typing import Final

from ...dialects.phrases import some
from .plan_views import AppView, ObjectView

_NAMED: Final = 3


def runs_first(app: AppView) -> str:
    if not app.steps:
        return "nothing"
    step = app.steps[0]
    return f"{step.phase} {step.title}: {some([one.title for one in step.objects], _NAMED)}"


def hang_ups(app: AppView) -> list[tuple[int, ObjectView, str]]:
    """Where the sync can stand still for ever: step, object, and what is to be said about it."""
    return [
        (step.number, one, wait.worst)
        for step in app.steps
        if step.phase != "SyncFail"
        for one, wait in step.waits
        if wait.is_endless
    ]


def can_hang(app: AppView) -> str:
    found = hang_ups(app)
    if found:
        return some((f"{one.title} (step {number}, {worst})" for number, one, worst in found), _NAMED)
    limited = [f"{one.title} ({wait.worst})" for step in app.steps for one, wait in step.waits]
    return f"nowhere for ever; it waits for {some(limited, _NAMED)}" if limited else "nowhere: nothing is waited for"
