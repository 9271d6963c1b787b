"""The values that the formats of the plan of a change are made from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final

from ...argocd.sync_order import Slot
from ...change import Fate
from ...files.elsewhere import shown
from ...kubernetes.resource import Resource
from ...lint.result import AffectedApp
from ..views.plan_views import Link, shown_namespace
from .changed_fields import Field, differences


class Action(Enum):
    """What the next sync does with an object; the value is what people call it."""

    CREATE = "create"
    CHANGE = "change"
    RECREATE = "recreate"
    REFUSED = "refused"
    """The API server does not take the change, so that the sync fails."""
    PRUNE = "prune"
    """Deleted, by the sync or with its Application, without anybody being asked."""
    MOVE = "take over"
    """From another Application."""
    RUN = "run"
    """A hook: it runs at every full sync."""
    STAY = "stay"
    """It leaves the Application, and stays in the cluster, at least until somebody does something."""
    SKIP = "not applied"

    @property
    def key(self) -> str:
        """One word, for machines."""
        return self.name.lower()


SIGNS: Final = {
    Action.CREATE: "+",
    Action.CHANGE: "~",
    Action.RECREATE: "-/+",
    Action.REFUSED: "!",
    Action.PRUNE: "-",
    Action.MOVE: "<-",
    Action.RUN: ">",
    Action.STAY: "=",
    Action.SKIP: "?",
}
DOES_SOMETHING: Final = frozenset(
    {Action.CREATE, Action.CHANGE, Action.RECREATE, Action.REFUSED, Action.PRUNE, Action.MOVE}
)
"""Without one of these Argo CD sees no difference that it would sync for."""


@dataclass(frozen=True, eq=False)
class ChangedObject:
    id: str
    action: Action
    resource: Resource
    """As it is now, or else as it was."""
    slot: Slot | None
    """When the sync comes to it; None for what it leaves alone."""
    destination: str = ""
    """The namespace that Argo CD writes into objects without one."""
    before: Resource | None = None
    """What it is compared with: itself, or what had its part under another name."""
    gone: bool = False
    """It is not in the revision that is merged."""
    fate: Fate | None = None
    remarks: tuple[str, ...] = ()
    loses_data: bool = False

    @property
    def title(self) -> str:
        return f"{self.resource.kind} {self.resource.display_name}"

    @property
    def shown_namespace(self) -> str:
        return shown_namespace(self.resource, self.destination)

    @property
    def name(self) -> str:
        return f"{self.shown_namespace}/{self.resource.display_name}".lstrip("/")

    @property
    def place(self) -> Link | None:
        """In the revision that is merged; None for what is gone there."""
        return None if self.gone else Link.to(self.resource.node["kind"])

    @property
    def path(self) -> str:
        return shown(self.resource.file.path)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """What is written otherwise."""
        if self.before is None or self.gone or self.before is self.resource:
            return ()
        return differences(self.before.node.value, self.resource.node.value)


class Status(Enum):
    """Of an Application, or of a folder that none syncs."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    KEPT = "kept"


@dataclass(frozen=True, eq=False)
class AppChangeView:
    id: str
    name: str
    is_application: bool
    status: Status
    where: Link | None
    """Where it is written now; None if it is gone."""
    source: str
    destination: str
    automatic: bool | None
    """Whether this happens by itself; None where nobody can tell."""
    how: str
    """The same in a sentence."""
    words: tuple[str, ...]
    """What happens to the Application itself."""
    values: tuple[Any, Any]
    """The Application as it was and as it is."""
    objects: tuple[ChangedObject, ...]
    """In the order of the sync; what it leaves alone comes last."""
    failures: tuple[str, ...] = ()
    """Why Argo CD cannot generate the manifests."""
    unresolved: tuple[str, ...] = ()
    """Why objects may be missing here."""
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return self.name if self.name != "." else "the top folder"

    @property
    def kind(self) -> str:
        return "Application" if self.is_application else "synced by no known Application"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Of the Application itself."""
        before, after = self.values
        return differences(before, after) if before is not None and after is not None else ()

    @cached_property
    def counts(self) -> Counter[Action]:
        return Counter(one.action for one in self.objects)

    @property
    def automatic_word(self) -> str:
        return "unknown" if self.automatic is None else "yes" if self.automatic else "no"

    @cached_property
    def steps(self) -> tuple[tuple[str, tuple[ChangedObject, ...]], ...]:
        """What happens, by phase and wave; what goes with an Application that is deleted comes after."""
        groups: dict[str, list[ChangedObject]] = {}
        for one in self.objects:
            if one.slot is not None:
                groups.setdefault(f"{one.slot.phase_name} wave {one.slot.wave}", []).append(one)
            elif one.action is Action.PRUNE:
                groups.setdefault("With the Application, the highest wave first", []).append(one)
        return tuple((title, tuple(found)) for title, found in groups.items())

    @property
    def groups(self) -> tuple[tuple[str, tuple[ChangedObject, ...]], ...]:
        """All objects: what happens, then what the sync leaves alone."""
        rest = tuple(one for one in self.objects if one.slot is None and one.action is not Action.PRUNE)
        return (*self.steps, ("Not touched by the sync", rest)) if rest else self.steps


@dataclass(frozen=True, eq=False)
class ChangeView:
    base: str
    """What the revision is compared with, as it was asked for."""
    apps: tuple[AppChangeView, ...]
    """Only those that something happens to."""
    unchanged: int = 0
    """Applications that nothing touches."""

    @cached_property
    def counts(self) -> Counter[Action]:
        return sum((app.counts for app in self.apps), Counter())

    @property
    def lost(self) -> Counter[str]:
        """By kind: objects that are deleted and take data with them."""
        deleted = (Action.PRUNE, Action.RECREATE)
        return Counter(
            one.resource.kind for app in self.apps for one in app.objects if one.loses_data and one.action in deleted
        )


def affected_apps(view: ChangeView) -> tuple[AffectedApp, ...]:
    """A row each, for tables."""
    return tuple(
        AffectedApp(
            name=app.title,
            status=app.status.value if app.status.value != "kept" else "",
            destination=app.destination,
            create=app.counts[Action.CREATE],
            change=app.counts[Action.CHANGE] + app.counts[Action.MOVE],
            recreate=app.counts[Action.RECREATE],
            prune=app.counts[Action.PRUNE],
            refused=app.counts[Action.REFUSED],
            automatic=app.automatic_word,
        )
        for app in view.apps
    )
