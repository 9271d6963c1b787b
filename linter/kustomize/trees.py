"""Trees that nobody changes: an edit gives a new tree, which shares the rest with the old one.

A build works on the very trees that were composed from the files. What a
build does not touch is the same object as in the file; what it copies keeps
the marks of what it was copied from. So a place in the output leads back to
the place in a file by the identity of its start mark, at no cost to the build.

Mappings here have no merge keys and no repeated keys: `loading` sees to that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import is_
from typing import Any, Final

from ..yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar, Sequence
from ..yaml.values import json_value, scalar_value

Pair = tuple[RawScalar, Raw]

TRUE_FALSE: Final = {True: "true", False: "false"}


class Rewritten(RawScalar):
    """A scalar that took the place of another one: a patch, a prefix, an image."""

    before: Raw
    """What stood there before; it may itself be rewritten."""


class Blank(RawScalar):
    """Nothing, as in ``{a: }``: null to Kustomize until it prints the object, and an empty text then."""


class Made(RawScalar):
    """A scalar that nobody wrote: made for a transformer to fill in. What fills it in took the place of nothing."""


# -- looking


def member(raw: Raw | None, key: str) -> Raw | None:
    """The value of a key; None when it is not there, or when this is no mapping."""
    if isinstance(raw, Mapping):
        for name, value in raw.value:
            if name.value == key:
                return value  # type: ignore[no-any-return]
    return None


def pair(raw: Raw | None, key: str) -> Pair | None:
    if isinstance(raw, Mapping):
        for one in raw.value:
            if one[0].value == key:
                return one  # type: ignore[no-any-return]
    return None


def at(raw: Raw | None, *keys: str) -> Raw | None:
    for key in keys:
        raw = member(raw, key)
    return raw


def text(raw: Raw | None) -> str:
    """A scalar as it is written, whatever its type; empty for anything else."""
    return raw.value if isinstance(raw, RawScalar) else ""


def is_null(raw: Raw | None) -> bool:
    return isinstance(raw, RawScalar) and (scalar_value(raw) is None or raw.__class__ is Blank)


def pairs(raw: Raw | None) -> list[Pair]:
    return raw.value if isinstance(raw, Mapping) else []


def items(raw: Raw | None) -> list[Raw]:
    return raw.value if isinstance(raw, Sequence) else []


def wrong_merge(raw: Mapping) -> RawScalar | None:
    """The merge key that has neither a mapping nor a list of mappings."""
    for key, merged in raw.value:
        if key.tag == PLAIN and key.value == "<<":
            sources = merged.value if isinstance(merged, Sequence) else [merged]
            if not all(isinstance(source, Mapping) for source in sources):
                return key  # type: ignore[no-any-return]
    return None


def value(raw: Raw | None) -> Any:
    return None if raw is None else json_value(raw)


# -- making


def scalar(content: str | int | float | bool | None, like: Raw, *, over: Raw | None = None) -> RawScalar:
    """A scalar that counts as written where `like` is; `over` is what it takes the place of."""
    if isinstance(content, str):
        tag, written = TEXT, content
    elif content is None:
        tag, written = PLAIN, "null"
    elif isinstance(content, bool):
        tag, written = PLAIN, TRUE_FALSE[content]
    else:
        tag, written = PLAIN, repr(content)
    if over is None or isinstance(over, Made):
        return RawScalar(tag, written, like.start_mark, like.end_mark)
    made = Rewritten(tag, written, like.start_mark, like.end_mark)
    made.before = over
    return made


def mapping(pairs_: Iterable[Pair], like: Raw) -> Mapping:
    return Mapping(TEXT, list(pairs_), like.start_mark, like.end_mark, flow_style=getattr(like, "flow_style", False))


def sequence(items_: Iterable[Raw], like: Raw) -> Sequence:
    return Sequence(TEXT, list(items_), like.start_mark, like.end_mark, flow_style=getattr(like, "flow_style", False))


def from_value(content: Any, like: Raw) -> Raw:
    """A tree for a JSON value, all of it at one place."""
    if isinstance(content, dict):
        return mapping(((scalar(str(key), like), from_value(one, like)) for key, one in content.items()), like)
    if isinstance(content, list):
        return sequence((from_value(one, like) for one in content), like)
    return scalar(content, like)


# -- editing


def instead(new: Raw, old: Raw | None) -> Raw:
    """`new`, remembering what it took the place of; containers do not remember."""
    if old is None or isinstance(old, Made) or new is old or not isinstance(new, RawScalar):
        return new
    made = Rewritten(new.tag, new.value, new.start_mark, new.end_mark, style=new.style)
    made.before = old
    return made


def with_member(raw: Mapping, key: str, new: Raw, key_at: Raw | None = None) -> Mapping:
    """The mapping with this key set: in its place, or at the end, the key counting as written at `key_at`."""
    for index, (name, old) in enumerate(raw.value):
        if name.value == key:
            if old is new:
                return raw
            return mapping([*raw.value[:index], (name, new), *raw.value[index + 1 :]], raw)
    return mapping([*raw.value, (scalar(key, key_at or new), new)], raw)


def without_member(raw: Mapping, key: str) -> Mapping:
    if pair(raw, key) is None:
        return raw
    return mapping((one for one in raw.value if one[0].value != key), raw)


def with_at(raw: Mapping, keys: tuple[str, ...], new: Raw) -> Mapping:
    """Set a value deep inside; mappings that are missing on the way are made, where the new value is."""
    if len(keys) == 1:
        return with_member(raw, keys[0], new)
    inner = member(raw, keys[0])
    below = inner if isinstance(inner, Mapping) else mapping((), new)
    return with_member(raw, keys[0], with_at(below, keys[1:], new))


def map_items(raw: Sequence, change: Callable[[Raw], Raw]) -> Sequence:
    """The sequence with each item changed; the same sequence if none was."""
    changed = [change(item) for item in raw.value]
    if all(map(is_, changed, raw.value)):
        return raw
    return sequence(changed, raw)


def unfolded_size(raw: Raw, sizes: dict[int, int]) -> int:
    """How many nodes a tree has when what it shares is counted every time; `sizes` is kept from call to call."""
    if isinstance(raw, RawScalar):
        return 1
    key = id(raw)
    if key not in sizes:
        parts = [part for one in raw.value for part in one] if isinstance(raw, Mapping) else raw.value
        inner = [part for part in parts if part.__class__ is not RawScalar]
        sizes[key] = 1 + len(parts) - len(inner) + sum([unfolded_size(part, sizes) for part in inner])
    return sizes[key]
