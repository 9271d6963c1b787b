"""A fix may change a value, never what sort of thing it is: a list in place of a mapping loses all that was in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from .judge import patched, same
from .pieces import Refused

_WORDS: Final[dict[type, str]] = {dict: "a mapping", list: "a list"}


def demand_same_shapes(value: Any, operations: Sequence[dict[str, Any]]) -> None:
    """Refuse a patch of the value that puts a mapping, a list or a scalar where one of the others stands."""
    from jsonpointer import resolve_pointer

    for operation in operations:
        if operation["op"] in ("add", "replace") and not _adds_an_item(value, operation):
            old, new = resolve_pointer(value, operation["path"], None), operation["value"]
            if _word(old) != _word(new) and not _is_kept(old, new):
                raise Refused(f"{_word(old)} stands there, and {_word(new)} would take its place")
        value = patched(value, [operation])


def _adds_an_item(value: Any, operation: dict[str, Any]) -> bool:
    """Whether an item is put into a list, before the one that has its number now."""
    from jsonpointer import resolve_pointer

    above = resolve_pointer(value, operation["path"].rpartition("/")[0], None)
    return operation["op"] == "add" and isinstance(above, list)


def _word(value: Any) -> str:
    return _WORDS.get(type(value), "a plain value")


def _is_kept(old: Any, new: Any) -> bool:
    """Whether nothing is lost: there was nothing, or the new value holds the old one somewhere, or all of its words."""
    if old in (None, "", {}, []) or same(old, new):
        return True
    if isinstance(old, dict | list) and isinstance(new, str):
        return all(word in new for word in _words(old))
    inside = new.values() if isinstance(new, dict) else new if isinstance(new, list) else ()
    return any(_is_kept(old, item) for item in inside)


def _words(value: Any) -> Iterator[str]:
    """Its keys and scalars: ``CreateNamespace: true`` says the same as ``CreateNamespace=true``."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _words(item)
    else:
        yield value if isinstance(value, str) else json.dumps(value)
