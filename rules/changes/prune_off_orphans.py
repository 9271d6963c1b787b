"""Objects leave git, but their Application does not prune: they keep running, unmanaged.

Without `automated.prune: true` Argo CD deletes nothing by itself. What is removed from git stays
in the cluster, goes on running, and is reported as OutOfSync ("requires pruning") until
somebody syncs with pruning or deletes it by hand. Such objects are forgotten easily: a
Deployment that still serves, a Job schedule that still runs, a Role that still grants.

It is a note that lists what stays. Silent for hooks, for what a generator names by its
content, for objects that moved within the Application or to another one, and where not
everything is known.

Fix: sync once with pruning after the merge, or delete what is left. Something that should stay and
should not make the Application OutOfSync takes the annotation
argocd.argoproj.io/compare-options: IgnoreExtraneous while it is still in git. There is no
automatic fix.

See: argo-cd#1629, https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/

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
        automated: {}
    # before: deploy/shop.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    # deploy/shop.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web  # <- here
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
        automated: {}
    # before: deploy/shop.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    # deploy/shop.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Change, Finding, Moment, Severity, by_line, rule, sentence
from ...linter.change import Cause, Summary


@rule("GL941", Severity.NOTE, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    left = [
        (change.place_of_removal(one.change), one)
        for one in change.departures
        if one.cause is Cause.REMOVED
        and not one.application.prunes
        and not one.is_application
        and not one.is_left_behind
    ]
    for place, found in by_line(left):
        summary = Summary.of(found, stakes)
        kept = all(one.guard == "false" for one in found)
        until = (
            f"somebody deletes {summary.them} by hand"
            if kept
            else f"somebody syncs with pruning, which deletes {summary.them}{summary.loss}"
        )
        yield Finding(
            place,
            headline=f"{summary.names} left git, but {summary.apps} does not prune by itself",
            happens=f"{sentence(summary.they)[:-1]} {summary.verb} left running, and the Application remains OutOfSync,"
            f" until {until}.",
            do="Delete by hand what is to go." if kept else "Sync with pruning, or delete by hand what is to go.",
        )
