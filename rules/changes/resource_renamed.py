"""To Argo CD another name is another object: the old one is deleted, a new, empty one is made.

An object is known by its kind, namespace and name. Change one of them, or a namePrefix,
nameSuffix or namespace of a kustomization, and the next sync creates a new object; the old
one has left git. A PersistentVolumeClaim begins empty under its new name, a LoadBalancer
gets another address, a StatefulSet makes new claims and leaves the old ones behind. With
pruning the old object is deleted, in the same wave before the new one is created; without,
both are there at once.

It is an error where pruning loses data, or where something still reads the old Secret; a
warning where the new object starts without what the old one had, or where something still
names the old one; else a note.

Silent for what a generator names by its content, and for objects of which Argo CD cannot
tell either, such as CRDs. Objects are taken for one with two names if they stand in the same
place, or are alike in what they say, in one Application.

Fix: keep the name. If it has to change, make the new object first, copy what it has to hold,
and remove the old one in a later change; PruneLast=true makes the deletion the last thing a
sync does, so that the new one is there before. There is no automatic fix.

See: argo-cd#5080, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

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
    spec:
      accessModes: [ReadWriteOnce]
    # deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: shop-data  # <- here
    spec:
      accessModes: [ReadWriteOnce]
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
    spec:
      accessModes: [ReadWriteOnce]
    # deploy/data.yaml
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: data
      labels:
        team: shop
    spec:
      accessModes: [ReadWriteOnce]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import (
    Change,
    Confidence,
    Finding,
    Moment,
    Place,
    Resource,
    Severity,
    by_line,
    listed,
    rule,
    sentence,
)
from ...linter.change import Cause, Departure, Likeness, Renaming, Stake


class Renamed(NamedTuple):
    departure: Departure
    renaming: Renaming
    after: Resource
    severity: Severity
    consequence: str
    advice: str


@rule("GL933", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    stakes = change.stakes
    found: list[tuple[Place, Renamed]] = []
    for one in change.departures:
        after = one.renaming.added.after if one.renaming else None
        if one.cause is not Cause.RENAMED or one.renaming is None or after is None:
            continue
        if one.resource.is_crd or one.is_application:
            continue
        stake = stakes.of(one.resource, one.before)
        severity, consequence = _consequence(one, stake)
        renamed = Renamed(one, one.renaming, after, severity, consequence, _advice(severity, stake))
        found.append((_place(change, one, after), renamed))
    for place, together in by_line(found):
        yield _finding(place, sorted(together, key=lambda one: -one.severity))


def _place(change: Change, departure: Departure, after: Resource) -> Place:
    """The new name, if that is what changed; a kustomization may have given it."""
    name = after.metadata["name"].origin
    line = name.file.position(name.span.start).line
    if line in change.changed_lines(name.file.path):
        return name
    return change.place_of_removal(departure.change)


def _consequence(departure: Departure, stake: Stake) -> tuple[Severity, str]:
    resource, deleted = departure.resource, departure.is_deleted
    if deleted:
        now = f"the next automatic sync of {departure.application} deletes the old one"
        lost = f"{now}, {stake.words}" if stake.words else now
    else:
        why = "does not prune by itself" if departure.guard == "true" else f"has Prune={departure.guard} for it"
        lost = f"the old one stays until somebody deletes it, since {departure.application} {why}"
    if stake.severity > Severity.NOTE and (deleted or stake.reader is None or stake.severity is Severity.ERROR):
        if deleted:
            return stake.severity, lost
        return Severity.WARNING, f"the new one starts without what the old one holds, and {lost}"
    if resource.group_kind == "apps/StatefulSet" and len(list(resource["spec"]["volumeClaimTemplates"])):
        return Severity.WARNING, f"its pods get new, empty volumes; {lost}, and leaves its claims behind"
    if resource.group_kind == "Service" and resource["spec"]["type"].text == "LoadBalancer":
        return Severity.WARNING, f"it gets another address; {lost}"
    return Severity.NOTE, f"{lost}{'' if deleted else ', so both are there at once'}"


def _advice(severity: Severity, stake: Stake) -> str:
    if severity is Severity.NOTE:
        return "Make sure that nothing else names the old one."
    return (
        "Write the new name there, too." if stake.reader is not None else "Keep the name, or move what it holds first."
    )


def _finding(place: Place, together: list[Renamed]) -> Finding:
    first = together[0]
    old = first.departure.resource
    others = [str(one.departure.resource) for one in together[1:] if str(one.departure.resource) != str(old)]
    also = f" {listed(others)} {'get' if len(others) > 1 else 'gets'} another name, too." if others else ""
    guessed = first.renaming.why is Likeness.CONTENT
    return Finding(
        place,
        headline=f"{old} becomes {_new_name(first)}, to Argo CD another object",
        happens=f"{sentence(first.consequence)}{also}",
        do=first.advice,
        severity=first.severity,
        confidence=Confidence.MEDIUM if guessed else Confidence.HIGH,
    )


def _new_name(one: Renamed) -> str:
    if one.renaming.why is not Likeness.NAMESPACE:
        return repr(one.after.display_name)
    identity = one.renaming.added.identity
    return f"one of namespace {(identity.namespace if identity else '') or 'default'!r}"
