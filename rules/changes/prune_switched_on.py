"""Pruning is switched on: the next sync also deletes what left git while it was off.

With `automated.prune: true` Argo CD deletes every object that carries the mark of the
Application and is not in git any more. That is not only what this change removes: whatever was
removed, renamed or switched off since the Application exists, and was left running, goes
at the next automatic sync. The repository does not show what that is; the Application
does: its resources with "requires pruning", `argocd app diff`, or a dry run of a sync with
pruning.

It is a note, and a warning where the same change removes objects from the Application: of
those it is certain. New Applications are not looked at, nor are those that could prune
before.

Fix: look at the list before the merge, and give Prune=false to what has to stay. There is no
automatic fix.

See: argo-cd#1629, https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/

Bad:
    # before: app.yaml
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
    # app.yaml
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
          prune: true  # <- here
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
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated: {}
    # app.yaml
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
          selfHeal: true
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import Change, Finding, Moment, Place, Severity, by_line, listed, rule
from ...linter.argocd.applications import Application
from ...linter.change import Departure, Stakes, Summary


@rule("GL940", Severity.NOTE, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    switched = [
        (_place(one.after.application), one.after)
        for one in change.apps
        if one.before
        and one.after
        and one.before.application
        and one.after.application
        and one.after.application.prunes
        and not one.before.application.prunes
    ]
    if not switched:
        return
    stakes = change.stakes
    gone: dict[int, list[Departure]] = {}
    for departure in change.departures:
        if departure.is_deleted:
            gone.setdefault(id(departure.after), []).append(departure)
    for place, apps in by_line(switched):
        removed = [departure for app in apps for departure in gone.get(id(app), ())]
        yield _finding(place, listed(app.application for app in apps), removed, stakes)


def _place(application: Application) -> Place:
    for pointer in ("/spec/syncPolicy/automated/prune", "/spec/syncPolicy/automated", "/spec/syncPolicy"):
        place = application.place(pointer)
        if place.present:
            return place
    return application.place("/spec")


def _finding(place: Place, apps: str, removed: Sequence[Departure], stakes: Stakes) -> Finding:
    certain = ""
    if removed:
        certain = f", among it {Summary.of(removed, stakes).names}, which this change removes"
    return Finding(
        place,
        headline=f"pruning is switched on for {apps}",
        happens=f"The next automatic sync deletes whatever left git while it was off{certain}.",
        do="Look at what requires pruning before the merge; git does not show it.",
        severity=Severity.WARNING if removed else Severity.NOTE,
    )
