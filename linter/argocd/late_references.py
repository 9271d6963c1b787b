"""What comes too late: objects that others need, and that a sync applies only after those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..facts.severity import Severity
from ..facts.tables import has_health_check
from ..kubernetes.references.graph import Graph, Reference
from .sync_order import SYNC_FAIL, Plan, Slot


class Late(NamedTuple):
    """A reference whose target comes too late, and the two slots."""

    reference: Reference
    needed: Slot
    applied: Slot

    @property
    def crosses_phases(self) -> bool:
        """No wave can put this right: phases come before waves."""
        return self.needed.phase != self.applied.phase

    @property
    def is_mild(self) -> bool:
        """It comes right by itself as soon as the other is there."""
        return self.reference.effect.mild

    @property
    def severity(self) -> Severity:
        """An error when Argo CD waits for something that cannot become healthy before."""
        reference = self.reference
        consumer = reference.consumer
        if reference.blocks and not reference.guessed and has_health_check(consumer.group, consumer.kind):
            return Severity.ERROR
        return Severity.NOTE if self.is_mild else Severity.WARNING

    @property
    def never_heals(self) -> bool:
        """The sync waits for what only comes after it, so that no retry gets further."""
        return self.severity is Severity.ERROR

    @property
    def whereabouts(self) -> str:
        """To stand beside the provider."""
        makes = f" makes {self.reference.target} and" if self.reference.made else ""
        return f"{self.reference.provider}{makes} is applied in {self.applied}"


def late_references(graph: Graph, plan: Plan) -> Iterator[Late]:
    """What is first applied after it is first needed; a hook of several phases counts where it first runs."""
    for consumer in graph.consumers:
        slot = plan.slot(consumer)
        if slot is None or slot.phase == SYNC_FAIL or consumer.patched:
            continue
        for offers in graph.needs(consumer).values():
            late = _earliest(offers, slot, plan)
            if late is not None:
                yield late


def _earliest(offers: Sequence[Reference], slot: Slot, plan: Plan) -> Late | None:
    """The offer that is applied first, if even that is after the slot."""
    if any(offer.provider.patched for offer in offers):
        return None
    slots = [(found, index) for index, offer in enumerate(offers) if (found := plan.slot(offer.provider)) is not None]
    applied, index = min(slots, default=(slot, 0))
    return Late(offers[index], slot, applied) if slot < applied and applied.phase != SYNC_FAIL else None


def by_line(found: Iterable[Late]) -> Iterator[list[Late]]:
    """What one object names on one line, the gravest first; a provider counts only where it is first named."""
    consumers: dict[int, dict[int, dict[int, Late]]] = {}
    for late in found:
        at, reference = late.reference.at, late.reference
        line = at.file.position(at.span.start).line
        lines = consumers.setdefault(id(reference.consumer), {})
        lines.setdefault(line, {}).setdefault(id(reference.provider), late)
    for lines in consumers.values():
        reported: set[int] = set()
        for _, providers in sorted(lines.items()):
            fresh = [late for provider, late in providers.items() if provider not in reported]
            reported.update(providers)
            if fresh:
                yield sorted(fresh, key=lambda late: -late.severity)
