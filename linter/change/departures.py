"""Why an object leaves its Application: each for one reason, so that one rule alone speaks of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ..argocd.applications import GROUP, Application
from ..kubernetes.resource import Resource
from ..kustomize.outline import Outline
from ..repo.app import App
from .app_pairs import AppChange
from .fate import Fate, Outlook
from .object_pairs import Likeness, ObjectChange, Renaming
from .synced import is_comparable, is_emptied

if TYPE_CHECKING:
    from .two_revisions import Change


class Cause(Enum):
    """From the widest to the narrowest."""

    DESTINATION = "its Application goes elsewhere"
    EMPTIED = "its Application has nothing left"
    MOVED = "another Application has it"
    RENAMED = "it has another name"
    DROPPED = "a kustomization no longer names its file"
    REMOVED = "its manifest is gone"


class Departure(NamedTuple):
    """An object that an Application, which is still there, no longer has."""

    change: ObjectChange
    resource: Resource
    """As it was, and as it is in the cluster."""
    before: App
    after: App
    cause: Cause
    outlook: Outlook
    """What the next sync does with it, if no other Application is quicker."""
    renaming: Renaming | None = None
    dropped: DroppedEntry | None = None
    takers: tuple[App, ...] = ()
    """The Applications that have it now."""

    @property
    def application(self) -> Application:
        """As it is after the merge: its options decide over the next sync."""
        assert self.after.application is not None
        return self.after.application

    @property
    def guard(self) -> str:
        """``true``, ``false`` or ``confirm``: the object's own annotation is read in the cluster, as it was."""
        return self.after.options_for(self.resource).prune

    @property
    def is_application(self) -> bool:
        """An Application or a set: rules of their own speak of those."""
        return self.resource.group == GROUP and self.resource.kind in ("Application", "ApplicationSet")

    @property
    def is_deleted(self) -> bool:
        """By the next automatic sync, unasked."""
        return self.outlook.unasked

    @property
    def is_left_behind(self) -> bool:
        """No sync ever prunes it: a CRD without a mark, or an object in another cluster."""
        return self.outlook.fate is Fate.LEFT_BEHIND


def find_departures(change: Change) -> Iterator[Departure]:
    """Of Applications that are in both revisions, unless less is seen of them than before.

    Left out are hooks, which no sync prunes, and what a generator names by its content.
    """
    if not any(one.before_app is not None and one.before_app.application for one in change.objects):
        return
    partners = {id(one.before): one for one in change.apps if one.before is not None}
    renamings = {id(one.removed): one for one in change.renamings}
    dropped = dropped_entries(change)
    for one in change.objects:
        partner = partners.get(id(one.before_app))
        if one.before is None or partner is None or partner.before is None or partner.after is None:
            continue
        if one.identity is None or not _leaves(one, partner) or partner.is_renamed or one.before.is_hook:
            continue
        if not one.before.hook.phases or not is_comparable(partner.before, partner.after):
            continue
        renaming = renamings.get(id(one))
        if renaming is None or renaming.why is not Likeness.GENERATED:
            yield _departure(change, one, one.before, partner, renaming, dropped)


def _leaves(one: ObjectChange, partner: AppChange) -> bool:
    if one.after_app is None:
        return True
    return one.moved_app and one.after_app is not partner.after


def _departure(
    change: Change,
    one: ObjectChange,
    before: Resource,
    partner: AppChange,
    renaming: Renaming | None,
    dropped: Mapping[str, list[DroppedEntry]],
) -> Departure:
    assert partner.before is not None
    assert partner.after is not None
    outlook = change.fates.pruning(before, partner.before, partner.after)
    found = Departure(one, before, partner.before, partner.after, Cause.REMOVED, outlook)
    takers = tuple(app for app in (one.after_app, *change.still_in(one)) if app and app.application)
    if partner.destination_changed:
        return found._replace(cause=Cause.DESTINATION)
    if is_emptied(partner.after):
        return found._replace(cause=Cause.EMPTIED)
    if takers:
        return found._replace(cause=Cause.MOVED, takers=takers)
    if renaming is not None:
        return found._replace(cause=Cause.RENAMED, renaming=renaming)
    entry = _entry_of(change, before, dropped)
    return found._replace(cause=Cause.DROPPED, dropped=entry) if entry else found


def _entry_of(change: Change, resource: Resource, dropped: Mapping[str, list[DroppedEntry]]) -> DroppedEntry | None:
    """The dropped entry that brought an object: of a kustomization that has a part in its build."""
    own = resource.node.document.file.path
    if not dropped or own not in change.head_files:
        return None
    for build in change.base.builds_of.get(id(resource), ()):
        for folder in sorted(build.folders, key=len, reverse=True):
            for entry in dropped.get(folder, ()):
                if own == entry.path or own.startswith(f"{entry.path}/"):
                    return entry
    return None


# -- entries of kustomizations that vanished while what they name is still there


class DroppedEntry(NamedTuple):
    text: str
    """As it was written."""
    path: str
    """What it means, from the root of the repository."""
    kustomization: Outline
    """As it is now."""
    line: int
    """Of the entry, in the file as it was."""
    commented_out: bool
    """Somebody put it aside, rather than lost it."""


def dropped_entries(change: Change) -> dict[str, list[DroppedEntry]]:
    """By the folder of the kustomization, as it was."""
    found: dict[str, list[DroppedEntry]] = {}
    named = {path for one in change.head.kustomize.by_folder.values() for _, path in one.inputs()}
    for folder, before in change.base.kustomize.by_folder.items():
        file = change.path_after(before.file.path)
        after = change.head.kustomize.by_folder.get(posixpath.dirname(file) or ".")
        if after is not None and after.file.path == file and change.is_changed(file):
            entries = list(_dropped(change, before, after, named))
            if entries:
                found[folder] = entries
    return found


def _dropped(change: Change, before: Outline, after: Outline, named: set[str]) -> Iterator[DroppedEntry]:
    comments = [comment.text for comment in after.file.comments]
    for entry, path in before.inputs():
        there = path in change.head_files or path in change.head.paths.folders
        if path and there and path not in named and change.path_after(path) not in named:
            line = before.file.position(entry.span.start).line
            aside = any(entry.text in text for text in comments)
            yield DroppedEntry(entry.text, path, after, line, aside)
