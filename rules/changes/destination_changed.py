"""An Application gets another destination; what it has made in the old one is left behind, or pruned.

Argo CD compares an Application with its destination as it is now. If the cluster changes,
everything is created in the new one, and the objects in the old one are out of sight: they
go on running, are never pruned, and are not deleted with the Application either. If only
the namespace changes, the objects without a namespace of their own are created in the new
one; those in the old one still carry the mark of the Application in the same cluster, so a sync
that prunes deletes them: claims begin empty, Services get other addresses, everything
restarts at once.

It is an error where that prune loses what git cannot bring back, else a warning. Silent for
a cluster that is only called otherwise (https://kubernetes.default.svc and in-cluster, or a
name and a URL that a cluster Secret in the repository joins), where every object says its
namespace itself, and where the destination is a placeholder.

Fix: make a second Application for the new destination, move the data, and remove the first
one when it is no longer needed. After a change of the cluster, delete what is left in the old
one by hand. There is no automatic fix.

See: argo-cd#9172, argo-cd#1640

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
        automated:
          prune: true
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
        namespace: store  # <- here
      syncPolicy:
        automated:
          prune: true
    # both: deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
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
        automated:
          prune: true
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
        name: in-cluster
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    # both: deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...linter.api import (
    App,
    Change,
    Confidence,
    Finding,
    Moment,
    Place,
    Severity,
    by_line,
    counted,
    listed,
    rule,
    sentence,
)
from ...linter.argocd.applications import Application, Destination
from ...linter.change import AppChange, Cause, Departure, Stakes, Summary
from ...linter.change.fate import same_cluster
from ...linter.change.synced import both_known, synced
from ...linter.dialects.spelling import is_placeholder


class Redirected(NamedTuple):
    before: App
    after: App
    application: Application
    """As it is now."""
    old: Destination
    new: Destination
    known: bool

    @property
    def changes_cluster(self) -> bool:
        return not same_cluster(self.old, self.new)


@rule("GL938", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    found = [(_place(one), one) for change_ in change.apps for one in _redirected(change, change_)]
    if not found:
        return
    stakes = change.stakes
    leaving: dict[int, list[Departure]] = {}
    for departure in change.departures:
        if departure.cause is Cause.DESTINATION:
            leaving.setdefault(id(departure.after), []).append(departure)
    for place, together in by_line(found):
        elsewhere = [one for one in together if one.changes_cluster]
        if elsewhere:
            yield _left_behind(place, elsewhere)
            continue
        gone = [departure for one in together for departure in leaving.get(id(one.after), ())]
        if gone:
            yield _moved(place, gone, together[0], stakes)
        elif not all(one.known for one in together):
            yield _unseen(place, together)


def _redirected(change: Change, one: AppChange) -> Iterator[Redirected]:
    before, after = one.before, one.after
    if before is None or after is None or not one.destination_changed:
        return
    if before.application is None or after.application is None:
        return
    old, new = (
        change.base.argocd.resolved(before.application.destination),
        change.head.argocd.resolved(after.application.destination),
    )
    if any(map(is_placeholder, (*old, *new))) or (same_cluster(old, new) and old.namespace == new.namespace):
        return
    yield Redirected(before, after, after.application, old, new, both_known(before, after))


def _place(one: Redirected) -> Place:
    field = "namespace" if not one.changes_cluster else "server" if one.application.destination.server else "name"
    place = one.application.place(f"/spec/destination/{field}")
    return place if place.present else one.application.place("/spec/destination")


def _going(applications: Iterable[object]) -> str:
    names = list(dict.fromkeys(map(str, applications)))
    return f"{listed(names)} {'goes' if len(names) == 1 else 'go'}"


def _left_behind(place: Place, found: Sequence[Redirected]) -> Finding:
    first = found[0]
    objects = {str(resource) for one in found for resource in synced(one.before)}
    is_known = all(one.known for one in found) and objects
    what = counted(len(objects), "object") if is_known else "everything it manages"
    are, their = ("are", "their") if is_known and len(objects) > 1 else ("is", "its")
    when = "with the next automatic sync" if first.application.is_automated else "once somebody syncs"
    return Finding(
        place,
        headline=f"{_going(one.application for one in found)} from cluster {first.old.cluster} to {first.new.cluster}",
        happens=f"{sentence(when)[:-1]} {what} {are} created there, without {their} data, and in the old cluster all of"
        " it goes on running, unseen by Argo CD: it is never pruned, nor deleted with the Application.",
        do="Delete it in the old cluster by hand, or make a second Application.",
        severity=Severity.WARNING,
    )


def _moved(place: Place, gone: Sequence[Departure], first: Redirected, stakes: Stakes) -> Finding:
    deleted = [one for one in gone if one.is_deleted]
    start = f"{_going(one.application for one in gone)} from namespace {_name(first.old)} to {_name(first.new)}"
    if not deleted:
        left = Summary.of(gone, stakes)
        return Finding(
            place,
            headline=start,
            happens=f"{left.names} {left.verb} created there, without data, and what is in the old one stays.",
            do="Sync with pruning, or delete by hand what is in the old one; both are there at once.",
            severity=Severity.WARNING,
        )
    summary = Summary.of(deleted, stakes)
    return Finding(
        place,
        headline=start,
        happens=f"The next automatic sync creates {summary.names} there, and prunes {summary.them} in the old"
        f" one{summary.loss}.",
        do="Make a second Application, and move what has to be kept first.",
        severity=max(summary.severity, Severity.WARNING),
    )


def _unseen(place: Place, found: Sequence[Redirected]) -> Finding:
    first = found[0]
    old = "pruned in the old one" if first.application.prunes else "left in the old one until somebody prunes it"
    return Finding(
        place,
        headline=f"{_going(one.application for one in found)} from namespace {_name(first.old)} to {_name(first.new)}",
        happens=f"What does not say its own namespace is created there, without its data, and {old}.",
        do="Look at its objects, which are not all known here, and move what has to be kept first.",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )


def _name(destination: Destination) -> str:
    return repr(destination.namespace) if destination.namespace else "none"
