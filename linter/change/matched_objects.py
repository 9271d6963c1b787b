"""Objects of two revisions, matched: which one is which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..argocd.identity import Identity
from ..kubernetes.resource import Resource
from ..repo.app import App
from ..repo.model import Repo
from .object_pairs import ObjectChange, key_of


class _Entry(NamedTuple):
    """An object as part of one app."""

    identity: Identity | None
    app: App
    resource: Resource

    @property
    def path(self) -> str:
        return self.resource.file.path


def match_objects(base: Repo, head: Repo, path_after: Callable[[str], str]) -> tuple[ObjectChange, ...]:
    """What is the very same in both is left out; `path_after` is what a file of the base is called now."""
    gone, new = _unshared(base, head)
    changes: list[ObjectChange] = []
    for same in _SIGNS:
        pairs = list(_paired(gone, new, same, path_after))
        gone = _without(gone, (before for before, _ in pairs))
        new = _without(new, (after for _, after in pairs))
        changes += (_kept(before, after) for before, after in pairs)
    changes = [one for one in changes if one.moved_app or one.moved_file or one.is_rewritten]
    changes += (ObjectChange(one.identity, one.resource, None, one.app, None) for one in gone)
    changes += (ObjectChange(one.identity, None, one.resource, None, one.app) for one in new)
    return tuple(sorted(changes, key=_order))


def _kept(before: _Entry, after: _Entry) -> ObjectChange:
    return ObjectChange(after.identity, before.resource, after.resource, before.app, after.app)


def _order(change: ObjectChange) -> tuple[object, ...]:
    resource = change.resource
    raw = resource.node.raw
    start = raw.start_mark.index if raw is not None else 0
    app = key_of(change.app) if change.app else ("", "", "")
    return (resource.file.path, resource.node.document.index, start, resource.identity, app, change.is_removed)


def _unshared(base: Repo, head: Repo) -> tuple[list[_Entry], list[_Entry]]:
    """Only what is not one and the same object in the same app to the same destination."""
    partners: dict[object, list[App]] = {}
    for app in head.apps:
        partners.setdefault(key_of(app), []).append(app)
    gone: list[_Entry] = []
    new: list[_Entry] = []
    for app in base.apps:
        candidates = partners.get(key_of(app), [])
        partner = max(candidates, key=lambda one: _likeness(app, one), default=None)
        if partner is None:
            gone += _entries(base, app)
            continue
        candidates.remove(partner)
        shared: set[int] = set()
        if _destination(app) == _destination(partner) and (app.application or _left_out(base) == _left_out(head)):
            shared = set(map(id, app.resources)) & set(map(id, partner.resources))
        gone += _entries(base, app, shared)
        new += _entries(head, partner, shared)
    new += (entry for apps in partners.values() for app in apps for entry in _entries(head, app))
    return gone, new


def _entries(repo: Repo, app: App, shared: Iterable[int] = ()) -> Iterator[_Entry]:
    for one in app.resources:
        # What lies beside a kustomization that does not name it is nobody's: Argo CD does not read it.
        is_read = app.application is not None or one.kustomized or not repo.reach.is_left_out(one.file.path)
        if is_read and id(one) not in shared:
            yield _Entry(app.identity(one), app, one)


def _left_out(repo: Repo) -> list[str]:
    return [path for path in repo.reach.unread if repo.reach.is_left_out(path)]


def _likeness(app: App, other: App) -> tuple[bool, bool]:
    """Of several of one name: the one from the same file, and of variants of it the one that syncs the same."""
    paths = [[one.path for one in side.rendered] for side in (app, other)]
    return app.file.path == other.file.path, paths[0] == paths[1]


def _destination(app: App) -> object:
    if app.application is None:
        return None
    return app.application.destination.cluster, app.application.destination.namespace


# -- by what they are known, the surest first; None for what cannot be told so

_Renamed = Callable[[str], str]


def _by_app_and_file(entry: _Entry, path: str) -> object:
    return entry.identity and (entry.identity, key_of(entry.app), path)


def _by_app(entry: _Entry, path: str) -> object:
    return entry.identity and (entry.identity, key_of(entry.app))


def _by_file(entry: _Entry, path: str) -> object:
    return entry.identity and (entry.identity, path)


def _by_identity(entry: _Entry, path: str) -> object:
    return entry.identity


def _by_text(entry: _Entry, path: str) -> object:
    """Where the cluster is known in one revision only, or not even the object in both."""
    resource = entry.resource
    return resource.group, resource.kind, resource.display_name, resource.namespace, path


_SIGNS = (_by_app_and_file, _by_app, _by_file, _by_identity, _by_text)


def _paired(
    gone: Iterable[_Entry], new: Iterable[_Entry], same: Callable[[_Entry, str], object], path_after: _Renamed
) -> Iterator[tuple[_Entry, _Entry]]:
    waiting: dict[object, list[_Entry]] = {}
    for entry in new:
        if sign := same(entry, entry.path):
            waiting.setdefault(sign, []).append(entry)
    for entry in gone:
        sign = same(entry, path_after(entry.path))
        found = waiting.get(sign) if sign else None
        chosen = next((one for one in found or () if _may_be_one(entry, one)), None)
        if found and chosen is not None:
            found.remove(chosen)
            yield entry, chosen


def _may_be_one(before: _Entry, after: _Entry) -> bool:
    """Two known clusters or namespaces that differ are two objects."""
    one, other = before.identity, after.identity
    if one is None or other is None:
        return one is other is None and key_of(before.app) == key_of(after.app)
    return one == other or "" in (one.cluster, other.cluster)


def _without(entries: Iterable[_Entry], done: Iterable[_Entry]) -> list[_Entry]:
    ids = {id(entry) for entry in done}
    return [entry for entry in entries if id(entry) not in ids]
