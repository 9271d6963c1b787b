"""After the change an Application has nothing left to sync: it gets stuck, or deletes everything.

Its folder, its kustomization or its filter of files gives no object any more. An automatic
sync that prunes then refuses, as long as `automated.allowEmpty` is not set: "auto-sync will
wipe out all resources". The Application remains OutOfSync with that error, and all its objects
go on running. With allowEmpty it deletes every one of them.

It is a warning where the sync refuses, since nothing happens any more, neither good nor bad;
with allowEmpty it is one, too, and an error where what git cannot bring back is deleted. Where
the Application does not prune it is a note.

Silent where the folder does not exist any more (application-path-missing tells that; Argo CD
cannot compare then, and deletes nothing), and where not everything is known.

Fix: if the objects are to go, remove the Application as well, with its finalizer. If not,
look at what the path, the kustomization or directory.include and exclude give now. There is no
automatic fix.

See: argo-cd#16600, https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/

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
    # before: deploy/kustomization.yaml
    resources:
      - web.yaml
    # deploy/kustomization.yaml
    resources: []  # <- here
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
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
    # before: deploy/kustomization.yaml
    resources:
      - web.yaml
    # deploy/kustomization.yaml
    resources:
      - service.yaml
    # before: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # deploy/service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import Change, Finding, Moment, Place, Severity, by_line, counted, rule
from ...linter.change import Cause, Departure, Stakes, Summary


@rule("GL939", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    emptied: dict[int, list[Departure]] = {}
    for one in change.departures:
        if one.cause is Cause.EMPTIED and not one.is_left_behind:
            emptied.setdefault(id(one.after), []).append(one)
    found = [(change.place_of_removal(gone[0].change), gone) for gone in emptied.values()]
    for place, together in by_line(found):
        yield _finding(place, [one for gone in together for one in gone], stakes)


def _finding(place: Place, gone: Sequence[Departure], stakes: Stakes) -> Finding:
    summary = Summary.of(gone, stakes)
    what = f"nothing is left in git of {summary.apps}"
    had = f"It had {counted(len(gone), 'object')}"
    deleted = [one for one in gone if one.is_deleted]
    if deleted:
        all_of_it = Summary.of(deleted, stakes)
        return Finding(
            place,
            headline=what,
            happens=f"{had}: with allowEmpty the next automatic sync deletes {all_of_it.names}{all_of_it.loss}.",
            do="Bring them back, or remove the Application, if that is meant.",
            severity=max(all_of_it.severity, Severity.WARNING),
        )
    if any(one.application.prunes for one in gone):
        return Finding(
            place,
            headline=what,
            happens=f'{had}: automatic syncs refuse that ("auto-sync will wipe out all resources"), so {summary.names}'
            " keeps running and the Application remains OutOfSync.",
            do="Remove the Application, or sync it by hand with pruning, if the objects are to go.",
            severity=Severity.WARNING,
        )
    return Finding(
        place,
        headline=what,
        happens=f"{had}: it does not prune by itself, so {summary.names} keeps running, and it remains OutOfSync.",
        do="Sync it by hand with pruning, or remove the Application.",
        severity=Severity.NOTE,
    )
