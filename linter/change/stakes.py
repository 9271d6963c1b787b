"""What is lost when an object is deleted from its cluster."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from ..argocd.applications import FINALIZER, GROUP
from ..argocd.identity import Identity
from ..dialects.phrases import counted
from ..facts.severity import Severity
from ..facts.tables import table
from ..kubernetes.resource import Resource
from ..repo.app import App
from ..repo.data_holders import StatefulObjects
from ..yaml.json_pointer import steps
from ..yaml.lazy import lazy
from .fate import kept_on_deletion
from .synced import synced

if TYPE_CHECKING:
    from ..kubernetes.references import Reference
    from ..yaml.source import Node
    from .two_revisions import Change


class Stake(NamedTuple):
    severity: Severity
    """If it is deleted unasked. An error is a loss that bringing the manifest back does not undo."""
    words: str = ""
    """To stand after "... is deleted"; empty where git can bring all of it back."""
    loses_data: bool = False
    """Of its own, which nothing brings back; what goes with an Application is told of each object there."""
    reader: Resource | None = None
    """Who still needs it."""


NOTHING: Final = Stake(Severity.NOTE)


class Cascade(NamedTuple):
    """What is deleted along with Applications, by their finalizer."""

    taken: tuple[Resource, ...]
    worst: Resource | None
    """What takes along most; None if it takes along nothing."""
    stake: Stake
    known: bool
    """False where not all of the objects are known: then there may be worse."""

    @property
    def severity(self) -> Severity:
        return max(self.stake.severity, Severity.NOTE if self.known else Severity.WARNING)

    @property
    def words(self) -> str:
        """How much it is, and the worst of it: to stand before "is deleted"."""
        seen = [counted(len(self.taken), "object")] if self.taken else []
        unseen = [] if self.known else ["what is not seen here"]
        worst = f", {self.worst} {self.stake.words}" if self.worst else ""
        return f"{' and '.join([*seen, *unseen]) or 'nothing'}{worst}"

    @property
    def is_empty(self) -> bool:
        """All of it is kept, as far as it is known, and it is."""
        return self.known and not self.taken


UNSEEN: Final = Cascade((), None, Stake(Severity.ERROR), known=False)
"""Of a set whose Applications only a cluster can tell: all of them, with all they manage."""


class Stakes:
    """Of objects as they were before the change."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._stateful = StatefulObjects(change.base)

    def of(self, resource: Resource, app: App) -> Stake:
        """What goes along with an object of an app of the base."""
        if resource.is_crd:
            kind = resource["spec"]["names"]["kind"].text or "object of its kind"
            return Stake(Severity.ERROR, f"and with it every {kind} in the cluster", loses_data=True)
        if resource.group == GROUP and resource.kind in ("Application", "ApplicationSet"):
            cascade = self.cascade(resource)
            return Stake(cascade.severity, f"and by its finalizer {cascade.words}") if cascade else NOTHING
        if resource.group_kind == "Namespace":
            return self._namespace(resource, app)
        loss = self._stateful.loss(resource)
        if loss is not None:
            return Stake(Severity.ERROR if loss.certain else Severity.WARNING, loss.words, loss.certain)
        if resource.group_kind in table("secret-kinds.json")["kinds"]:
            return self._secret(resource, app)
        if resource.group_kind == "Service" and resource["spec"]["type"].text == "LoadBalancer":
            return Stake(Severity.NOTE, "and its address with it")
        reader = self._reader(resource, app)
        return Stake(Severity.WARNING, f"though {reader} still names it", reader=reader) if reader else NOTHING

    # -- Applications

    def cascade(self, resource: Resource) -> Cascade | None:
        """Of an Application, or of all that a set makes, and of those below them; None without any finalizer."""
        if id(resource) in self._unseen_sets:
            return UNSEEN
        return self.cascade_of_apps(self._apps.get(id(resource), ()))

    @lazy
    def _unseen_sets(self) -> frozenset[int]:
        """Sets of which no Application is known, and whose Applications take along what they manage."""
        sets = self._change.base.argocd.sets
        unknown = (
            one for one in sets if one.expansion.unresolved and all(made.is_open for made in one.expansion.applications)
        )
        return frozenset(id(one.resource) for one in unknown if _makes_cascading(one.resource))

    def cascade_of_apps(self, apps: Iterable[App]) -> Cascade | None:
        waiting = _cascading(apps)
        if not waiting:
            return None
        taken: list[Resource] = []
        worst: tuple[Resource | None, Stake] = (None, NOTHING)
        known, seen = True, set(map(id, waiting))
        while waiting:
            app = waiting.pop()
            known = known and app.is_complete
            for one in synced(app):
                if kept_on_deletion(one, app):
                    continue
                taken.append(one)
                children = [child for child in _cascading(self._apps.get(id(one), ())) if id(child) not in seen]
                seen.update(map(id, children))
                waiting += children
                stake = NOTHING if id(one) in self._apps else self.of(one, app)
                if one.group_kind == "Namespace" and stake.severity is Severity.WARNING:
                    continue  # its own, with nothing in it that is not deleted anyway
                if stake.severity > worst[1].severity:
                    worst = one, stake
        return Cascade(tuple(taken), *worst, known)

    @lazy
    def _apps(self) -> Mapping[int, list[App]]:
        """By the id of an Application or a set: what it is, or makes."""
        found: dict[int, list[App]] = {}
        for app in self._change.base.applications:
            if app.application is not None:
                found.setdefault(id(app.application.resource), []).append(app)
        return found

    # -- namespaces

    def _namespace(self, namespace: Resource, app: App) -> Stake:
        identity = app.identity(namespace)
        inside = self._inside.get((identity.cluster, identity.name), ()) if identity else ()
        if inside:
            others = f"also {counted(len(inside), 'object')} that git still has there"
            return Stake(Severity.ERROR, f"with everything in it, {others}", loses_data=True)
        held = identity is not None and (identity.cluster, identity.name) in self._with_data
        if held:
            return Stake(Severity.ERROR, "with everything in it, its data included", loses_data=True)
        return Stake(Severity.WARNING, "with everything in it, whoever put it there")

    @lazy
    def _inside(self) -> Mapping[tuple[str, str], Collection[Identity]]:
        """What head still has in a namespace; Applications that go there count, whatever they bring."""
        found: dict[tuple[str, str], set[Identity]] = {}
        for app in self._change.head.applications:
            destination = app.application.destination if app.application else None
            for resource in app.resources:
                one = app.identity(resource)
                if one is not None and one.namespace:
                    found.setdefault((one.cluster, one.namespace), set()).add(one)
            if destination is not None and destination.namespace and not app.is_complete:
                own = Identity(destination.cluster, GROUP, "Application", destination.namespace, app.name)
                found.setdefault((destination.cluster, destination.namespace), set()).add(own)
        return found

    @lazy
    def _with_data(self) -> Collection[tuple[str, str]]:
        """Namespaces in which the base has something that holds data."""
        return {
            (one.cluster, one.namespace)
            for app in self._change.base.applications
            for resource in app.resources
            if self._stateful.loss(resource) is not None and (one := app.identity(resource)) is not None
        }

    # -- secrets

    def _reader(self, resource: Resource, app: App) -> Resource | None:
        """What of its app named it by a field that means an object, and still does, though nothing else offers it."""
        for reference in app.graph.to(resource):
            identity = app.identity(reference.consumer)
            if reference.optional or reference.guessed or identity is None:
                continue
            for unit, user in self._of_head.get(identity, ()):
                offered = any(one.target == reference.target for one in unit.graph.of(user))
                if not offered and _still_names(user, reference):
                    return reference.consumer
        return None

    def _secret(self, secret: Resource, app: App) -> Stake:
        reader = self._reader(secret, app)
        if reader is not None:
            return Stake(Severity.ERROR, f"though {reader} still reads it", reader=reader)
        if secret.group_kind == "Secret" and not (secret["data"].is_mapping or secret["stringData"].is_mapping):
            return Stake(Severity.ERROR, "and its values, which git does not have, with it", loses_data=True)
        return NOTHING

    @lazy
    def _of_head(self) -> Mapping[Identity, list[tuple[App, Resource]]]:
        found: dict[Identity, list[tuple[App, Resource]]] = {}
        for app in self._change.head.applications:
            for resource in app.resources:
                if (identity := app.identity(resource)) is not None:
                    found.setdefault(identity, []).append((app, resource))
        return found


def _makes_cascading(maker: Resource) -> bool:
    """The controller gives every Application the finalizer, unless the set says otherwise."""
    spec = maker["spec"]
    finalizers = spec["template"]["metadata"]["finalizers"]
    own = [one.text.split("/")[0] for one in finalizers]
    return spec["syncPolicy"]["preserveResourcesOnDeletion"].value is not True and (not own or FINALIZER in own)


def _cascading(apps: Iterable[App]) -> list[App]:
    return [app for app in apps if app.application is not None and app.application.cascades]


def _still_names(user: Resource, reference: Reference) -> bool:
    """Whether it says the name in the same field; a label or a container may have it, too, and items of lists move."""
    name, field = reference.at.text, _field(reference.at, reference.consumer)
    return bool(name) and any(one.text == name and _field(one, user) == field for one in user.node.walk())


def _field(node: Node, resource: Resource) -> list[str]:
    return [step for step in steps(node.pointer.removeprefix(resource.node.pointer)) if not step.isdecimal()]
