"""A generated object and the ones that are there already: it joins them, or changes the one of its name."""

from __future__ import annotations

from typing import Final

from ...yaml.compose import TEXT, Mapping, Raw, RawScalar
from ...yaml.source import Node
from ..kustomize_errors import BuildError, Cause
from ..objects import Object
from ..trees import Pair, at, is_null, mapping, member, pair, pairs, scalar, text

_STEPS: Final = {"merge": "merged with what a generator makes", "replace": "replaced by what a generator makes"}


Named = dict[str, list[Object]]


def by_any_name(objects: list[Object]) -> Named:
    """By each name that they have or had: looking at all of them for each new one takes the square of their number."""
    named: Named = {}
    for one in objects:
        for name in dict.fromkeys((one.name, *(before.name for before in one.previous))):
            named.setdefault(name, []).append(one)
    return named


def absorb(objects: list[Object], named: Named, made: Object, entry: Node) -> list[Object]:
    """The objects with this one among them, and so by their names; `entry` is what made it.

    By any name it ever had, an object can be found that is to be merged with
    the new one, or replaced by it. Either way it keeps its place, its name and
    namespace and what labels and annotations the new one does not set.
    """
    found = _others(named, made)
    if len(found) > 1:
        names = ", ".join(str(one.id) for one in found)
        raise BuildError(Cause.BAD_GENERATOR, entry["name"], f"{made.id} could be any of {names}")
    if not found:
        if made.behavior in _STEPS:
            raise BuildError(Cause.BAD_GENERATOR, entry["behavior"], f"there is no {made.id} to {made.behavior}")
        named.setdefault(made.name, []).append(made)
        return [*objects, made]
    if made.behavior not in _STEPS:
        raise BuildError(
            Cause.DUPLICATE_ID,
            entry["name"],
            f"{made.id} exists already; to change it, a generator must have the behavior merge or replace",
        )
    _take_over(found[0], made, entry)
    return objects


def _others(named: Named, made: Object) -> list[Object]:
    wanted = made.id
    return [one for one in named.get(wanted.name, ()) if any(wanted.equals(known) for known in one.ids)]


def _take_over(old: Object, made: Object, entry: Node) -> None:
    """The old object stays what it is to Kustomize; its content is the new one's, with the old data if merged.

    A hash is added only if both want one: one that is a plain resource never gets it.
    """
    merged = dict(_by_name(made.root))
    for field in ("apiVersion", "kind"):
        merged[field] = pair(old.root, field) or merged[field]
    merged["metadata"] = (merged["metadata"][0], _metadata(old.root, made.root))
    if made.behavior == "merge":
        for field in ("data", "binaryData"):
            both = _joined_data(member(old.root, field), member(made.root, field))
            merged.pop(field, None)
            if both is not None:
                merged[field] = (scalar(field, both), both)
    old.put(mapping(merged.values(), made.root), _STEPS[made.behavior], entry, old.document)
    if made.behavior == "replace":
        old.document = made.document
    old.needs_hash = old.needs_hash and made.needs_hash


def _by_name(raw: Raw | None) -> dict[str, Pair]:
    return {key.value: (key, one) for key, one in pairs(raw)}


def _metadata(old: Mapping, made: Mapping) -> Mapping:
    """Name and namespace of the old one, the labels and annotations of both, and nothing else."""
    kept = [one for field in ("name", "namespace") if (one := pair(member(old, "metadata"), field)) and text(one[1])]
    for field in ("labels", "annotations"):
        both = _by_name(at(old, "metadata", field)) | _by_name(at(made, "metadata", field))
        if both:
            container = at(made, "metadata", field) or at(old, "metadata", field)
            assert container is not None
            kept.append(
                (scalar(field, container), mapping(((key, _as_text(one)) for key, one in both.values()), container))
            )
    return mapping(kept, at(made, "metadata") or made)


def _joined_data(old: Raw | None, made: Raw | None) -> Mapping | None:
    """The keys of both, the new ones' values; whatever a value was, it is a text now."""
    both = _by_name(old) | _by_name(made)
    container = made or old
    if not both or container is None:
        return None
    values = ((key, scalar("", one) if is_null(one) else _as_text(one)) for key, one in both.values())
    return mapping(values, container)


def _as_text(raw: Raw) -> Raw:
    """What Kustomize puts into a map of texts for any value: a number as it is written, nothing for a list."""
    return raw if isinstance(raw, RawScalar) and raw.tag == TEXT else scalar(text(raw), raw)
