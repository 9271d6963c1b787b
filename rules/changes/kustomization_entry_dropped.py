"""A kustomization no longer names a file that is still there; what the file brings is pruned.

An entry of `resources`, `bases` or `components` is gone, the file or folder is not: a merge
that took the wrong side, or a list that was tidied up too far. Kustomize does not mind a
file that nobody names. The objects in it are missing from the build, and an Application that
prunes automatically deletes them at its next sync.

It is a warning, and an error where the deletion cannot be undone by putting the entry back
(see manifest-removed-with-prune for what counts). Where the entry was commented out somebody
meant it: then only what cannot be undone is more than a note. An Application that does not
prune keeps the objects and remains OutOfSync: a note.

Silent where another kustomization names the file now, and where its objects reach the
Application in another way.

Fix: put the entry back. If the objects are to go, remove the file in the same change, so that
everybody can see it. There is no automatic fix.

See: argoproj-labs/argocd-autopilot#494, argo-cd#3484

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
      - queue.yaml
    # deploy/kustomization.yaml
    resources:
      - web.yaml  # <- here
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # both: deploy/queue.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: queue
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
      - queue.yaml
    # deploy/kustomization.yaml
    resources:
      - web.yaml
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
    # before: deploy/queue.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: queue
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import Change, Finding, Moment, Place, Severity, by_line, listed, rule, sentence
from ...linter.change import Cause, Departure, Stakes, Summary


@rule("GL932", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    dropped = [
        (_place(change, one), one) for one in change.departures if one.cause is Cause.DROPPED and not one.is_left_behind
    ]
    for place, found in by_line(dropped):
        deleted = [one for one in found if one.is_deleted]
        yield _deleted(place, deleted, stakes) if deleted else _kept(place, found)


def _place(change: Change, departure: Departure) -> Place:
    entry = departure.dropped
    before = change.place_of_line(_path_before(change, departure), entry.line) if entry else None
    return before or change.place_of_removal(departure.change)


def _path_before(change: Change, departure: Departure) -> str:
    assert departure.dropped is not None
    now = departure.dropped.kustomization.file.path
    return next((one.before for one in change.changed_files if one.after == now), now)


def _entries(found: Sequence[Departure]) -> str:
    return listed(repr(one.dropped.text) for one in found if one.dropped)


def _deleted(place: Place, found: Sequence[Departure], stakes: Stakes) -> Finding:
    summary = Summary.of(found, stakes)
    on_purpose = all(one.dropped and one.dropped.commented_out for one in found)
    what = "is commented out" if on_purpose else "is no longer listed, but still there"
    least = Severity.NOTE if on_purpose else Severity.WARNING
    advice = "bring it back if that is not meant" if on_purpose else "put it back, or remove the file, too"
    return Finding(
        place,
        headline=f"{_entries(found)} {what}",
        happens=f"The next automatic sync of {summary.apps} deletes {summary.names}{summary.loss}.",
        do=sentence(advice),
        severity=max(summary.severity, least),
    )


def _kept(place: Place, found: Sequence[Departure]) -> Finding:
    first = found[0]
    why = "does not prune by itself" if first.guard == "true" else f"may not prune it (Prune={first.guard})"
    return Finding(
        place,
        headline=f"{_entries(found)} is no longer listed, but still there",
        happens=f"{listed(one.resource for one in found)} stays in the cluster, since {first.application} {why}, and"
        " the Application remains OutOfSync.",
        do="Put it back, or delete by hand what is left.",
        severity=Severity.NOTE,
    )
