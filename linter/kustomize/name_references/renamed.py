"""The objects of a build that had other names or namespaces before, and whom a name means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from ...yaml.lazy import lazy
from ..fieldspecs import FieldSpec
from ..objects import Gvk, Id, Object

NO_NAMESPACE: Final = "_non_namespaceable_"
"""The effective namespace of what is in the whole cluster."""


class Whereabouts(NamedTuple):
    """In which namespace an object is, and was at first; no namespace counts as `default`."""

    now: str
    at_first: str
    written: str
    """The namespace as it stands in the object; empty if it has none."""


class Renamed(NamedTuple):
    """An object that had another id before. Only these can be meant by a name: Kustomize looks at old ids alone."""

    obj: Object
    now: Id
    kinds: tuple[Gvk, ...]
    """Of its old ids."""
    where: Whereabouts

    @property
    def is_cluster_scoped(self) -> bool:
        return self.where.now == NO_NAMESPACE

    def was_a(self, wanted: FieldSpec) -> bool:
        return any(wanted.matches(gvk) for gvk in self.kinds)


class Names:
    """An index of the renamed objects by each of their old names."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._objects = tuple(objects)
        self._by_name: dict[str, list[Object]] = {}
        self._asked_for: dict[str, tuple[Renamed, ...]] = {}
        self._first_namespaces: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        for obj in self._objects:
            for before in obj.previous:
                known = self._by_name.setdefault(before.name, [])
                if not known or known[-1] is not obj:
                    known.append(obj)

    def once(self, name: str) -> tuple[Renamed, ...]:
        """The objects that had this name at some time, in the order of the build."""
        if name not in self._by_name:
            return ()
        if name not in self._asked_for:
            self._asked_for[name] = tuple(map(_renamed, self._by_name[name]))
        return self._asked_for[name]

    def first_namespaces(self, home: str, others: frozenset[str]) -> frozenset[str]:
        """Where the objects came from that an object in the namespace `home` can refer to, renamed or not."""
        key = (home, others)
        if key not in self._first_namespaces:
            found = (
                one.at_first for one in self._everywhere if home in (NO_NAMESPACE, one.now) or one.written in others
            )
            self._first_namespaces[key] = frozenset(found)
        return self._first_namespaces[key]

    @lazy
    def _everywhere(self) -> list[Whereabouts]:
        found = (_whereabouts(obj, obj.id) for obj in self._objects)
        return [one for one in found if one.now != NO_NAMESPACE]


def _renamed(obj: Object) -> Renamed:
    now = obj.id
    kinds = {as_it_was(now.gvk, before): None for before in obj.previous}
    return Renamed(obj, now, tuple(kinds), _whereabouts(obj, now))


def as_it_was(now: Gvk, before: Id) -> Gvk:
    """The kind of an old id, for Kustomize remembers that; group and version it takes from the present."""
    return now if before.gvk.kind == now.kind else now._replace(kind=before.gvk.kind)


def _whereabouts(obj: Object, now: Id) -> Whereabouts:
    first = obj.previous[0] if obj.previous else now
    return Whereabouts(now.effective_namespace, first.effective_namespace, now.namespace)


def are_namesakes(one: Object, other: Object, *, or_unnamed: bool) -> bool:
    """Whether two objects had the same prefixes and suffixes put on them, as far as the shorter list goes.

    A list without any is equal only to another such, unless `or_unnamed` lets it stand for anything.
    """
    return _end_alike(one.prefixes, other.prefixes, or_unnamed) and _end_alike(one.suffixes, other.suffixes, or_unnamed)


def _end_alike(one: tuple[str, ...], other: tuple[str, ...], or_unnamed: bool) -> bool:
    length = min(len(one), len(other))
    if not length:
        return or_unnamed or one == other
    return one[-length:] == other[-length:]
