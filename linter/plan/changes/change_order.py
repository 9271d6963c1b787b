"""When a sync comes to what it changes, and when to what it prunes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...argocd.sync_order import Slot
from ...kubernetes.annotations.hooks import PHASES
from ...kubernetes.resource import Resource
from ...repo.app import App

SYNC = PHASES.index("Sync")


def prune_slots(app: App, pruned: Iterable[Resource]) -> Mapping[int, Slot]:
    """By the id of an object: prunes go from the highest wave down (since Argo CD 2.11), PruneLast after all."""
    found = list(pruned)
    last = [one for one in found if app.options_for(one).prune_last]
    in_order = [one for one in found if one not in last]
    waves = sorted({one.wave for one in in_order})
    mirrored = dict(zip(waves, reversed(waves), strict=True))
    slots = {id(one): Slot(SYNC, mirrored[one.wave]) for one in in_order}
    highest = max((task.slot.wave for task in app.plan.tasks if task.slot.phase == SYNC), default=0)
    return slots | {id(one): Slot(SYNC, max(highest, *waves, 0) + 1) for one in last}


def ranks(app: App) -> Mapping[int, int]:
    """By the id of an object: its place among all that the sync applies."""
    found: dict[int, int] = {}
    for number, task in enumerate(app.plan.tasks):
        found.setdefault(id(task.resource), number)
    return found
