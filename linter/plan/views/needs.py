"""Which object of a sync needs which, and whether the order serves it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...kubernetes.references import Order, Reference
from ...kubernetes.resource import Resource
from ...repo.app import App
from .plan_views import Link, Need, Timing


class At(NamedTuple):
    """Where an object stands when it first runs."""

    id: str
    step: int
    run: int
    gated: bool
    """Its step waits for its health."""


def needs_of(app: App, positions: dict[int, At]) -> tuple[Need, ...]:
    """`positions` is by the id of an object. Of several that offer the same, the first to be applied counts."""
    found: dict[tuple[str, str], Need] = {}
    for consumer in app.graph.consumers:
        for need in _named(app, consumer, positions):
            found.setdefault((need.consumer, need.provider), need)
    for task in app.plan.tasks:
        for need in _defined(app, task.resource, positions):
            found.setdefault((need.consumer, need.provider), need)
    return tuple(found.values())


def _named(app: App, consumer: Resource, positions: dict[int, At]) -> Iterator[Need]:
    here = positions.get(id(consumer))
    if here is None:
        return
    for target, references in app.graph.needs(consumer).items():
        first = _first_applied(references, positions)
        if first is not None and first.provider is not consumer:
            there = positions[id(first.provider)]
            timing = _timing(here, there)
            too_late = _is_too_late(first, timing, here.gated)
            yield Need(here.id, there.id, target, first.via, timing, too_late, first.until, Link.to(first.at))


def _is_too_late(reference: Reference, timing: Timing, gated: bool) -> bool:
    """What only has to be there in the end may come after it in the same step; nobody knows what a patch changes."""
    if reference.consumer.patched or reference.provider.patched:
        return False
    if timing in (Timing.AFTER, Timing.TOGETHER):
        return reference.order is Order.SAME or (reference.order is Order.GATED and gated)
    return timing is Timing.LATER


def _first_applied(references: Sequence[Reference], positions: dict[int, At]) -> Reference | None:
    applied = [reference for reference in references if id(reference.provider) in positions]
    return min(applied, key=lambda reference: positions[id(reference.provider)][1:3], default=None)


def _defined(app: App, resource: Resource, positions: dict[int, At]) -> Iterator[Need]:
    definition = app.crd_of(resource)
    if definition is not None and id(definition) in positions and id(resource) in positions:
        here, there = positions[id(resource)], positions[id(definition)]
        timing, place = _timing(here, there), Link.to(resource["kind"])
        yield Need(here.id, there.id, "its definition", "its kind", timing, False, "", place)


def _timing(here: At, there: At) -> Timing:
    if there.step != here.step:
        return Timing.EARLIER if there.step < here.step else Timing.LATER
    if there.run == here.run:
        return Timing.TOGETHER
    return Timing.FIRST if there.run < here.run else Timing.AFTER
