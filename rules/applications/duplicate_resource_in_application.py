"""An object is twice in one Application; the last one wins and the others are dropped.

Two manifests are one object when group, kind, namespace and name agree, after the
destination's namespace is filled in and taken off kinds that have none. Argo CD then
keeps the one that it reads last (files by name, later sources after earlier ones),
forgets the rest, and shows a RepeatedResourceWarning that nobody looks at. What is
written in the dropped one never reaches the cluster.

It is a note when the two say the same, and when they come from different sources of
one Application: a later source may override an object of a chart on purpose. Folders
that no Application is known to read are not looked at, and objects that
Kustomize builds are left out: it refuses repeated ones itself.

Fix: remove one of them, or rename it.

See: argo-cd#1070, argo-cd#13407, argo-cd#28026, https://argo-cd.readthedocs.io/en/stable/user-guide/multiple_sources/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings  # <- here
    data:
      mode: fast
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      mode: safe
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      mode: safe
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import App, Finding, Moment, Note, Resource, Severity, rule
from ...linter.argocd.sync_order import Reason


@rule("GL604", Severity.WARNING, Moment.SYNC)
def check(app: App) -> Iterator[Finding]:
    for left_out in app.plan.left_out:
        dropped, winner = left_out.resource, left_out.instead
        if left_out.reason is not Reason.REPEATED or winner is None or not _is_sure(app, dropped, winner):
            continue
        same = dropped.node.value == winner.node.value
        apart = _source(app, dropped) != _source(app, winner)
        yield Finding(
            dropped.metadata["name"],
            headline=f"{dropped} is twice in {app.application}",
            happens=_effect(dropped, winner, same),
            do="Remove one of them, or rename it.",
            related=(Note(winner.metadata["name"], "this one is applied"),),
            severity=Severity.NOTE if same or apart else None,
        )


def _is_sure(app: App, dropped: Resource, winner: Resource) -> bool:
    if dropped.kustomized or winner.kustomized or app.identity(dropped) is None:
        return False
    return app.application is not None


def _source(app: App, resource: Resource) -> int:
    return next((i for i, one in enumerate(app.rendered) if any(r is resource for r in one.resources)), -1)


def _effect(dropped: Resource, winner: Resource, same: bool) -> str:
    line = winner.file.position(winner.metadata["name"].span.start).line
    where = f"line {line}" if winner.file is dropped.file else f"{winner.file.path}:{line}"
    effect = "which says the same" if same else "so nothing of this one reaches the cluster"
    return f"Argo CD applies only the last one, at {where}, {effect}."
