"""An Application leaves git; with its finalizer everything that it manages is deleted, too.

A parent Application that prunes automatically deletes the Application minutes after the
merge. If it has the finalizer resources-finalizer.argocd.argoproj.io, Argo CD deletes
everything it manages before it goes, also what its own children manage. Without the finalizer
the objects go on running, and nobody manages them any more. When an ApplicationSet leaves
git and is deleted, all Applications it made go with it, with their objects, unless it has
preserveResourcesOnDeletion. It is an error where only a cluster can tell which they are.

That is how Applications are meant to be removed, so it is a note that says what will go. It
is an error where a deletion loses what git cannot bring back (claims, databases, a Namespace
that others use), and a warning where the objects are not all known here. Where the parent does
not prune, or no parent is in the repository, the Application stays until somebody deletes
it: a note. The finalizer that counts is the one in the cluster: taking it away in the
same change as the Application comes too late. CRDs, and objects with Delete=false or
helm.sh/resource-policy: keep, are not deleted.

Fix: to keep the objects, remove the finalizer in a first change (or set
preserveResourcesOnDeletion in the set), let the parent sync that, and remove the Application in a
second one. To keep some, give them Delete=false first. There is no automatic fix.

See: argo-cd#9227, argoproj/applicationset#560, https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/

Bad:
    # both: root.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: root
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: apps  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: argocd
      syncPolicy:
        automated:
          prune: true
    # both: apps/web.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: web
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: web
      destination:
        server: https://kubernetes.default.svc
        namespace: web
    # before: apps/data.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: data
      namespace: argocd
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: data
      destination:
        server: https://kubernetes.default.svc
        namespace: data
    # both: web/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # before: data/claim.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
Good:
    # both: root.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: root
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: apps
      destination:
        server: https://kubernetes.default.svc
        namespace: argocd
      syncPolicy:
        automated:
          prune: true
    # before: apps/data.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: data
      namespace: argocd
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: data
      destination:
        server: https://kubernetes.default.svc
        namespace: data
    # apps/database.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: data
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: data
      destination:
        server: https://kubernetes.default.svc
        namespace: data
    # both: data/claim.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import Change, Confidence, Finding, Moment, Place, Resource, Severity, by_line, listed, rule
from ...linter.change import Cascade, Cause, Deleter, Deletion, Fate, Stakes, place_of_app, removed_apps
from ...linter.change.stakes import UNSEEN


class Gone(NamedTuple):
    resource: Resource
    """The Application or the set."""
    deletion: Deletion
    cascade: Cascade | None
    """None without the finalizer."""

    @property
    def severity(self) -> Severity:
        if self.cascade is None or self.deletion.by is not Deleter.PARENT:
            return Severity.NOTE
        return self.cascade.severity


@rule("GL935", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    found: dict[int, tuple[Place, Gone]] = {}
    for one in removed_apps(change):
        deletion = change.fates.of_app(one.app)
        application = one.app.application
        if application is None or deletion.by is Deleter.SET or not (deletion.is_its_own or deletion.is_open):
            continue
        gone = Gone(application.resource, deletion, stakes.cascade(application.resource))
        found.setdefault(id(gone.resource), (place_of_app(change, one.app, deletion), gone))
    for key, place, gone in _out_of_its_parent(change, stakes):
        found.setdefault(key, (place, gone))
    for place, together in by_line(found.values()):
        yield _finding(place, sorted(together, key=lambda one: -one.severity))


def _out_of_its_parent(change: Change, stakes: Stakes) -> Iterator[tuple[int, Place, Gone]]:
    """Those that are still in git, but no longer where their parent looks."""
    for one in change.departures:
        if one.is_application and one.cause is Cause.REMOVED and one.outlook.fate in (Fate.PRUNED, Fate.WITH_PRUNE):
            by = Deleter.PARENT if one.is_deleted else Deleter.HAND
            deletion = Deletion(by, one.outlook.words, one.is_deleted, one.application)
            gone = Gone(one.resource, deletion, stakes.cascade(one.resource))
            yield id(one.resource), change.place_of_removal(one.change), gone


def _finding(place: Place, together: list[Gone]) -> Finding:
    first = together[0]
    doubtful = first.cascade is not None and not first.cascade.known and first.cascade.stake.severity is Severity.NOTE
    several = len(together) > 1
    return Finding(
        place,
        headline=f"{listed(one.resource for one in together)} {_where_from(first, several=several)}",
        happens=_what_happens(first, several=several),
        do=_what_to_do(first),
        severity=first.severity,
        confidence=Confidence.MEDIUM if doubtful else Confidence.HIGH,
    )


def _where_from(gone: Gone, *, several: bool) -> str:
    if gone.deletion.by is Deleter.NOBODY or gone.deletion.is_open:
        return "left git"
    return f"{'are' if several else 'is'} no longer in what {gone.deletion.parent} syncs"


def _what_happens(gone: Gone, *, several: bool) -> str:
    if gone.deletion.by is Deleter.NOBODY:
        return "No Application here is above it, so the cluster keeps it until somebody deletes it there."
    when = _when(gone.deletion)
    if gone.cascade is None:
        return f"{when}; without the finalizer all that it managed keeps running, and nobody manages it any more."
    if gone.cascade.is_empty:
        return f"{when}; all that it manages is kept, and nobody manages it any more."
    of = f" of {gone.resource}" if several else ""
    if gone.cascade is UNSEEN:
        return f"{when}, with all Applications{of}, which only the cluster knows, and with everything that they manage."
    return f"{when}, and by the finalizer everything{of} that it manages: {gone.cascade.words}."


def _when(deletion: Deletion) -> str:
    if deletion.is_open:
        return f"Not all that {deletion.parent} brings was seen; if it is gone from there, too, a prune deletes it"
    if deletion.by is Deleter.PARENT:
        return "The next automatic sync deletes it"
    return "The parent does not prune by itself, but whoever syncs it with pruning deletes it"


def _what_to_do(gone: Gone) -> str:
    if gone.deletion.by is Deleter.NOBODY:
        return "Delete it by hand, if it is to go."
    if gone.cascade is None or gone.cascade.is_empty:
        return "Bring it back, or delete what is left by hand."
    if gone.resource.kind == "ApplicationSet":
        return "To keep it all, set preserveResourcesOnDeletion: true and let that be synced first."
    return "To keep it all, remove the finalizer and let that be synced first."
