"""Where objects hold the names of other objects: the specs for one kind, as a tree of keys that is walked once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...yaml.compose import Mapping, Raw, Sequence
from ..configurations import NameReference
from ..fieldspecs import FieldSpec, is_key
from ..objects import Gvk
from ..trees import Pair, is_null, map_items, mapping, sequence


class Ending(NamedTuple):
    """A spec that ends at a field: which kind the name there belongs to, and the path in words."""

    target: FieldSpec
    """Group, version and kind of what is named; empty ones stand for any. It has no path."""
    path: str

    @property
    def is_role_ref(self) -> bool:
        return self.path.endswith("roleRef/name")


class Field:
    """A key on the way, with the keys below it; or, where specs end, those specs in their order."""

    __slots__ = ("below", "endings", "is_list", "no_key")

    def __init__(self) -> None:
        self.below: dict[str, Field] = {}
        self.endings: list[Ending] = []
        self.is_list = False
        """Some spec says so with `[]`, and then Kustomize makes a null here a list."""
        self.no_key: str | None = None
        """The path of a spec that goes on with what is no key of a map: an index, a star."""

    def takes(self, path: tuple[str, ...]) -> bool:
        """Not when the path ends on the way of another one, or goes on where another one ends."""
        field = self
        for part in path:
            if field.endings:
                return False
            found = field.below.get(part.removesuffix("[]"))
            if found is None:
                return True
            field = found
        return not field.below

    def add(self, path: tuple[str, ...], ending: Ending) -> None:
        field = self
        for part in path:
            name = part.removesuffix("[]")
            field.no_key = field.no_key if is_key(name) else ending.path
            field = field.below.setdefault(name, Field())
            field.is_list |= name != part
        field.endings.append(ending)


class Refused(Exception):
    """Something at a place that Kustomize cannot take for a name."""

    def __init__(self, raw: Raw, message: str, path: str = "") -> None:
        super().__init__(message)
        self.raw = raw
        self.message = message
        self.path = path
        """The path that is to blame, rather than the object."""


class ReferrerFields:
    """The specs of one configuration, ready to be walked in objects of any kind."""

    def __init__(self, references: Iterable[NameReference]) -> None:
        self._specs: dict[str, list[tuple[int, FieldSpec, Ending]]] = {}
        """By the kind that holds the name; the number is the place in the configuration."""
        self._by_gvk: dict[Gvk, tuple[Field, ...]] = {}
        number = 0
        for reference in references:
            target = FieldSpec(reference.group, reference.version, reference.kind, ())
            for spec in reference.fields:
                ending = Ending(target, spec.written_path)
                self._specs.setdefault(spec.kind, []).append((number, spec, ending))
                number += 1

    def of(self, gvk: Gvk) -> tuple[Field, ...]:
        """Trees to be walked one after the other; a single one unless paths run into each other."""
        found = self._by_gvk.get(gvk)
        if found is None:
            found = self._by_gvk[gvk] = self._made(gvk)
        return found

    def _made(self, gvk: Gvk) -> tuple[Field, ...]:
        specs = self._specs.get(gvk.kind, []) + self._specs.get("", [])
        trees: list[Field] = []
        for _, spec, ending in sorted(specs, key=lambda one: one[0]):
            if spec.matches(gvk):
                if not trees or not trees[-1].takes(spec.path):
                    trees.append(Field())
                trees[-1].add(spec.path, ending)
        return tuple(trees)


def updated(raw: Raw, field: Field, change: Callable[[Raw, list[Ending]], Raw]) -> Raw:
    """The tree with the values changed at which specs end; lists on the way are stepped into."""
    if field.endings:
        return change(raw, field.endings)
    if isinstance(raw, Mapping):
        if field.no_key is not None:
            raise Refused(raw, f"a part of {field.no_key} cannot be the key of a map", field.no_key)
        return _updated_members(raw, field.below, change)
    if isinstance(raw, Sequence):
        return map_items(raw, lambda item: updated(item, field, change))
    if is_null(raw):
        return raw
    raise Refused(raw, f"{raw.value!r} stands where Kustomize looks for {' or '.join(field.below)}")


def _updated_members(raw: Mapping, below: dict[str, Field], change: Callable[[Raw, list[Ending]], Raw]) -> Mapping:
    changed: list[Pair] | None = None
    for index, (key, value) in enumerate(raw.value):
        field = below.get(key.value)
        if field is None:
            continue
        new = updated(sequence((), value) if field.is_list and is_null(value) else value, field, change)
        if new is not value:
            changed = changed or list(raw.value)
            changed[index] = (key, new)
    return raw if changed is None else mapping(changed, raw)
