"""Lists whose items have names: the items of the object and of the patch that have the same are merged.

The patch's items come first, in its order, then the rest of the object's. That
is all there is to say about a list in which each item has its own key. About
the others (items without a key, two items with the same one, lists with two
keys such as ports) Kustomize's way of pairing, replacing and appending items
one after another leads to odd results, and overlays live with them: here they
come out alike.
"""

from __future__ import annotations

from functools import partial
from itertools import compress
from operator import is_
from typing import TYPE_CHECKING

from ...yaml.compose import Mapping, Raw, RawScalar, Sequence
from ..trees import member, scalar, sequence, text, with_member, without_member
from .merge_schema import Schema
from .patch_directives import DIRECTIVE, Unmergeable, directive_of, is_null, shape

if TYPE_CHECKING:
    from .strategic import Merge

Keys = tuple[str, ...]
Values = tuple[str, ...]
Items = list[Raw]


def both(merge: Merge, base: Sequence, patch: Sequence, schema: Schema) -> Sequence | None:
    directive, items = _without_directive(patch)
    if directive == "delete":
        return None
    if directive == "replace":
        return _same_or_new(patch, _merged(merge, items, items, schema))
    return _same_or_new(base, _merged(merge, list(base.value), items, schema))


def kept(merge: Merge, base: Sequence, schema: Schema) -> Sequence:
    return _same_or_new(base, _merged(merge, list(base.value), None, schema))


def added(merge: Merge, patch: Sequence, schema: Schema, *, within: bool) -> Sequence | None:
    """`within` something else that only the patch has, a directive counts; in a list of its own it is an item."""
    directive, items = _without_directive(patch) if within else ("", list(patch.value))
    return None if directive == "delete" else _same_or_new(patch, _merged(merge, items, items, schema))


def _same_or_new(old: Sequence, items: Items) -> Sequence:
    if len(items) == len(old.value) and all(map(is_, items, old.value)):
        return old
    return sequence(items, old)


def _without_directive(patch: Sequence) -> tuple[str, Items]:
    """The directive that stands alone in an item and means the list, and the items without it."""
    for item in patch.value:
        if member(item, DIRECTIVE) is not None:
            if len(item.value) > 1:
                break
            directive = directive_of(item)
            return directive, _set(patch.value, (DIRECTIVE,), (directive,), None)
    return "", list(patch.value)


def _merged(merge: Merge, base: Items, patch: Items | None, schema: Schema) -> Items:
    """`patch` is `base` itself for what is merged with itself."""
    keys = schema.merge_keys or ("",)
    elements = schema.elements()
    names = _names(base, keys)
    if names is None:
        return _Pairing(merge, base, patch, keys, elements).result()
    if patch is None:
        return [item for item in (merge.kept(one, elements) for one in base) if item is not None]
    if patch is base:
        return [item for item in (merge.added(one, elements, within=True) for one in base) if item is not None]
    theirs = _names(patch, keys)
    if theirs is None:
        return _Pairing(merge, base, patch, keys, elements).result()
    return _merged_by_name(merge, names, theirs, elements)


# -- each item has its own key


def _names(items: Items, keys: Keys) -> dict[str, Raw] | None:
    """The items by their key; None unless each has its own."""
    key = keys[0]
    if len(keys) > 1 or not key:
        return None
    found: dict[str, Raw] = {}
    for item in items:
        name = _key_value(item, key)
        if not name or name in found:
            return None
        found[name] = item
    return found


def _merged_by_name(merge: Merge, base: dict[str, Raw], patch: dict[str, Raw], elements: Schema | None) -> Items:
    found: list[Raw | None] = []
    for name, item in patch.items():
        old = base.get(name)
        if old is None:
            found.append(merge.added(item, elements))
        elif directive_of(item) == "replace":
            found.append(old)  # in the end Kustomize puts the object's own item over the new one
        else:
            found.append(merge.both(old, item, elements))
    found += (merge.kept(item, elements) for name, item in base.items() if name not in patch)
    return [item for item in found if item is not None]


# -- all others


class _Pairing:
    """Pairs items by the values of their keys, one combination of values after another."""

    def __init__(self, merge: Merge, base: Items, patch: Items | None, keys: Keys, elements: Schema | None) -> None:
        self._merge = merge
        self._base = base
        self._patch = patch
        self._keys = keys
        self._elements = elements
        self._result: Items = []

    def result(self) -> Items:
        combinations = self._combinations()
        if not combinations:
            return self._base
        keys = self._keys
        for values in combinations:
            keys, values = _telling(combinations, values, self._keys)
            self._merge_one(keys, values)
        return _appended(self._result, self._base, keys)

    def _combinations(self) -> list[Values]:
        """Those of the patch first, each once."""
        found: dict[Values, None] = {}
        for items in (self._patch, self._base):
            for item in items or ():
                if self._keys == ("",):
                    found[(text(item),)] = None
                else:
                    found[tuple(_key_value(item, key) for key in self._keys)] = None
        return _unified(list(found)) if len(self._keys) > 1 else list(found)

    def _merge_one(self, keys: Keys, values: Values) -> None:
        known_keys, known = _telling([values], values, keys)
        at = _find(self._base, known_keys, known)
        there = None if self._patch is None else _find(self._patch, known_keys, known)
        new, owner, index = self._walk(at, there)
        if new is None or (isinstance(new, Mapping) and not new.value):
            self._delete(keys, values)
            return
        for key, value in zip(keys, values, strict=True):
            if key and value and isinstance(new, Mapping) and member(new, key) is None:
                written = scalar(value, new)
                written.tag = "?"
                new = with_member(new, key, written)
        owner[index] = new
        self._result = _set(self._result, keys, values, new)

    def _walk(self, at: int | None, there: int | None) -> tuple[Raw | None, Items, int]:
        """Merge a pair; with the list that, since Kustomize merges in place, then holds the result, and where."""
        merge, elements, base, patch = self._merge, self._elements, self._base, self._patch
        if patch is None or there is None:
            return (None, base, 0) if at is None else (merge.kept(base[at], elements), base, at)
        theirs = patch[there]
        directive = directive_of(theirs, strict=at is not None)
        if directive:
            assert isinstance(theirs, Mapping)
            patch[there] = without_member(theirs, DIRECTIVE)
        if directive == "delete":
            return None, patch, there
        if at is None or directive == "replace" or isinstance(theirs, RawScalar):
            return merge.added(patch[there], elements), patch, there
        if patch is base:
            return merge.added(patch[there], elements, within=True), base, at
        return merge.both(base[at], patch[there], elements), base, at

    def _delete(self, keys: Keys, values: Values) -> None:
        is_same = self._patch is self._base
        self._base = _set(self._base, keys, values, None)
        if is_same:
            self._patch = self._base


def _key_value(item: Raw, key: str) -> str:
    value = member(item, key)
    return value.value if isinstance(value, RawScalar) and not is_null(value) else ""


def _telling(combinations: list[Values], values: Values, keys: Keys) -> tuple[Keys, Values]:
    """The keys that some item has a value for, and the values of these."""
    used = [any(one[index] for one in combinations) for index in range(len(keys))]
    if not any(used):
        return keys, values
    return tuple(compress(keys, used)), tuple(compress(values, used))


def _unified(combinations: list[Values]) -> list[Values]:
    """A port without a protocol is the port of that number with one."""
    found = list(combinations)
    for index in range(len(found)):
        one = found[index]
        for other in range(len(found)):
            if (same := _unify(one, found[other])) is not None:
                found[index] = found[other] = same
    return found


def _unify(one: Values, other: Values) -> Values | None:
    pairs = list(zip(one, other, strict=True))
    if not any(a == b for a, b in pairs) or any(a and b and a != b for a, b in pairs):
        return None
    return tuple(a or b for a, b in pairs)


def _find(items: Items, keys: Keys, values: Values) -> int | None:
    for index, item in enumerate(items):
        if keys[0] == "":
            if text(item) == values[0]:
                return index
        elif isinstance(item, Mapping) and all(map(partial(_is, item), keys, values)):
            return index
    return None


def _is(item: Raw, key: str, value: str) -> bool:
    field = member(item, key)
    return field is not None and text(field) == value


def _appended(result: Items, rest: Items, keys: Keys) -> Items:
    """Put the object's items over those that are there, or behind them."""
    for item in rest:
        if keys[0] == "":
            result = _set(result, keys, (text(item),), item)
            continue
        values: list[str] = []
        for key in keys:
            field = None if is_null(item) else _field(item, key)
            if field is None:
                result = [*result, item]
            else:
                values.append(text(field))
        if len(keys) > 1:
            result = _set(result, keys, tuple(values), None)
        result = _set(result, keys, tuple(values), item)
    return result


def _set(items: Items, keys: Keys, values: Values, new: Raw | None) -> Items:
    """Every item that has these values replaced, or taken out; a new one that replaces none goes to the end.

    An item that lacks a key is dropped when there are no values to compare with.
    """
    found: Items = []
    matched = False
    wants_mapping = bool(keys[0] and values and values[0])
    for item in items:
        if is_null(item) or (isinstance(item, Mapping) and not item.value):
            continue
        if wants_mapping and not isinstance(item, Mapping):
            found.append(item)
        elif _has(item, keys, values):
            matched = True
            if new is not None:
                found.append(new)
        elif values:
            found.append(item)
    if new is not None and not matched and not is_null(new):
        found.append(new)
    return found


def _has(item: Raw, keys: Keys, values: Values) -> bool:
    """Keys that there are no values for are not asked; an empty value is any value."""
    if not values:
        return False
    for key, value in zip(keys, values, strict=False):
        if key == "":
            if not isinstance(item, RawScalar):
                raise Unmergeable(item, f"it is {shape(item)} in a list of scalars")
            if item.value != value:
                return False
            continue
        field = _field(item, key)
        if field is None or (value and text(field) != value):
            return False
    return True


def _field(item: Raw, key: str) -> Raw | None:
    if not isinstance(item, Mapping):
        raise Unmergeable(item, f"it is {shape(item)} in a list of mappings that are told apart by {key}")
    return member(item, key)
