"""What leaves git is deleted by the next sync, and some of it does not come back.

An Application with `automated.prune: true` deletes, minutes after the merge, every object
that its sources no longer bring. Nobody is asked. Whether the manifest was removed on
purpose or lost in a refactoring, Argo CD cannot tell.

An error is what bringing the manifest back does not undo: a PersistentVolumeClaim or a
database whose volumes go with it, a Namespace in which git still has objects or had data, a
Secret that something still reads or whose values git does not have. A warning is a Namespace
that is empty as far as git shows, a claim whose volume is retained and has to be bound
again by hand, and what another object of the Application still names. All else is one note
for a line: what the prune will take. A note is also
what stays, because it has Prune=false or waits for approval with Prune=confirm (Argo CD 2.14
and later): both are read from the object in the cluster, as it was before. Manifests of data
that no Application of the repository has are a note, since nobody here prunes them.

Silent for objects that are written elsewhere in the same Application, for hooks, which no
sync prunes, for what a generator names by its content, and for CRDs: Argo CD does not mark
them as its own and leaves them, unless they carry the label of their Application and labels
are what it tracks by (the default before 3.0). Silent, too, where less is seen of the
Application than before, since it may have moved there; a remote base that both revisions
have brings nothing back that was a file of this repository.

Fix: if it should stay, bring the manifest back. If it should leave git but stay in the
cluster, add Prune=false to its annotation argocd.argoproj.io/sync-options, let that be
synced, and remove the manifest in a later change. There is no automatic fix.

See: argo-cd#3484, argo-cd#16600, argo-cd#25497, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

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
        automated:
          prune: true
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

from collections.abc import Iterator, Sequence

from ...linter.api import App, Change, Confidence, Finding, Moment, Place, Severity, by_line, listed, rule, sentence
from ...linter.change import Cause, Departure, ObjectChange, Stakes, Summary


@rule("GL931", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    gone = [
        (change.place_of_removal(one.change), one)
        for one in change.departures
        if one.cause is Cause.REMOVED and one.application.prunes and not one.is_application and not one.is_left_behind
    ]
    seen: set[tuple[str, int]] = set()
    for place, found in by_line(gone):
        seen.add(_line(place))
        deleted = [one for one in found if one.is_deleted]
        yield _deleted(place, Summary.of(deleted, stakes)) if deleted else _kept(place, found)
    for place, lost in by_line(_of_nobody(change, stakes)):
        if _line(place) not in seen:
            yield _finding_of_nobody(place, lost)


def _line(place: Place) -> tuple[str, int]:
    return place.file.path, place.file.position(place.span.start).line


def _deleted(place: Place, summary: Summary) -> Finding:
    if not summary.weighed[0].stake.words:
        advice = "make sure that nobody needs it: nothing of it is known to hold data"
    elif summary.severity is Severity.NOTE:
        advice = "make sure that nobody needs it: git can bring the rest of it back"
    elif summary.weighed[0].stake.reader is not None:
        advice = "take that out first, or keep it"
    else:
        advice = f"to keep it, bring {summary.worst} back with Prune=false, let that be synced, and only then remove it"
    return Finding(
        place,
        headline=f"{summary.names} {summary.verb} no longer in what {summary.apps} syncs",
        happens=f"The next automatic sync deletes {summary.them}{summary.loss}.",
        do=sentence(advice),
        severity=summary.severity,
    )


def _kept(place: Place, found: Sequence[Departure]) -> Finding:
    """Nothing at this line is deleted unasked."""
    names, first = listed(one.resource for one in found), found[0]
    if first.guard == "confirm":
        what, do = "left git with Prune=confirm", "Approve it, or bring it back."
        happens = f"The sync of {first.application} waits until it is approved."
    else:
        again = ", and with selfHeal it syncs again and again" if first.application.heals else ""
        what, do = "left git, but stays in the cluster because of Prune=false", "Delete it by hand, if it is to go."
        happens = f"{first.application} remains OutOfSync{again} until it is deleted by hand."
    return Finding(place, headline=f"{names} {what}", happens=happens, do=do, severity=Severity.NOTE)


# -- what no Application here has


def _of_nobody(change: Change, stakes: Stakes) -> Iterator[tuple[Place, ObjectChange]]:
    renamed = {id(one.removed) for one in change.renamings}
    for one in change.objects:
        unit = one.before_app
        if one.before is None or not one.is_removed or one.identity is None or unit is None or unit.application:
            continue
        if id(one) in renamed or one.before.is_hook or _is_doubtful(change, unit) or change.still_in(one):
            continue
        data = stakes.of(one.before, unit).severity is Severity.ERROR
        if data and not one.before.is_crd and one.before.group_kind not in ("Namespace", "Secret"):
            yield change.place_of_removal(one), one


def _is_doubtful(change: Change, unit: App) -> bool:
    """Whether what is built in its folder is not known any more."""
    return any(
        build.folder == unit.name and (build.errors or build.not_analysed) for build in change.head.kustomize.builds
    )


def _finding_of_nobody(place: Place, found: Sequence[ObjectChange]) -> Finding:
    names = listed(one.resource for one in found)
    return Finding(
        place,
        headline=f"{names} left git",
        happens="No Application here has it, but one elsewhere that prunes would delete it, and its data with it.",
        do="Make sure that nobody needs the data.",
        severity=Severity.NOTE,
        confidence=Confidence.LOW,
    )
