"""The values that the formats of the plan are made from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from ...argocd.sync_order import LeftOut, Task
from ...argocd.waits import Wait
from ...facts.severity import Severity
from ...facts.tables import is_cluster_scoped
from ...files.elsewhere import shown
from ...kubernetes.resource import Resource
from ...lint.causes import grouped
from ...lint.result import Reported
from ...yaml.source import Place


class Link(NamedTuple):
    """A line in a file."""

    path: str
    line: int

    @classmethod
    def to(cls, place: Place) -> Link:
        return cls(shown(place.file.path), place.file.position(place.span.start).line)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Timing(Enum):
    """When the sync applies what an object needs; the value says it of the one that is needed."""

    EARLIER = "applied in an earlier step"
    FIRST = "applied before it in the same step"
    TOGETHER = "applied at the same time"
    AFTER = "applied after it in the same step"
    LATER = "applied only in a later step"


class Need(NamedTuple):
    """One object cannot do its work without another."""

    consumer: str
    provider: str
    """Ids of objects."""
    target: str
    """What is needed, as messages say it; the provider, or what the provider's controller makes."""
    via: str
    timing: Timing
    too_late: bool
    """It comes later than the consumer needs it."""
    until: str
    """What becomes of the consumer until then; empty where there is nothing to say."""
    place: Link


def shown_namespace(resource: Resource, destination: str) -> str:
    """Where an object lives, if that is not where everything else does."""
    if is_cluster_scoped(resource.group, resource.kind) or resource.namespace == destination:
        return ""
    return resource.namespace


@dataclass(frozen=True, eq=False)
class ObjectView:
    """One task of the sync: an object, once for every phase that it runs in."""

    id: str
    task: Task
    destination: str
    """The namespace that Argo CD writes into objects without one."""
    wait: Wait | None
    """What the step waits for here; None when it does not."""
    findings: tuple[Reported, ...]
    remarks: tuple[str, ...]
    """What is special about its place in the order."""
    child: str = ""
    """For an Application of this repository: the id of its app."""

    @property
    def resource(self) -> Resource:
        return self.task.resource

    @property
    def name(self) -> str:
        return self.resource.display_name

    @property
    def title(self) -> str:
        return f"{self.resource.kind} {self.name}"

    @property
    def shown_namespace(self) -> str:
        return shown_namespace(self.resource, self.destination)

    @cached_property
    def link(self) -> Link:
        return Link.to(self.resource.node["kind"])

    @property
    def hook_types(self) -> tuple[str, ...]:
        """Empty for what is no hook."""
        hook = self.resource.hook
        return (*hook.types, *hook.delete_types) if hook.is_hook else ()


@dataclass(frozen=True, eq=False)
class StepView:
    number: int
    phase: str
    waves: tuple[int, ...]
    runs: tuple[tuple[ObjectView, ...], ...]
    after: str
    """What happens before the sync goes on, in one sentence."""
    is_last: bool

    @property
    def objects(self) -> tuple[ObjectView, ...]:
        return tuple(one for run in self.runs for one in run)

    @property
    def waits(self) -> tuple[tuple[ObjectView, Wait], ...]:
        """What it waits for in earnest, worst first; what takes a moment is left out."""
        found = [(one, one.wait) for one in self.objects if one.wait and not one.wait.brief]
        return tuple(sorted(found, key=lambda item: (not item[1].stuck, item[1].limit is not None)))

    @property
    def alike_waits(self) -> tuple[tuple[tuple[ObjectView, ...], Wait], ...]:
        """The same, with objects of one kind together where there is nothing different to say about them."""
        groups: dict[tuple[str, Wait], list[ObjectView]] = {}
        for one, wait in self.waits:
            groups.setdefault((one.resource.kind, wait), []).append(one)
        return tuple((tuple(found), wait) for (_, wait), found in groups.items())

    @property
    def title(self) -> str:
        return f"wave {self.waves[0]}" if len(self.waves) == 1 else "all waves at once"


class ChildView(NamedTuple):
    """An Application that the sync of another one creates."""

    id: str
    name: str
    wave: int
    made_by: str
    """The ApplicationSet that makes it; empty when it stands in git itself."""


@dataclass(frozen=True, eq=False)
class AppView:
    id: str
    name: str
    is_application: bool
    where: Link
    source: str
    destination: str
    policy: str
    summary: str
    """How the sync goes, in one sentence."""
    steps: tuple[StepView, ...]
    left_out: tuple[LeftOut, ...]
    needs: tuple[Need, ...]
    unresolved: tuple[str, ...]
    """Why objects may be missing here."""
    failures: tuple[str, ...]
    """Why Argo CD cannot generate the manifests, so that nothing below happens."""
    findings: tuple[Reported, ...]
    """About the Application itself, and about files of it that hold no object."""
    left_out_findings: tuple[tuple[Reported, ...], ...]
    """For each object that is left out."""
    children: tuple[ChildView, ...]
    parents: tuple[tuple[str, str], ...]
    """Id and name of the apps whose sync creates this one."""
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        return self.name if self.name != "." else "the top folder"

    @property
    def kind(self) -> str:
        return "Application" if self.is_application else "synced by no known Application"

    @property
    def objects(self) -> tuple[ObjectView, ...]:
        return tuple(one for step in self.steps for one in step.objects)

    @cached_property
    def by_id(self) -> dict[str, ObjectView]:
        return {one.id: one for one in self.objects}

    @cached_property
    def all_findings(self) -> tuple[Reported, ...]:
        """Each once, worst first."""
        lists = (self.findings, *self.left_out_findings, *(one.findings for one in self.objects))
        unique = {id(item): item for found in lists for item in found}.values()
        return tuple(sorted(unique, key=lambda item: (-item.severity, item.sort_key)))

    @cached_property
    def numbers(self) -> dict[Severity, int]:
        """How many causes there are of each severity."""
        return dict(Counter(group.severity for group in grouped(self.all_findings)))


@dataclass(frozen=True, eq=False)
class PlanView:
    apps: tuple[AppView, ...]
    elsewhere: tuple[Reported, ...]
    """Findings that belong to none of the apps."""
    repository: str = ""
    """What its address calls it; empty where no address is known, or several are."""
