"""What becomes of what leaves git: who deletes it, and what keeps it. One answer for the rules and for the plan.

A sync prunes what carries the mark of its Application and is not in git any more. The deletion of an
Application takes along what it manages, if it has the finalizer.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from ..argocd.applications import Application, Destination
from ..kubernetes.resource import Resource
from ..repo.app import App
from .app_pairs import AppChange
from .object_pairs import ObjectChange
from .synced import doubt_about, failures_of, is_comparable, refuses_to_empty

if TYPE_CHECKING:
    from .two_revisions import Change

_POLICY: Final = "helm.sh/resource-policy"
"""Argo CD honours it when an Application is deleted, not when it prunes."""


class Fate(Enum):
    """Of an object that leaves its Application."""

    PRUNED = "pruned"
    DELETED = "deleted with its Application"
    WITH_PRUNE = "pruned when somebody syncs with prune"
    CONFIRMED = "pruned when somebody approves"
    PROTECTED = "protected"
    LEFT_BEHIND = "left behind"
    ORPHANED = "orphaned"
    HELD = "held"
    """Another Application has it, or nothing is synced."""
    UNKNOWN = "unknown"


class Outlook(NamedTuple):
    fate: Fate
    words: str = ""
    """Why it stays; empty where it is deleted."""
    unasked: bool = False
    """It is deleted, and nobody is asked before."""


class Deleter(Enum):
    """Of an Application that is gone from git."""

    SET = "the controller of its ApplicationSet"
    PARENT = "the parent, which prunes"
    HAND = "whoever syncs the parent with pruning"
    NOBODY = "nobody that the repository shows"
    ABOVE = "the deletion of its parent, which is gone, too"
    KEPT = "nobody: something keeps it"
    UNKNOWN = "nobody can tell"


class Deletion(NamedTuple):
    by: Deleter
    words: str
    """A clause of its own."""
    unasked: bool = False
    parent: Application | None = None
    """The Application above it, as it is now."""
    makers: tuple[Resource, ...] = ()
    """The ApplicationSet, as it is now; empty if it is gone, too."""

    @property
    def is_its_own(self) -> bool:
        """False where it stays, where nobody can tell, and where the deletion of its parent says it all."""
        return self.by not in (Deleter.ABOVE, Deleter.KEPT, Deleter.UNKNOWN)

    @property
    def is_open(self) -> bool:
        """Whether it hangs on a parent of which not everything is known."""
        return self.by is Deleter.UNKNOWN and self.parent is not None


class Fates:
    """Of everything that is in the base and leaves its place."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._partners = {id(one.before): one for one in change.apps if one.before is not None}
        self._deletions: dict[int, Deletion] = {}

    # -- objects

    def of_object(self, one: ObjectChange, before: App, after: App | None) -> Outlook | None:
        """`before` and `after` are the app it leaves in both revisions; None for what no sync has ever applied."""
        resource = one.before
        if resource is None:
            return None
        others = (app for app in (one.after_app, *self._change.still_in(one)) if app and app not in (before, after))
        taker = next((app.application for app in others if app.application), None)
        if before.application is None:
            there = f"{taker} has it now" if taker else "whoever applies this folder decides what becomes of it"
            return Outlook(Fate.HELD if taker else Fate.UNKNOWN, f"leaves this folder: {there}")
        if not resource.hook.phases:
            return None
        if resource.is_hook:
            return Outlook(Fate.LEFT_BEHIND, "what is left of its last run stays: hooks are not pruned")
        if after is None or after.application is None:
            return self._with_application(resource, before, taker)
        return self._by_sync(resource, before, after, taker)

    def _by_sync(self, resource: Resource, before: App, after: App, taker: Application | None) -> Outlook:
        if failures_of(after):
            return Outlook(Fate.HELD, "stays: Argo CD cannot generate the manifests, and prunes nothing then")
        doubt = doubt_about(before, after)
        if doubt:
            return Outlook(Fate.UNKNOWN, doubt)
        outlook = self.pruning(resource, before, after)
        if taker is None or outlook.fate is Fate.LEFT_BEHIND:
            return outlook
        first = "; if this Application syncs first, it deletes the object, and that one creates it anew"
        return Outlook(Fate.HELD, f"moves to {taker}{first if outlook.unasked else ''}")

    def pruning(self, resource: Resource, before: App, after: App) -> Outlook:
        """What the next sync does with an object that its Application no longer has, if no other is quicker."""
        application, old = after.application, before.application
        assert application is not None
        if old is not None and not self.is_same_cluster(old, application):
            there = old.destination.cluster or "?"
            return Outlook(Fate.LEFT_BEHIND, f"stays in {there}, where nothing manages it any more")
        if resource.is_crd and not self._is_marked(resource, old or application):
            why = "stays: Argo CD does not mark CRDs as its own, and so does not prune them"
            return Outlook(Fate.LEFT_BEHIND, why)
        guard = after.options_for(resource).prune
        if guard == "false":
            return Outlook(Fate.PROTECTED, "stays: Prune=false keeps it, and the Application stays OutOfSync")
        if guard == "confirm":
            why = "stays until somebody approves its deletion (Prune=confirm), and the wave waits"
            return Outlook(Fate.CONFIRMED, why)
        if not application.prunes:
            return Outlook(Fate.WITH_PRUNE, "stays until somebody syncs with prune")
        if refuses_to_empty(after):
            why = "stays: Argo CD refuses to prune everything by itself (allowEmpty is not set)"
            return Outlook(Fate.WITH_PRUNE, why)
        return Outlook(Fate.PRUNED, unasked=True)

    def _is_marked(self, crd: Resource, application: Application) -> bool:
        base = self._change.base
        return base.argocd.settings.is_marked(crd, application, base.versions)

    def is_same_cluster(self, old: Application, new: Application) -> bool:
        """A cluster has a URL and a name; a Secret in the repository may show both."""
        return same_cluster(
            self._change.base.argocd.resolved(old.destination), self._change.head.argocd.resolved(new.destination)
        )

    def _with_application(self, resource: Resource, app: App, taker: Application | None) -> Outlook:
        assert app.application is not None
        cascades = app.application.cascades
        if taker is not None:
            danger = "; if the old Application is deleted first, it is deleted with it, and created anew"
            return Outlook(Fate.HELD, f"moves to {taker}{danger if cascades else ''}")
        if not cascades:
            return Outlook(Fate.ORPHANED, "stays, and nothing manages it any more")
        why = kept_on_deletion(resource, app)
        if why:
            return Outlook(Fate.PROTECTED, f"stays when the Application is deleted: {why}")
        if self.of_app(app).unasked:
            return Outlook(Fate.DELETED, unasked=True)
        return Outlook(Fate.DELETED, "stays until the Application is deleted")

    # -- Applications

    def of_app(self, app: App) -> Deletion:
        """Of an Application of the base that head does not have, at least not under its name."""
        if id(app) not in self._deletions:
            self._deletions[id(app)] = Deletion(Deleter.UNKNOWN, "it is its own parent")  # until it is known
            self._deletions[id(app)] = self._of_app(app)
        return self._deletions[id(app)]

    def _of_app(self, app: App) -> Deletion:
        application = app.application
        assert application is not None
        resource = application.resource
        if resource.patched:
            return Deletion(Deleter.UNKNOWN, "what becomes of it is not known: a kustomization may change it")
        makers = [one for one in self._change.head.argocd.sets if one.resource.identity == resource.identity]
        if not application.is_generated or not makers:
            return self._by_parents(resource)
        if any(one.expansion.fails or one.expansion.unresolved for one in makers):
            return Deletion(Deleter.UNKNOWN, f"whether {resource} still makes it is not known")
        if any(_keeps_applications(one.resource) for one in makers):
            return Deletion(Deleter.KEPT, f"{resource} deletes no Applications")
        found = tuple(one.resource for one in makers)
        return Deletion(Deleter.SET, f"{resource} deletes it", unasked=True, makers=found)

    def _by_parents(self, resource: Resource) -> Deletion:
        """Of an Application, or of a set and so of what it makes. One parent that may keep it is enough."""
        found = [self._by_parent(resource, parent) for parent in self._change.base.managers(resource)]
        if not found:
            return Deletion(Deleter.NOBODY, "nothing in the repository deletes it: somebody has to")
        return min(found, key=lambda one: (one.is_its_own, not one.unasked))

    def _by_parent(self, resource: Resource, parent: App) -> Deletion:
        partner = self._partners.get(id(parent))
        after = partner.after if partner else None
        if partner is None or after is None or after.application is None or partner.is_renamed:
            return self._with_parent(resource, parent, partner)
        above = after.application
        if not is_comparable(parent, after):
            return Deletion(Deleter.UNKNOWN, f"not everything is known of what its parent {above} brings", parent=above)
        outlook = self.pruning(resource, parent, after)
        if outlook.unasked:
            return Deletion(Deleter.PARENT, f"the sync of its parent {above} prunes it", True, above)
        if outlook.fate is Fate.WITH_PRUNE and not refuses_to_empty(after):
            return Deletion(Deleter.HAND, f"its parent {above} does not prune it by itself", parent=above)
        return Deletion(Deleter.KEPT, f"its parent {above} {_WHY_KEPT[outlook.fate]}", parent=above)

    def _with_parent(self, resource: Resource, parent: App, partner: AppChange | None) -> Deletion:
        """A parent that is gone, too, takes it along, or leaves it alone."""
        assert parent.application is not None
        renamed = partner is not None and partner.is_renamed
        gone = f"its parent {parent.application} {'has another name' if renamed else 'is removed, too'}"
        if not parent.application.cascades:
            return Deletion(Deleter.KEPT, f"{gone}, and leaves it alone (no finalizer)")
        why = kept_on_deletion(resource, parent)
        if why:
            return Deletion(Deleter.KEPT, f"{gone}, and leaves it alone ({why})")
        above = self.of_app(parent)
        return Deletion(Deleter.ABOVE, f"{gone}, and takes it along (it has the finalizer)", above.unasked)


_WHY_KEPT: Final = {
    Fate.PROTECTED: "may not prune it (Prune=false)",
    Fate.CONFIRMED: "waits until somebody approves its deletion (Prune=confirm)",
    Fate.WITH_PRUNE: "has nothing else left, and does not prune everything by itself (allowEmpty is not set)",
    Fate.LEFT_BEHIND: "goes to another cluster, and leaves it where it is",
}


def same_cluster(old: Destination, new: Destination) -> bool:
    if old.cluster == new.cluster:
        return True
    same_server = bool(old.server) and old.server.rstrip("/") == new.server.rstrip("/")
    return same_server or (bool(old.name) and old.name == new.name)


def kept_on_deletion(resource: Resource, app: App) -> str:
    """Why an object outlives its Application, for all its finalizer; empty if it does not."""
    if resource.is_crd:
        return "CRDs are never deleted with it"
    if resource.annotation(_POLICY).text == "keep":
        return "resource-policy keep"
    guard = app.options_for(resource).delete
    return f"Delete={guard}" if guard != "true" else ""


def _keeps_applications(maker: Resource) -> bool:
    return maker["spec"]["syncPolicy"]["applicationsSync"].text in ("create-only", "create-update")
