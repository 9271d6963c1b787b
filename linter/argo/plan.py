"""The order in which Argo CD applies the objects of one Application.

Phase, then wave, then kind, then name; after sorting, a Namespace or a CRD
that comes after the first object that needs it is pulled right before that
object and takes over its phase and wave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..knowledge import kind_rank
from .hooks import PHASES

if TYPE_CHECKING:
    from ..resource import Resource

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

    @property
    def kind_rank(self) -> int:
        return kind_rank(self.resource.kind)


@dataclass(frozen=True)
class Plan:
    tasks: tuple[Task, ...]

    def __post_init__(self) -> None:
        slots: dict[int, Slot] = {}
        for task in self.tasks:  # a hook of several phases counts where it first runs
            slots.setdefault(id(task.resource), task.slot)
        object.__setattr__(self, "_slots", slots)

    def slot(self, resource: Resource) -> Slot | None:
        """When it is first applied; None for what a sync never applies."""
        slots: dict[int, Slot] = self._slots  # type: ignore[attr-defined]
        return slots.get(id(resource))

    @property
    def is_multi_step(self) -> bool:
        """Only then does anything wait for the health of objects that are no hooks."""
        return bool(self.tasks) and self.tasks[0].slot != self.tasks[-1].slot


def make_plan(resources: Iterable[Resource], namespace: str = "") -> Plan:
    """`namespace` is the Application's destination: every object without one is put there."""
    tasks = [
        Task(resource, Slot(PHASES.index(phase), resource.wave))
        for resource in _without_repeats(resources, namespace)
        for phase in resource.hook.phases
    ]
    tasks.sort(key=lambda task: (task.slot, task.kind_rank, _sort_name(task.resource)))
    tasks = _pull_forward(tasks, _namespace_provided, lambda resource: resource.namespace or namespace)
    return Plan(tuple(_pull_forward(tasks, _kind_provided, lambda resource: f"{resource.group}/{resource.kind}")))


def _sort_name(resource: Resource) -> str:
    """Only hooks get a name from generateName before the order is made."""
    return resource.name or (resource.generate_name if resource.is_hook else "")


def _without_repeats(resources: Iterable[Resource], namespace: str) -> list[Resource]:
    """Of objects that are repeated, the last one is applied."""
    last: dict[tuple[str, str, str, str], Resource] = {}
    for resource in resources:
        key = (resource.group, resource.kind, resource.namespace or namespace, resource.name or resource.generate_name)
        last.pop(key, None)
        last[key] = resource
    return list(last.values())


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
            ordered.insert(at, task._replace(slot=user.slot))
            continue
        if not provided and (needed := needs(task.resource)):
            first_use.setdefault(needed, task)
        ordered.append(task)
    return ordered
