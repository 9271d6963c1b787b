"""Something that holds data loses its Prune=false or Delete=false, and with it the last guard.

Prune=false and Prune=confirm keep an object that leaves git, Delete=false and Delete=confirm one
whose Application is deleted. Argo CD reads them from the object in the cluster. Taking them
away takes effect with the next sync: if a later change removes or renames the manifest, the
object is deleted unasked. (Taken away together with the manifest they still protect, since
nothing syncs the change to the object; see manifest-removed-with-prune.)

Looked at are objects whose deletion loses what git cannot bring back, and Secrets, in
Applications that prune automatically (for Prune) or have the finalizer (for Delete). It is a
note where the object loses its own annotation, since prune-stateful-unprotected and its
kin speak of it as well; a warning where `syncOptions` of the Application (Argo CD 3.4 and
later) lose it for all objects at once.

Fix: keep the options. There is no automatic fix.

See: argo-cd#9853, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    # both: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    # before: deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,Delete=false
    # deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-options: Delete=false  # <- here
Good:
    # both: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    # before: deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,Delete=false
    # deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-options: Prune=confirm,Delete=confirm
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...linter.api import App, Change, Finding, Moment, Place, Resource, Severity, by_line, listed, rule, table
from ...linter.argocd.applications import Application
from ...linter.change import AppChange, Stakes
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS


class Exposed(NamedTuple):
    resource: Resource
    application: Application
    options: Mapping[str, str]
    """What it had of Prune and Delete."""
    for_all: bool
    """It was the Application's option, not the object's own."""


@rule("GL945", Severity.NOTE, Moment.REMOVAL)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    found: list[tuple[Place, Exposed]] = []
    for one in change.apps:
        if one.before is not None and one.after is not None:
            found += _exposed(change, one, one.before, one.after, stakes)
    for place, together in by_line(found):
        yield _finding(place, together)


def _exposed(
    change: Change, one: AppChange, before: App, after: App, stakes: Stakes
) -> Iterator[tuple[Place, Exposed]]:
    application = after.application
    if application is None:
        return
    same = not one.policy_changed
    existing = {before.identity(resource): resource for resource in before.resources}
    for resource in after.resources:
        old = existing.get(after.identity(resource))
        if old is None or (same and old is resource) or old.is_hook or resource.is_hook or resource.patched:
            continue
        lost = _lost(old, before, resource, after)
        if lost and _matters(old, before, stakes) and not is_placeholder(resource.annotation(SYNC_OPTIONS).text):
            for_all = all(old.sync_option(option) == resource.sync_option(option) for option in lost)
            exposed = Exposed(resource, application, lost, for_all)
            yield _place(change, old, exposed), exposed


def _lost(old: Resource, before: App, new: Resource, after: App) -> Mapping[str, str]:
    application = after.application
    assert application is not None
    was, now = before.options_for(old), after.options_for(new)
    guards = (
        ("Prune", was.prune, now.prune, application.prunes),
        ("Delete", was.delete, now.delete, application.cascades),
    )
    return {
        name: earlier for name, earlier, later, counts in guards if counts and earlier != "true" and later == "true"
    }


def _matters(resource: Resource, app: App, stakes: Stakes) -> bool:
    if resource.group_kind in table("secret-kinds.json")["kinds"]:
        return True
    return not resource.is_crd and stakes.of(resource, app).severity > Severity.NOTE


def _place(change: Change, old: Resource, exposed: Exposed) -> Place:
    if exposed.for_all:
        options = exposed.application.place("/spec/syncPolicy/syncOptions")
        return options if options.present else exposed.application.place("/spec/syncPolicy")
    annotation = exposed.resource.annotation(SYNC_OPTIONS)
    if annotation.present:
        return annotation
    gone = old.annotation(SYNC_OPTIONS).origin
    line = gone.file.position(gone.key_span.start).line
    return change.place_of_line(gone.file.path, line) or exposed.resource["kind"]


def _finding(place: Place, together: Sequence[Exposed]) -> Finding:
    first = together[0]
    options = " and ".join(f"{name}={value}" for name, value in first.options.items())
    when: dict[tuple[str, ...], str] = {
        ("Prune",): f"when it leaves git, since {first.application} prunes automatically",
        ("Delete",): f"when {first.application} is deleted, which has the finalizer",
    }
    either = f"when it leaves git or {first.application} is deleted"
    return Finding(
        place,
        headline=f"{listed(one.resource for one in together)} {'lose' if len(together) > 1 else 'loses'} {options}",
        happens=f"Once that is synced, it is deleted unasked {when.get(tuple(first.options), either)}.",
        do="Keep the option as long as the data matters.",
        severity=Severity.WARNING if first.for_all else Severity.NOTE,
    )
