"""An Application leaves git; with its finalizer everything that it manages is deleted, too.

A parent Application that prunes automatically deletes the Application minutes after the
merge. If it has the finalizer resources-finalizer.argocd.argoproj.io, Argo CD deletes
everything it manages before it goes, also what its own children manage. Without the finalizer
the objects go on running, and nobody manages them any more. When an ApplicationSet leaves
git and is deleted, all Applications it made go with it, with their objects, unless it has
preserveResourcesOnDeletion.

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
        if application is None or not deletion.is_its_own or deletion.by is Deleter.SET:
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
    return Finding(
        place,
        f"{listed(one.resource for one in together)} {_what_happens(first, several=len(together) > 1)}",
        severity=first.severity,
        confidence=Confidence.MEDIUM if doubtful else Confidence.HIGH,
    )


def _what_happens(gone: Gone, *, several: bool) -> str:
    parent = gone.deletion.parent
    if gone.deletion.by is Deleter.NOBODY:
        return (
            "left git, but no Application here is above that, so the cluster keeps it until somebody deletes it there"
        )
    left = f"{'are' if several else 'is'} no longer in what {parent} syncs"
    if gone.deletion.by is Deleter.PARENT:
        when = f"{left}: its next automatic sync deletes that"
    else:
        when = f"{left}, which does not prune by itself, but if somebody syncs it with pruning, that is deleted"
    if gone.cascade is None:
        return f"{when}; without the finalizer all that was managed keeps running, and nobody manages it any more"
    if gone.cascade.is_empty:
        return f"{when}, and of what it manages nothing: all of that is kept, and nobody manages it any more"
    first = (
        "preserveResourcesOnDeletion: true" if gone.resource.kind == "ApplicationSet" else "removal of the finalizer"
    )
    of = f" of {gone.resource}" if several else ""
    return (
        f"{when}, and by the finalizer everything{of} that it manages: {gone.cascade.words}; to keep it, let"
        f" the {first} be synced before"
    )
