"""Applications that are gone from git: which of them only have another name, and where one sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ..repo.app import App
from ..yaml.source import Place
from .app_pairs import AppChange
from .fate import Deletion
from .object_pairs import ObjectChange
from .synced import synced
from .two_revisions import Change


def removed_apps(change: Change) -> Iterator[AppChange]:
    """Those that head does not have, under any name; what is still there twice is left alone."""
    renamed = renamed_apps(change)
    left = {(app.application.namespace, app.application.name) for app in change.head.applications if app.application}
    for one in change.apps:
        if one.after is None and one.before is not None and one.before.application is not None:
            application = one.before.application
            if id(one.before) not in renamed and (application.namespace, application.name) not in left:
                yield one


def renamed_apps(change: Change) -> Mapping[int, App]:
    """By the id of an Application of the base: the one that has its work now.

    The same sources and destination; or, where the path changed with the name, most of its objects.
    """
    found = {id(one.before): one.after for one in change.apps if one.is_renamed and one.after is not None}
    gone = {id(one.before) for one in change.apps if one.after is None}
    new = {id(one.after): one.after for one in change.apps if one.before is None and one.after is not None}
    if not gone or not new:
        return found
    moves: dict[int, Counter[int]] = {}
    for one in change.objects:
        if one.is_kept and id(one.before_app) in gone and id(one.after_app) in new:
            moves.setdefault(id(one.before_app), Counter())[id(one.after_app)] += 1
    for app in change.base.applications:
        counts = moves.get(id(app))
        if counts:
            taker, count = counts.most_common(1)[0]
            if 2 * count >= len(synced(app)):
                found[id(app)] = new[taker]
    return found


def place_of_app(change: Change, app: App, deletion: Deletion) -> Place:
    """Where in head people see that an Application is gone."""
    for maker in deletion.makers:
        changed = change.first_change(maker.node.origin.file.path)
        return changed if changed is not None else maker["spec"]["generators"]
    assert app.application is not None
    resource = app.application.resource
    written = next((one for one in change.objects if one.before is resource and one.is_removed), None)
    parents = change.base.managers(resource)
    return change.place_of_removal(written or ObjectChange(None, resource, None, parents[0] if parents else None, None))
