"""Which defaults Argo CD's structured-merge diff shows for ever.

An object is compared that way when it or its Application has
``ServerSideApply=true`` and server-side diff is off. Argo CD then merges git's
object into the live one by the cluster's OpenAPI v2 document, and knows nothing
of defaults. Where git's value is merged, a default that only the live object
has survives. Where git's value replaces the live one whole, it is missing from
the result, so the two differ after every sync.

In the two other ways of comparing no default is ever shown: the three-way diff
takes out of the live object what git does not have, list items by their index,
and server-side diff gets the defaults from the server itself.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from .defaulting import EMBEDDED, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE, Schema, Steps, below, properties


class Shown(Enum):
    """Why a default that git leaves out shows up in the diff."""

    REPLACED = "replaced"
    """It is inside a value that is replaced whole."""
    KEY = "key"
    """It is a key of its list item: the item without it and the live one are two items."""
    ALL_KEYS = "all-keys"
    """As KEY, and git gives none of the keys: Argo CD cannot compare the Application at all."""
    WITH_KEY = "with-key"
    """Its list item lacks such a key. Once the key is given, it is not shown any more."""
    NULL = "null"
    """Git has an explicit null."""


def shown(git: Any, schema: Schema, path: Steps) -> Shown | None:
    """How the default at this path appears in the diff of git's object; None if it does not.

    `path` is a place that defaulting fills: all above it is in git's object.
    """
    value, opaque = git, False
    at: Schema | None = schema
    verdict: Shown | None = None
    for depth, step in enumerate(path):
        if at is None or at.get(EMBEDDED):
            return None  # defaults in embedded resources were seen to break the comparison instead
        # OpenAPI v2 has no structure below these: objects are merged there, lists replaced.
        opaque = opaque or bool(at.get("nullable") or at.get(PRESERVE))
        value = _member(value, step)
        if isinstance(step, int):
            if opaque or at.get(LIST_TYPE) != "map":
                return Shown.REPLACED
            verdict = _by_key(value, at, path[depth + 1 :]) or verdict
        elif not opaque and at.get(MAP_TYPE) == "atomic":
            return Shown.REPLACED
        at = below(at, step)
    if verdict in (None, Shown.WITH_KEY) and not opaque and _has_null(git, path):
        return Shown.NULL
    return verdict


def _by_key(item: Any, schema: Schema, rest: Steps) -> Shown | None:
    """What an item of a list that is merged by keys comes to, for the place `rest` in it."""
    items = below(schema, 0)
    keys = schema.get(LIST_KEYS)
    if items is None or not isinstance(item, dict) or not isinstance(keys, list):
        return None
    missing = [key for key in keys if item.get(key) is None]
    if not any(_has_default(items, key) for key in missing):
        return None
    if rest not in [(key,) for key in missing]:
        return Shown.WITH_KEY
    return Shown.ALL_KEYS if missing == keys and all(key in properties(items) for key in keys) else Shown.KEY


def _has_default(schema: Schema, key: str) -> bool:
    inner = below(schema, key)
    return inner is not None and inner.get("default") is not None


def _member(value: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and step < len(value) else None
    return value.get(step) if isinstance(value, dict) else None


def _has_null(git: Any, path: Steps) -> bool:
    for step in path[:-1]:
        git = _member(git, step)
    return isinstance(git, dict) and path[-1] in git and git[path[-1]] is None
