"""The order in which Argo CD applies the objects of one Application, and what it waits for on the way.

Phase, then wave, then kind, then name; after sorting, a Namespace or a CRD
that comes after the first object that needs it is pulled right before that
object and takes over its phase and wave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from ..facts.tables import kind_rank
from ..kubernetes.annotations.hooks import PHASES
from .delete_hooks import running_delete_types

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource

SYNC_FAIL: Final = PHASES.index("SyncFail")
MIXED_HOOKS: Final = "hooks-of-sync-and-deletion"
"""Before, an object that is a hook of the deletion, too, was left out of every sync."""


class Slot(NamedTuple):
    """When something is applied; slots compare as the sync runs through them."""

    phase: int
    wave: int

    @property
    def phase_name(self) -> str:
        return PHASES[self.phase]

    def __str__(self) -> str:
        return f"wave {self.wave}" if self.phase_name == "Sync" else f"{self.phase_name} wave {self.wave}"


class Task(NamedTuple):
    resource: Resource
    slot: Slot
    pulled_from: Slot | None = None
    """For a Namespace or CRD that something earlier needs: the slot that its annotations ask for."""

    @property
    def kind_rank(self) -> int:
        return kind_rank(self.resource.kind)


class Step(NamedTuple):
    """What Argo CD applies in one go: one wave of one phase, or all of SyncFail."""

    phase: str
    waves: tuple[int, ...]
    """One; of SyncFail all, because there waves do not count."""
    runs: tuple[tuple[Task, ...], ...]
    """Neighbours of one kind, whatever their group: a run is applied in parallel, the runs one after another."""
    waits_for_health: bool
    """Whether objects that are no hooks are waited for. Hooks always are."""
    is_last: bool
    """Nothing but SyncFail comes after it."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(task for run in self.runs for task in run)

    def is_waited_for(self, task: Task) -> bool:
        return task.resource.is_hook or self.waits_for_health


class Reason(Enum):
    """Why a sync does not apply an object."""

    REPEATED = "repeated"
    """A later object has the same identity, and that one is applied."""
    SKIPPED = "skipped"
    """Its only hook type is Skip."""
    DROPPED = "dropped"
    """It is a hook of no type that Argo CD knows."""
    ON_DELETION = "on deletion"
    """It runs when the Application is deleted."""


class LeftOut(NamedTuple):
    resource: Resource
    reason: Reason
    instead: Resource | None = None
    """Of a repeated object, the one that is applied."""


@dataclass(frozen=True)
class Plan:
    tasks: tuple[Task, ...]
    resources: tuple[Resource, ...] = ()
    """All objects of the app, applied or not."""
    namespace: str = ""

    @cached_property
    def _slots(self) -> dict[int, Slot]:
        slots: dict[int, Slot] = {}
        for task in self.tasks:  # a hook of several phases counts where it first runs
            slots.setdefault(id(task.resource), task.slot)
        return slots

    def slot(self, resource: Resource) -> Slot | None:
        """When it is first applied; None for what a sync never applies."""
        return self._slots.get(id(resource))

    @property
    def is_multi_step(self) -> bool:
        """Only then does anything wait for the health of objects that are no hooks."""
        return bool(self.tasks) and self.tasks[0].slot != self.tasks[-1].slot

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        regular = [task for task in self.tasks if task.slot.phase != SYNC_FAIL]
        last = regular[-1].slot if regular else None
        # A sync ends with its last wave applied, healthy or not; but a hook in it keeps it open,
        # and as long as it is open it waits for everything that it has started.
        last_is_open = any(task.resource.is_hook for task in regular if task.slot == last)
        found = []
        for slot, group in groupby(regular, key=lambda task: task.slot):
            waits = self.is_multi_step and (slot != last or last_is_open)
            found.append(Step(slot.phase_name, (slot.wave,), _runs(group), waits, slot == last))
        failing = self.tasks[len(regular) :]
        if failing:
            waves = tuple(dict.fromkeys(task.slot.wave for task in failing))
            found.append(Step(PHASES[SYNC_FAIL], waves, _runs(failing), self.is_multi_step, False))
        return tuple(found)

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        applied = {id(task.resource) for task in self.tasks}
        winners = _last_of_equals(self.resources, self.namespace)
        found = []
        for resource in self.resources:
            winner = winners[_identity(resource, self.namespace)]
            if winner is not resource:
                found.append(LeftOut(resource, Reason.REPEATED, winner))
            elif id(resource) not in applied:
                found.append(LeftOut(resource, _why_never(resource)))
        return tuple(found)


def make_plan(resources: Iterable[Resource], namespace: str = "") -> Plan:
    """`namespace` is the Application's destination: every object without one is put there."""
    everything = tuple(resources)
    tasks = [
        Task(resource, Slot(PHASES.index(phase), resource.wave))
        for resource in _last_of_equals(everything, namespace).values()
        for phase in _phases(resource)
    ]
    tasks.sort(key=lambda task: (task.slot, task.kind_rank, _sort_name(task.resource)))
    tasks = _pull_forward(tasks, _namespace_provided, lambda resource: resource.namespace or namespace)
    tasks = _pull_forward(tasks, _kind_provided, lambda resource: f"{resource.group}/{resource.kind}")
    return Plan(tuple(tasks), everything, namespace)


def _phases(resource: Resource) -> tuple[str, ...]:
    hook = resource.hook
    if hook.delete_types and resource.versions.lacks(MIXED_HOOKS) and running_delete_types(resource):
        return ()
    return hook.phases


def _why_never(resource: Resource) -> Reason:
    if resource.hook.is_skipped:
        return Reason.SKIPPED
    return Reason.ON_DELETION if running_delete_types(resource) else Reason.DROPPED


def _runs(tasks: Iterable[Task]) -> tuple[tuple[Task, ...], ...]:
    return tuple(tuple(run) for _, run in groupby(tasks, key=lambda task: task.resource.kind))


def _sort_name(resource: Resource) -> str:
    """Only hooks get a name from generateName before the order is made."""
    return resource.name or (resource.generate_name if resource.is_hook else "")


def _identity(resource: Resource, namespace: str) -> tuple[str, str, str, str]:
    return resource.group, resource.kind, resource.namespace or namespace, resource.name or resource.generate_name


def _last_of_equals(resources: Iterable[Resource], namespace: str) -> dict[tuple[str, str, str, str], Resource]:
    """Of objects that are repeated, the last one is applied; by identity, in the order of those last ones."""
    last: dict[tuple[str, str, str, str], Resource] = {}
    for resource in resources:
        key = _identity(resource, namespace)
        last.pop(key, None)
        last[key] = resource
    return last


def _namespace_provided(resource: Resource) -> str:
    return resource.name if resource.kind == "Namespace" and not resource.group else ""


def _kind_provided(resource: Resource) -> str:
    return resource.defines or ""


def _pull_forward(
    tasks: Sequence[Task], provides: Callable[[Resource], str], needs: Callable[[Resource], str]
) -> list[Task]:
    ordered: list[Task] = []
    first_use: dict[str, Task] = {}
    for task in tasks:
        provided = provides(task.resource)
        if provided and provided in first_use:
            user = first_use[provided]
            at = next(index for index, other in enumerate(ordered) if other is user)
            ordered.insert(at, task._replace(slot=user.slot, pulled_from=task.pulled_from or task.slot))
            continue
        if not provided and (needed := needs(task.resource)):
            first_use.setdefault(needed, task)
        ordered.append(task)
    return ordered
