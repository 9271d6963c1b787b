"""Argo CD is told to mark its objects otherwise, and loses sight of those it has marked so far.

Which objects belong to an Application Argo CD reads from a mark on the object: the annotation
argocd.argoproj.io/tracking-id, or a label (`application.resourceTrackingMethod`; the
annotation is the default since 3.0, the label was before), the key of that label
(`application.instanceLabelKey`), and an ID of the installation (`installationID`). After a
change the objects in the cluster still have the old mark. Until a sync has written the new
one, what leaves git is not pruned, and what an Application manages is not deleted with it.
From the annotation to the label the opposite comes on top: everything that carries
`app.kubernetes.io/instance` with the name of an Application counts as its own, also what a
chart or another controller labelled so, and what of it is not in git is pruned.

It is a warning; a note where the setting is new or gone and the version of Argo CD is not
known, since it may say what was the default anyway. Silent between `annotation` and
`annotation+label`, where the annotation decides both times, and for the key of a label that is
known not to count.

Fix: change it in a commit of its own, remove nothing at the same time, and sync every
Application right after it; with ApplyOutOfSyncOnly=true sync once without that option, since
else objects that are in sync are not marked. Turn automatic pruning off before going from the
annotation to the label. There is no automatic fix.

See: argo-cd#9781, argo-cd#13981, https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/

Bad:
    # before: argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      application.resourceTrackingMethod: label
    # argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      application.resourceTrackingMethod: annotation  # <- here
Good:
    # before: argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      application.resourceTrackingMethod: annotation
    # argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      application.resourceTrackingMethod: annotation+label
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...linter.api import Change, Finding, Moment, Place, Repo, Severity, by_line, rule
from ...linter.argocd.argocd_settings import BY_LABEL, DEFAULT_LABEL, INSTANCE_LABEL, TRACKING_METHOD, TrackingSetting


class Changed(NamedTuple):
    name: str
    before: str
    """Empty for the default."""
    after: str
    severity: Severity


@rule("GL942", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    before, after = _by_file(change, change.base), _by_file(change, change.head)
    found: list[tuple[Place, Changed]] = []
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        changed = _changed(change, key[1], old.value if old else "", new.value if new else "")
        place = new.at if new else _place_of_gone(change, old)
        if changed is not None and place is not None:
            found.append((place, changed))
    for place, together in by_line(found):
        yield _finding(place, together[0])


def _by_file(change: Change, repo: Repo) -> Mapping[tuple[str, str], TrackingSetting]:
    after = change.path_after if repo is change.base else str
    return {(after(one.at.file.path), one.name): one for one in repo.argocd.settings.tracking}


def _place_of_gone(change: Change, old: TrackingSetting | None) -> Place | None:
    """None where the file is gone, too: what became of Argo CD then is not known."""
    if old is None or change.path_after(old.at.file.path) not in change.head_files:
        return None
    line = old.at.file.position(old.at.key_span.start).line
    return change.place_of_line(old.at.file.path, line)


def _changed(change: Change, name: str, old: str, new: str) -> Changed | None:
    if old == new:
        return None
    versions = change.head.versions
    severity = Severity.WARNING
    if name == TRACKING_METHOD:
        known = BY_LABEL if versions.argocd_before("3.0") else "annotation" if versions.argocd_at_least("3.0") else ""
        if not (old or known) or not (new or known):
            severity = Severity.NOTE
        elif ((old or known) == BY_LABEL) == ((new or known) == BY_LABEL):
            return None
    elif name == INSTANCE_LABEL:
        methods = change.head.argocd.settings.tracked_by(TRACKING_METHOD)
        by_label = change.head.argocd.settings.tracks_by_label(versions)
        if (old or DEFAULT_LABEL) == (new or DEFAULT_LABEL) or (not by_label and (methods or versions.argocd)):
            return None
        severity = Severity.WARNING if by_label else Severity.NOTE
    return Changed(name, old, new, severity)


def _finding(place: Place, changed: Changed) -> Finding:
    old, new = (repr(value) if value else "the default" for value in (changed.before, changed.after))
    adopts = changed.name == TRACKING_METHOD and changed.after == BY_LABEL
    more = (
        ", while everything whose label app.kubernetes.io/instance has the name of an Application counts as its own,"
        " and is pruned if git does not have it"
        if adopts
        else ""
    )
    return Finding(
        place,
        headline=f"{changed.name} changes from {old} to {new}",
        happens="Until its next sync an Application does not know its objects, so that nothing of it that leaves git is"
        f" pruned or deleted{more}.",
        do="Sync all Applications right after the merge, and remove nothing before.",
        severity=changed.severity,
    )
