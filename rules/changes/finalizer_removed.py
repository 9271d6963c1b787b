"""The finalizer of an Application is taken away; whoever deletes it then leaves all its objects.

With resources-finalizer.argocd.argoproj.io among its finalizers Argo CD deletes what an
Application manages before it lets the Application go. Without, everything it has made goes on
running, and nobody manages it. That is the right first step to hand objects over or to
rename an Application, and a trap where it was dropped by the way: the next removal leaves
them behind. It holds once the Application itself is synced, by its parent or by hand; the
Application in the cluster counts. In an ApplicationSet preserveResourcesOnDeletion: true, or
finalizers of its own in the template, do the same to all its Applications.

It is a note. New Applications are not looked at.

Fix: put the finalizer back, unless the objects are to stay when the Application goes. There is no
automatic fix.

See: argo-cd#9227, https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/

Bad:
    # before: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:  # <- here
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
Good:
    # before: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      finalizers:
        - resources-finalizer.argocd.argoproj.io/foreground
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Change, Finding, Moment, Place, Severity, by_line, listed, rule
from ...linter.argocd.applications import Application


@rule("GL944", Severity.NOTE, Moment.REMOVAL)
def check(change: Change) -> Iterator[Finding]:
    found: list[tuple[Place, Application]] = []
    for one in change.apps:
        before = one.before.application if one.before else None
        after = one.after.application if one.after else None
        if before is None or after is None or one.is_renamed or before.resource.patched or after.resource.patched:
            continue
        if before.cascades and not after.cascades:
            found.append((_place(change, before, after), after))
    for place, together in by_line(found):
        several = len(together) > 1
        yield Finding(
            place,
            headline=f"{listed(together)} {'lose' if several else 'loses'} the finalizer",
            happens=f"Once that is synced, deleting {'them' if several else 'it'} leaves everything"
            f" {'they manage' if several else 'it manages'} running, and nobody manages it.",
            do="Keep the finalizer, unless that is meant.",
        )


def _place(change: Change, before: Application, after: Application) -> Place:
    """Where the finalizer was, or what else decides over it now."""
    kept = after.resource["spec"]["syncPolicy"]["preserveResourcesOnDeletion"]
    if after.is_generated and kept.present:
        return kept
    own = after.place("/metadata/finalizers")
    if own.present and own.key == "finalizers":
        return own
    gone = before.place("/metadata/finalizers").origin
    found = change.place_of_line(gone.file.path, gone.file.position(gone.key_span.start).line) if gone.present else None
    return found or change.first_change(after.resource.node.origin.file.path) or after.resource["kind"]
