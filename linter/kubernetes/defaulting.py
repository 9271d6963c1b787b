"""What the API server makes of a custom resource before it stores it.

Prune what the schema does not know, drop nulls that mean nothing, fill in
defaults, clean the metadata of embedded resources: the steps and the order of
the API server, on plain JSON values and a structural schema (the
``openAPIV3Schema`` of one version of a CRD). Only ``properties``, ``items`` and
``additionalProperties`` are walked: a structural schema has defaults nowhere else.

Nothing that is passed in is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

Schema = Mapping[str, Any]
Steps = tuple[str | int, ...]

PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
LIST_TYPE: Final = "x-kubernetes-list-type"
LIST_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
INT_OR_STRING: Final = "x-kubernetes-int-or-string"

META: Final = frozenset(("apiVersion", "kind", "metadata"))
"""The server's own business at the root and in embedded resources, whatever the schema says."""
OBJECT_META: Final = frozenset(
    """
    name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp
    deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields
    """.split()
)


class Stored(NamedTuple):
    value: Any
    filled: tuple[Steps, ...]
    """Where a default was put: the outermost place of each, nothing below it."""
    unknown: tuple[Steps, ...]
    """What was removed because the schema does not have it: strict field validation refuses it."""


def store(value: Any, schema: Schema) -> Stored:
    """An object of the kind that the schema describes, as the server keeps it."""
    root = {**schema, EMBEDDED: True}
    unknown: list[Steps] = []
    filled: list[Steps] = []
    kept = _prune(value, root, (), unknown)
    kept = _drop_nulls(kept, root)
    _fill(kept, root, (), filled)
    _clean_metadata(kept, schema, (), unknown)
    return Stored(kept, tuple(filled), tuple(unknown))


def fill(value: Any, schema: Schema) -> Stored:
    """Only the defaults: for a schema that does not know every field, so that nothing can be called unknown."""
    root = {**schema, EMBEDDED: True}
    filled: list[Steps] = []
    kept = _drop_nulls(value, root)
    _fill(kept, root, (), filled)
    return Stored(kept, tuple(filled), ())


def stray_nulls(value: Any, schema: Schema) -> tuple[Steps, ...]:
    """Explicit nulls where the schema wants a value and has no default.

    The server drops them from what it is sent whole. Server-side apply keeps them, and validation refuses them.
    """
    found: list[Steps] = []
    _find_nulls(value, {**schema, EMBEDDED: True}, (), found)
    return tuple(found)


def _find_nulls(value: Any, schema: Schema, at: Steps, found: list[Steps]) -> None:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        inner = below(schema, step)
        if inner is None or (step in META and schema.get(EMBEDDED)):
            continue
        if member is not None:
            _find_nulls(member, inner, (*at, step), found)
        elif _is_bare_null(member, inner) and inner.get("default") is None and inner.get("type"):
            found.append((*at, step))


def below(schema: Schema | None, step: str | int) -> Schema | None:
    """The schema of a member or an item; None where the schema is silent."""
    if schema is None:
        return None
    if isinstance(step, int):
        return _schema(schema.get("items"))
    declared = _schema(properties(schema).get(step))
    return declared if declared is not None else _schema(schema.get("additionalProperties"))


def properties(schema: Schema) -> Mapping[str, Any]:
    declared = _schema(schema.get("properties"))
    return declared if declared is not None else {}


def default_of(schema: Schema) -> Any:
    """None means that there is none: to the server ``default: null`` is no default."""
    # The server prunes the defaults of a schema, too, so a default cannot bring an unknown field in.
    return _prune(schema.get("default"), schema, (), [])


def _schema(value: Any) -> Schema | None:
    # `additionalProperties: true` lets keys in but says nothing about what is below them.
    return value if type(value) is dict or isinstance(value, Mapping) else None


def _prune(value: Any, schema: Schema | None, at: Steps, unknown: list[Steps], keep: bool = False) -> Any:
    """A copy without unknown fields. `keep`: the list around this value keeps them, so its items do."""
    if schema is None and keep:
        return _copy(value)  # an item of such a list that no schema describes is kept whole
    keep = schema is not None and (keep or bool(schema.get(PRESERVE)))
    if isinstance(value, list):
        items = below(schema, 0)
        return [_prune(item, items, (*at, index), unknown, keep) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, member in value.items():
        if schema is not None and key in META and schema.get(EMBEDDED):
            kept[key] = _copy(member)
        elif schema is not None and _lets_in(schema, key):
            kept[key] = _prune(member, below(schema, key), (*at, key), unknown)
        elif keep:
            kept[key] = _copy(member)
        else:
            unknown.append((*at, key))
    return kept


def _lets_in(schema: Schema, key: str) -> bool:
    additional = schema.get("additionalProperties")
    return key in properties(schema) or isinstance(additional, Mapping) or additional is True


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(member) for key, member in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _is_bare_null(value: Any, schema: Schema) -> bool:
    return value is None and not schema.get("nullable")


def _drop_nulls(value: Any, schema: Schema | None) -> Any:
    """A copy without nulls that are neither allowed nor about to be replaced; null items of lists stay.

    What has no schema is not copied: nothing will be filled in there.
    """
    if schema is None:
        return value
    if isinstance(value, list):
        items = below(schema, 0)
        return [_drop_nulls(item, items) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, member in value.items():
        inner = below(schema, key)
        if inner is None or not _is_bare_null(member, inner) or inner.get("default") is not None:
            kept[key] = _drop_nulls(member, inner)
    return kept


def _fill(value: Any, schema: Schema, at: Steps, filled: list[Steps]) -> None:
    """In place: by now the value is a copy."""
    for step in _steps(value, schema, at):
        inner = below(schema, step)
        if inner is None:
            continue
        place, below_here = (*at, step), filled
        if (isinstance(value, dict) and step not in value) or _is_bare_null(value[step], inner):
            value[step] = default_of(inner)
            if value[step] is not None:
                filled.append(place)
                below_here = []  # a default is defaulted in turn; that is no place of its own
        _fill(value[step], inner, place, below_here)


def _steps(value: Any, schema: Schema, at: Steps) -> Iterable[str | int]:
    """The members of a value, those first that only the schema has; of scalars none."""
    if isinstance(value, list):
        return range(len(value))
    if not isinstance(value, dict):
        return ()
    missing = [
        key
        for key, inner in properties(schema).items()
        if key not in value and isinstance(inner, Mapping) and inner.get("default") is not None
    ]
    return [step for step in (*missing, *value) if at or step not in META]


def _clean_metadata(value: Any, schema: Schema | None, at: Steps, unknown: list[Steps]) -> None:
    """In place: the metadata of embedded resources keeps the fields that every object has."""
    if schema is None:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            _clean_metadata(item, below(schema, index), (*at, index), unknown)
    elif isinstance(value, dict):
        metadata = value.get("metadata")
        if schema.get(EMBEDDED) and isinstance(metadata, dict):
            for key in [key for key in metadata if key not in OBJECT_META]:
                del metadata[key]
                unknown.append((*at, "metadata", key))
        for key, member in value.items():
            _clean_metadata(member, below(schema, key), (*at, key), unknown)
