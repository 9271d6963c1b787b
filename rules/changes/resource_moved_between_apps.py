"""An object moves to another Application, and the old one may delete it on the way.

Argo CD marks every object with the Application that it belongs to. After the merge the old
Application sees an object of its own that git no longer has, and prunes it; the new one
sees an object that it should have, applies it, and puts its own mark on it. Both happen
within minutes, in an order that nobody controls. If the new one is first, nothing is
deleted. If the old one is first, the object is deleted and created anew: an outage for a
workload, another address for a Service, the end of the data of a claim. Where the new
Application does not sync automatically the old one is surely first.

It is an error where data is at stake, else a warning. Where both had the object already,
which ends a quarrel over it, it is graded one step lower: which of them marked it last
cannot be seen.

Silent where the old Application does not prune automatically, and where the object has
Prune=false or Prune=confirm in the old revision.

Fix: in a first change add Prune=false to the object's annotation
argocd.argoproj.io/sync-options and let it be synced. Move it in a second one, sync the new
Application, and take the annotation away at the end. There is no automatic fix.

See: argo-cd#16721, argo-cd#22607, argo-cd#24150

Bad:
    # both: apps.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: base
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: base
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    # before: shop/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
    # shop/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # both: base/account.yaml
    apiVersion: v1
    kind: ServiceAccount
    metadata:
      name: shop
    # base/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data  # <- here
Good:
    # both: apps.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: base
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: base
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    # before: shop/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    ---
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-options: Prune=false
    # shop/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # both: base/account.yaml
    apiVersion: v1
    kind: ServiceAccount
    metadata:
      name: shop
    # base/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      annotations:
        argocd.argoproj.io/sync-options: Prune=false
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import Change, Finding, Moment, Place, Severity, by_line, listed, rule, sentence
from ...linter.change import Cause, Departure, Stakes, Summary


@rule("GL934", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    moved = [(_place(change, one), one) for one in change.departures if one.cause is Cause.MOVED and one.is_deleted]
    for place, found in by_line(moved):
        yield _finding(place, found, stakes)


def _place(change: Change, departure: Departure) -> Place:
    after = departure.change.after
    return after.metadata["name"] if after is not None else change.place_of_removal(departure.change)


def _finding(place: Place, found: Sequence[Departure], stakes: Stakes) -> Finding:
    summary = Summary.of(found, stakes)
    takers = {taker.name: taker.application for one in found for taker in one.takers}
    to = listed(takers.values())
    race = all(taker is not None and taker.is_automated for taker in takers.values())
    which = (
        f"whichever syncs first decides: if that is {summary.apps}"
        if race
        else f"{to} does not sync by itself, so {summary.apps} is first: then"
    )
    shared = all(one.change.is_removed for one in found)
    what = f"leaves {summary.apps} and remains in" if shared else f"moves from {summary.apps} to"
    severity = max(summary.severity, Severity.WARNING)
    return Finding(
        place,
        headline=f"{summary.names} {what} {to}",
        happens=f"{sentence(which)[:-1]} {summary.they} {summary.verb} pruned{summary.loss}, and created anew.",
        do="Add Prune=false, and let that be synced before the move.",
        severity=Severity(severity - 1) if shared else severity,
    )
