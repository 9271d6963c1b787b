"""An Application gets another name: to Argo CD the old one is deleted, with all it manages.

The name (and namespace) of an Application is what it is known by, and what its objects are
marked with. Under another name it is a new Application. The old one leaves git; the parent
that prunes, or the ApplicationSet that made it, deletes it, and with the finalizer
resources-finalizer.argocd.argoproj.io everything that it manages. The new one creates the
same objects anew. Only if it happens to sync before the old one is through does it take some
over. The Applications of a set change their names with `template.metadata.name`, with an
element of a list, or with a folder that a git generator finds.

It is an error where the deletion cascades. Without the finalizer the objects stay and the
new Application takes them over: a note. Where the parent does not prune both Applications are
there and quarrel over the objects: a warning.

Fix: keep the name. If it has to change: remove the finalizer (in a set:
preserveResourcesOnDeletion: true) and let that be synced, then rename, then put the finalizer
back. There is no automatic fix.

See: argo-cd#28576, argo-cd#29011, argo-cd#16721

Bad:
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
    # before: apps/web.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: web
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: web
      destination:
        server: https://kubernetes.default.svc
        namespace: web
    # apps/web.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop-web  # <- here
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: web
      destination:
        server: https://kubernetes.default.svc
        namespace: web
    # both: web/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
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
    # before: apps/web.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: web
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: web
      destination:
        server: https://kubernetes.default.svc
        namespace: web
    # apps/web.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: web
      labels:
        team: shop
      finalizers:
        - resources-finalizer.argocd.argoproj.io
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: web
      destination:
        server: https://kubernetes.default.svc
        namespace: web
    # both: web/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import Change, Finding, Moment, Node, Place, Severity, by_line, listed, rule, sentence
from ...linter.argocd.applications import Application
from ...linter.change import Cascade, Deleter, Deletion, renamed_apps
from ...linter.dialects.spelling import is_placeholder


class Renamed(NamedTuple):
    before: Application
    after: Application
    deletion: Deletion
    cascade: Cascade | None

    @property
    def severity(self) -> Severity:
        if self.deletion.by is Deleter.NOBODY:
            return Severity.NOTE
        if self.deletion.by is Deleter.HAND:
            return Severity.WARNING
        return Severity.ERROR if self.cascade else Severity.NOTE


@rule("GL936", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    renamed = renamed_apps(change)
    stakes = change.stakes
    found: list[tuple[Place, Renamed]] = []
    for app in change.base.applications:
        taker = renamed.get(id(app))
        if app.application is None or taker is None or taker.application is None:
            continue
        deletion = change.fates.of_app(app)
        if not deletion.is_its_own:
            continue
        if any(map(is_placeholder, (app.application.name, taker.application.name))):
            continue
        cascade = stakes.cascade_of_apps([app])
        found.append(
            (_place(change, taker.application), Renamed(app.application, taker.application, deletion, cascade))
        )
    for place, together in by_line(found):
        yield _finding(place, sorted(together, key=lambda one: -one.severity))


def _place(change: Change, application: Application) -> Place:
    """The name; for a set whose text says as much as before, what of it changed, or its generators."""
    place = application.place("/metadata/name")
    if not application.is_generated:
        own = application.place("/metadata/namespace")
        return own if own.present and not _is_changed(change, place) and _is_changed(change, own) else place
    if _is_changed(change, place):
        return place
    changed = change.first_change(application.resource.node.origin.file.path)
    return changed if changed is not None else application.resource["spec"]["generators"]


def _is_changed(change: Change, place: Node) -> bool:
    origin = place.origin
    return origin.file.position(origin.span.start).line in change.changed_lines(origin.file.path)


def _finding(place: Place, together: list[Renamed]) -> Finding:
    first = together[0]
    others = [one.before for one in together[1:]]
    also = f" {listed(others)} {'get' if len(others) > 1 else 'gets'} another name, too." if others else ""
    name = repr(first.after.name) if first.after.name != first.before.name else f"one of {first.after.namespace!r}"
    return Finding(
        place,
        headline=f"{first.before} becomes {name}, to Argo CD another Application",
        happens=f"{sentence(_result(first))}{also}",
        do=_advice(first),
        severity=first.severity,
    )


def _advice(one: Renamed) -> str:
    if one.deletion.by is Deleter.NOBODY:
        return "Delete the old one without cascade."
    if one.deletion.by is Deleter.HAND:
        return "Keep the name, or delete the old one without cascade."
    return "Keep the name, or let the removal of the finalizer be synced first."


def _result(one: Renamed) -> str:
    if one.deletion.by is Deleter.NOBODY:
        return "nothing here deletes the old one, and as long as both are there they quarrel over the same objects"
    if one.deletion.by is Deleter.HAND:
        return f"{one.deletion.parent} does not prune by itself, so the old one stays and both quarrel over the objects"
    deleted = (
        "its set deletes the old one at once"
        if one.deletion.by is Deleter.SET
        else f"the next automatic sync of {one.deletion.parent} deletes the old one"
    )
    if one.cascade is None:
        return f"{deleted}, without the finalizer, so its objects stay and the new one takes them over"
    return f"{deleted}, and by its finalizer {one.cascade.words}, which the new one creates anew"
