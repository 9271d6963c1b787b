"""Removed and added objects that are one under two names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from ..files.file_changes import shared_part
from ..kubernetes.resource import Resource
from ..kustomize.build_origin import BuiltDocument
from ..repo.sources.kustomize_builds import has_hash
from .object_pairs import Likeness, ObjectChange, Renaming, key_of

ALIKE: Final = 0.8
MAX_COMPARED: Final = 10_000
"""Pairs of objects of one kind in one app whose contents are compared."""


class _Side(NamedTuple):
    change: ObjectChange
    resource: Resource


def find_renamings(objects: Iterable[ObjectChange], app_after: Callable[[object], object]) -> tuple[Renaming, ...]:
    """`app_after` is what an app of the base is now known by."""
    groups: dict[object, tuple[list[_Side], list[_Side]]] = {}
    for change in objects:
        if change.is_kept or change.app is None:
            continue
        app = key_of(change.app)
        kind = (change.resource.group, change.resource.kind, app_after(app) if change.is_removed else app)
        gone, new = groups.setdefault(kind, ([], []))
        (gone if change.is_removed else new).append(_Side(change, change.resource))
    return tuple(one for gone, new in groups.values() if gone and new for one in _within(gone, new))


def _within(gone: list[_Side], new: list[_Side]) -> Iterator[Renaming]:
    """The surest likeness first; an object has one new name at most."""
    for why, sign in _SIGNS.items():
        waiting: dict[object, list[_Side]] = {}
        for side in new:
            if key := sign(side):
                waiting.setdefault(key, []).append(side)
        for side in list(gone):
            found = waiting.get(sign(side) or ())
            if found:
                other = found.pop(0)
                gone.remove(side)
                new.remove(other)
                yield Renaming(side.change, other.change, similarity(side.resource, other.resource), why)
    if len(gone) * len(new) <= MAX_COMPARED:
        yield from _alike(gone, new)


def _alike(gone: list[_Side], new: list[_Side]) -> Iterator[Renaming]:
    contents = {id(side): _content(side.resource) for side in (*gone, *new)}
    rated = [
        (share, before, after)
        for before in gone
        for after in new
        if _namespace(before) == _namespace(after)
        and (share := shared_part(contents[id(before)], contents[id(after)])) >= ALIKE
    ]
    done: set[int] = set()
    for share, before, after in sorted(rated, key=lambda one: -one[0]):
        if id(before) not in done and id(after) not in done:
            done |= {id(before), id(after)}
            yield Renaming(before.change, after.change, share, Likeness.CONTENT)


# -- signs


def _hash_base(side: _Side) -> object:
    if not has_hash(side.resource):
        return None
    return _namespace(side), side.resource.name.rpartition("-")[0]


def _written_name(side: _Side) -> object:
    """Where a kustomization changes the name: what is written in the file."""
    document = side.resource.node.document
    if not isinstance(document, BuiltDocument) or has_hash(side.resource):
        return None
    written = document.made.document.root["metadata"]["name"].text
    if not written or written == side.resource.name:
        return None
    return _namespace(side), document.file.path, document.index, written


def _bare(side: _Side) -> object:
    return side.resource.name


def _position(side: _Side) -> object:
    node = side.resource.node
    if isinstance(node.document, BuiltDocument) and node.document.made.behavior:
        return None  # what is generated has no place of its own
    return _namespace(side), node.document.file.path, node.document.index, node.pointer


_SIGNS: Final[dict[Likeness, Callable[[_Side], object]]] = {
    Likeness.GENERATED: _hash_base,
    Likeness.AFFIX: _written_name,
    Likeness.NAMESPACE: _bare,
    Likeness.POSITION: _position,
}


def _namespace(side: _Side) -> str:
    return side.change.identity.namespace if side.change.identity else side.resource.namespace


# -- content


def similarity(before: Resource, after: Resource) -> float:
    """How much of the content, names aside, is the same."""
    return shared_part(_content(before), _content(after))


def _content(resource: Resource) -> Counter[str]:
    value = resource.node.value
    return Counter(_leaves(value, "")) if isinstance(value, dict) else Counter()


def _leaves(value: Any, path: str) -> Iterator[str]:
    if path in ("/metadata/name", "/metadata/namespace"):
        return
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _leaves(member, f"{path}/{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, f"{path}/-")
    else:
        yield f"{path}={value!r}"
