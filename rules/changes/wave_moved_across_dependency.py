"""A change of waves or phases puts an object before something that it needs.

Before the change all was in order: what is needed came in an earlier wave, or phase, than what needs it.
Now it comes later, or in the same wave without an order, so that the next sync, or the first one on a
new cluster, starts the object too early. On a cluster where the other exists already it mostly
goes well, and is noticed on the next new one.

The grade is that of dependency-in-later-wave, which tells it of the place that names the other: an error
when the object cannot start without it and Argo CD waits for its health, a warning when it only
works badly in between. A warning, too, when both are now in one wave and the other is applied after
it, or must first have done its work. References that were out of order before, or are new, are left out.

Fix: move both, or take the move back.

See: argo-cd#13178, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    # before: db.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    # db.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "2"  # <- here
    # both: shop.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: shop:1.4
              envFrom:
                - secretRef:
                    name: db
Good:
    # before: db.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    # db.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "-2"
    # both: shop.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: shop:1.4
              envFrom:
                - secretRef:
                    name: db
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...linter.api import App, Change, Finding, Moment, Node, Note, Resource, Severity, by_line, counted, rule, sentence
from ...linter.argocd.late_references import Late
from ...linter.argocd.sync_order import SYNC_FAIL, Slot
from ...linter.change.immutable import app_pairs
from ...linter.facts.tables import kind_rank
from ...linter.kubernetes.references import Reference
from ...linter.kubernetes.references.table import Order


class Moved(NamedTuple):
    """A reference that was in order and is no longer."""

    reference: Reference
    needed: Slot
    applied: Slot
    was_needed: Slot
    was_applied: Slot
    severity: Severity

    @property
    def mover(self) -> Resource:
        """Who is to blame: the consumer, if it is now earlier, else what it needs."""
        return self.reference.consumer if self.needed < self.was_needed else self.reference.provider


@rule("GL914", Severity.ERROR, Moment.INSTALL)
def check(change: Change) -> Iterator[Finding]:
    found = [
        (moved.mover.wave_place if not moved.mover.is_hook else _hook_place(moved), moved)
        for before, after in app_pairs(change)
        if _slots(before) != _slots(after)
        for moved in _moved(before, after)
    ]
    for place, together in by_line(found):
        yield _finding(place, together)


def _slots(app: App) -> dict[str, Slot]:
    return {task.resource.identity: task.slot for task in app.plan.tasks}


def _moved(before: App, after: App) -> Iterator[Moved]:
    was = {_key(one): one for consumer in before.graph.consumers for one in _needs(before, consumer)}
    for consumer in after.graph.consumers:
        for reference in _needs(after, consumer):
            earlier = was.get(_key(reference))
            if earlier is None or reference.provider.patched or consumer.patched:
                continue
            asked = [
                (after, consumer),
                (after, reference.provider),
                (before, earlier.consumer),
                (before, earlier.provider),
            ]
            slots = [slot for app, resource in asked if (slot := app.plan.slot(resource)) is not None]
            if len(slots) < len(asked):
                continue
            needed, applied, was_needed, was_applied = slots
            if was_applied >= was_needed:
                continue
            if needed.phase == SYNC_FAIL or applied.phase == SYNC_FAIL:
                continue
            severity = _severity(reference, needed, applied)
            if severity is not None:
                yield Moved(reference, needed, applied, was_needed, was_applied, severity)


def _needs(app: App, consumer: Resource) -> Iterator[Reference]:
    """What only one object offers: with several it takes more than a look to say which one counts."""
    for offers in app.graph.needs(consumer).values():
        if len(offers) == 1:
            yield offers[0]


def _key(reference: Reference) -> tuple[str, str, str]:
    return reference.consumer.identity, reference.target, reference.provider.identity


def _severity(reference: Reference, needed: Slot, applied: Slot) -> Severity | None:
    if needed < applied:
        return Late(reference, needed, applied).severity
    after = kind_rank(reference.provider.kind) > kind_rank(reference.consumer.kind)
    racing = needed == applied and reference.order is Order.SAME and (reference.ready or after)
    return Severity.WARNING if racing else None


def _hook_place(moved: Moved) -> Node:
    mover = moved.mover
    phase_changed = moved.needed.phase != moved.was_needed.phase or moved.applied.phase != moved.was_applied.phase
    return mover.hook_annotation if phase_changed else mover.wave_place


def _finding(place: Node, together: Sequence[Moved]) -> Finding:
    moved = max(together, key=lambda one: one.severity)
    reference = moved.reference
    also = f" So it is with {counted(len(together) - 1, 'more object')}." if len(together) > 1 else ""
    alike = ", in one wave, where nothing waits" if moved.needed == moved.applied else ""
    if moved.mover is reference.consumer:
        what = f"{reference.consumer} moves from {moved.was_needed} to {moved.needed}"
        but = f"it needs {reference.target} ({reference.via}), which comes in {moved.applied}{alike}"
    else:
        what = f"{reference.provider} moves from {moved.was_applied} to {moved.applied}"
        but = f"{reference.consumer} ({moved.needed}) needs {reference.target} ({reference.via}){alike}"
    return Finding(
        place,
        headline=f"{what}, past what it belongs to",
        happens=f"{sentence(but)[:-1]}: on a first install {reference.until}.{also}",
        do="Move both, or take it back.",
        related=(Note(reference.at, f"{reference.target} is named here"),),
        severity=moved.severity,
        never_heals=moved.severity is Severity.ERROR,
    )
