"""Where people see that something is gone: a line that is still there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..argocd.applications import Application
from ..files.file_changes import FileStatus
from ..kubernetes.resource import Resource
from ..repo.app import App
from ..yaml.source import Node, Place, Spot
from .changed_lines import spot_at
from .object_pairs import ObjectChange

if TYPE_CHECKING:
    from .two_revisions import Change


def place_of_removal(change: Change, gone: ObjectChange) -> Place:
    """The changed line that took the object away, or the nearest there is."""
    assert gone.before is not None
    found = (
        _in_its_file(change, gone.before)
        or _in_a_kustomization(change, gone.before)
        or _in_the_application(change, gone.before_app)
        or _nearest_change(change, gone.before.file.path)
    )
    assert found is not None, "a change without a file"
    return found


def place_of_text(change: Change, node: Node) -> Place | None:
    """Where a place of the base was changed or taken out; None if it still stands there, or its file is gone."""
    origin = node.origin
    return change.place_of_line(origin.file.path, origin.file.position(origin.key_span.start).line)


def _in_its_file(change: Change, resource: Resource) -> Place | None:
    """By what makes it this object; its name first, since other lines may look like those of its neighbours."""
    metadata = resource.metadata
    nodes = (
        metadata["name"],
        metadata["generateName"],
        resource["kind"],
        resource["apiVersion"],
        metadata["namespace"],
    )
    found = (place_of_text(change, node) for node in nodes if node.present)
    return next((place for place in found if place is not None), None)


def _in_a_kustomization(change: Change, resource: Resource) -> Place | None:
    """The list that named the file, or a folder above it."""
    own = resource.node.document.file.path
    for build in change.base.builds_of.get(id(resource), ()):
        for folder in sorted(build.folders, key=len, reverse=True):
            kustomization = change.base.kustomize.by_folder.get(folder)
            for entry, path in kustomization.inputs() if kustomization else ():
                if path and (own == path or own.startswith(f"{path}/")):
                    found = place_of_text(change, entry)
                    if found is not None:
                        return found
        found = _changed_kustomization(change, sorted(build.folders, key=len, reverse=True))
        if found is not None:
            return found
    return None


def _changed_kustomization(change: Change, folders: list[str]) -> Place | None:
    """Of what is generated, renamed or patched away: the kustomization that changed."""
    for folder in folders:
        kustomization = change.base.kustomize.by_folder.get(folder)
        path = change.path_after(kustomization.file.path) if kustomization else ""
        if path and change.is_changed(path):
            return change.first_change(path)
    return None


def _in_the_application(change: Change, app: App | None) -> Place | None:
    if app is None or app.application is None:
        return None
    now = next((one.after for one in change.apps if one.before is app), None)
    if now is not None and now.application is not None:
        return _path_line(now.application)
    application = app.application
    found = place_of_text(change, application.place("/metadata/name"))
    if found is not None or not application.is_generated:
        return found
    maker = next(
        (one for one in change.head.argocd.sets if one.resource.identity == application.resource.identity), None
    )
    return maker.resource["spec"]["generators"] if maker else None


def _path_line(application: Application) -> Place:
    source = application.sources[0] if application.sources else None
    return application.place(f"{source.pointer}/path" if source else "/spec")


def _nearest_change(change: Change, path: str) -> Spot | None:
    """The first changed line of the file that is nearest in the tree; without one, the first line there."""
    changed = [one.after for one in change.changed_files if one.after and one.status is not FileStatus.MODE]
    for candidates in (changed, list(change.head_files)):
        inside = [one for one in candidates if one in change.head_files]
        if inside:
            nearest = max(sorted(inside, reverse=True), key=lambda other: len(_common(path, other)))
            return change.first_change(nearest) or spot_at(change.head_files[nearest], 1)
    return None


def _common(one: str, other: str) -> list[str]:
    return list(_shared_parts(posixpath.dirname(one).split("/"), posixpath.dirname(other).split("/")))


def _shared_parts(one: list[str], other: list[str]) -> Iterator[str]:
    for first, second in zip(one, other, strict=False):
        if first != second:
            return
        yield first
