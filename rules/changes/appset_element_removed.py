"""An ApplicationSet no longer makes an Application, so its controller deletes that at once.

An element of a list, a folder or file that a git generator finds, a selector that became
narrower: what the generators no longer give is deleted by the controller of the
ApplicationSet, within moments, without a sync, a prune or a question. The Applications of a
set have the finalizer resources-finalizer.argocd.argoproj.io unless the template has
finalizers of its own or the set has preserveResourcesOnDeletion: true, so that all their
objects are deleted, too.

That is how an element is meant to be removed, so it is a note that says what will go. It is an
error where the deletion loses what git cannot bring back (claims, databases, a Namespace that
others use), and a warning where the objects are not all known here. Setting
preserveResourcesOnDeletion in the same change comes too late: the finalizer of the
Application in the cluster counts, and the controller does not update what it deletes.

Silent with applicationsSync: create-only or create-update, which keep the Application
(unless the controller is started with a policy of its own), and where the set fails or
depends on what is not in the repository.

Fix: if it was not meant, bring the element back. To keep the objects, set
preserveResourcesOnDeletion: true, wait until the finalizer is gone from the Application, and
remove the element then. There is no automatic fix.

See: argo-cd#16721, argo-cd#20848, argo-cd#18780

Bad:
    # before: set.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shop
    spec:
      generators:
        - list:
            elements:
              - name: web
              - name: data
      template:
        metadata:
          name: "{{name}}"
        spec:
          source:
            repoURL: https://git.example.com/shop.git
            path: "{{name}}"
          destination:
            server: https://kubernetes.default.svc
            namespace: "{{name}}"
    # set.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shop
    spec:
      generators:
        - list:
            elements:
              - name: web
      template:  # <- here
        metadata:
          name: "{{name}}"
        spec:
          source:
            repoURL: https://git.example.com/shop.git
            path: "{{name}}"
          destination:
            server: https://kubernetes.default.svc
            namespace: "{{name}}"
    # both: web/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # both: data/claim.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
Good:
    # before: set.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shop
    spec:
      syncPolicy:
        applicationsSync: create-update
      generators:
        - list:
            elements:
              - name: web
              - name: data
      template:
        metadata:
          name: "{{name}}"
        spec:
          source:
            repoURL: https://git.example.com/shop.git
            path: "{{name}}"
          destination:
            server: https://kubernetes.default.svc
            namespace: "{{name}}"
    # set.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shop
    spec:
      syncPolicy:
        applicationsSync: create-update
      generators:
        - list:
            elements:
              - name: web
      template:
        metadata:
          name: "{{name}}"
        spec:
          source:
            repoURL: https://git.example.com/shop.git
            path: "{{name}}"
          destination:
            server: https://kubernetes.default.svc
            namespace: "{{name}}"
    # both: web/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # both: data/claim.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import App, Change, Confidence, Finding, Moment, Place, Severity, by_line, listed, rule
from ...linter.change import Deleter, Stakes, place_of_app, removed_apps


@rule("GL937", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    found: list[tuple[Place, App]] = []
    for one in removed_apps(change):
        deletion = change.fates.of_app(one.app)
        if deletion.by is Deleter.SET:
            found.append((place_of_app(change, one.app, deletion), one.app))
    for place, apps in by_line(found):
        yield _finding(place, apps, stakes)


def _finding(place: Place, apps: Sequence[App], stakes: Stakes) -> Finding:
    names, several = listed(app.application for app in apps), len(apps) > 1
    cascade = stakes.cascade_of_apps(apps)
    makers = listed(app.application.resource for app in apps if app.application)
    start = f"Its controller deletes {'them' if several else 'it'} at once"
    what = f"{makers} no longer makes {names}"
    if cascade is None:
        return Finding(
            place,
            headline=what,
            happens=f"{start}; without the finalizer what {'they manage' if several else 'it manages'} keeps running,"
            " and nobody manages it any more.",
            do="Bring the element back, or clean up by hand.",
            severity=Severity.NOTE,
        )
    doubtful = not cascade.known and cascade.stake.severity is Severity.NOTE
    return Finding(
        place,
        headline=what,
        happens=f"{start}, and by the finalizer all that {'they have' if several else 'it has'}: {cascade.words}.",
        do="To keep it, set preserveResourcesOnDeletion: true and let that take effect first.",
        severity=cascade.severity,
        confidence=Confidence.MEDIUM if doubtful else Confidence.HIGH,
    )
