"""JSON patches on trees, as the library applies them that Kustomize uses.

It is more lenient than the standard: a replace makes a key that is not there,
an index may count from the end, a missing value is null, and what stands
before the first slash of a path is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import is_
from typing import Any, Final

from ...yaml.compose import Mapping, Raw, RawScalar, Sequence
from ...yaml.json_pointer import steps
from ...yaml.scalars import NUMBER_STARTS, WORDS, atoi
from ...yaml.source import Node
from ...yaml.values import members
from ..kustomize_errors import BuildError, Cause, OperationError
from ..trees import (
    instead,
    is_null,
    mapping,
    member,
    scalar,
    sequence,
    value,
    with_member,
    without_member,
    wrong_merge,
)

Container = Mapping | Sequence
Path = tuple[str, ...]
Change = Callable[[Container, str], Container]


class _Refused(Exception):
    pass


class _NoJson(Exception):
    def __init__(self, key: RawScalar) -> None:
        super().__init__()
        self.key = key


@dataclass(frozen=True)
class Operation:
    at: Node
    kind: str
    path: Path | None
    """Empty for the object itself; None if there is none that leads anywhere."""
    origin: Path | None
    """Where a move or a copy takes its value from."""
    value: Raw | None


def operations_in(patch: Node) -> list[Operation]:
    """The operations of a patch, ready to be applied to any number of objects."""
    found = []
    for one in patch:
        raw = one.raw
        new = one["value"].raw
        try:
            new = None if new is None else as_json(new)
        except _NoJson as wrong:
            message = f"the value has a key {wrong.key.value!r} that JSON cannot have, and Kustomize refuses that"
            raise BuildError(Cause.BAD_PATCH, one["value"], message) from None
        found.append(
            Operation(
                one,
                one["op"].text or "unknown",
                _path(member(raw, "path")),
                _path(member(raw, "from")),
                new,
            )
        )
    return found


def apply(root: Mapping, operations: Iterable[Operation], name: str) -> Mapping:
    """The object after all operations; `name` is what messages call it."""
    for operation in operations:
        work = _WORK.get(operation.kind)
        try:
            if work is None:
                raise _Refused("there is no such operation")
            changed = work(root, operation)
            if not isinstance(changed, Mapping):
                raise _Refused("a list would take the place of the object")
        except _Refused as why:
            raise _error(operation, name, str(why)) from None
        root = changed
    return root


def _error(operation: Operation, name: str, why: str) -> BuildError:
    path = operation.at["path"]
    words = f"{operation.kind} {path.text}".strip()
    wrong = path if operation.kind in _WORK else operation.at["op"]
    place = wrong if wrong.present else operation.at
    return OperationError(Cause.BAD_PATCH, place, f"{words} cannot be applied to {name}: {why}")


def _path(raw: Raw | None) -> Path | None:
    path = value(raw)
    if not isinstance(path, str) or (path and "/" not in path):
        return None
    return tuple(steps(path))


# -- values as JSON has them


def as_json(raw: Raw) -> Raw:
    """The same tree without merge keys, every key as the text that JSON has; itself where it is so already."""
    if isinstance(raw, RawScalar):
        return raw
    if isinstance(raw, Sequence):
        items = [as_json(item) for item in raw.value]
        return raw if all(map(is_, items, raw.value)) else sequence(items, raw)
    if any(_is_odd(key) for key, _ in raw.value):
        wrong = wrong_merge(raw) or next((key for key, _ in raw.value if is_null(key)), None)
        if wrong is not None:
            raise _NoJson(wrong)
        named = members(raw).items()
        return mapping(((scalar(name, key), as_json(one)) for name, (key, one) in named), raw)
    pairs = [(key, as_json(one)) for key, one in raw.value]
    return raw if all(new[1] is old[1] for new, old in zip(pairs, raw.value, strict=True)) else mapping(pairs, raw)


def _is_odd(key: Raw) -> bool:
    text = key.value
    return not isinstance(text, str) or text == "<<" or text in WORDS or text[0] in NUMBER_STARTS


# -- operations


def _add(root: Mapping, operation: Operation) -> Raw:
    new = _value_of(operation)
    return _changed(root, operation.path, lambda into, key: _with_added(into, key, new))


def _replace(root: Mapping, operation: Operation) -> Raw:
    new = _value_of(operation)
    if operation.path == ():
        return root if isinstance(new, RawScalar) else new
    return _changed(root, operation.path, lambda into, key: _with_replaced(into, key, new))


def _remove(root: Mapping, operation: Operation) -> Raw:
    return _changed(root, operation.path, _without)


def _move(root: Mapping, operation: Operation) -> Raw:
    moved = _found(root, operation.origin)
    rest = _changed(root, operation.origin, _without)
    return _changed(rest, operation.path, lambda into, key: _with_added(into, key, moved or _null(operation)))


def _copy(root: Mapping, operation: Operation) -> Raw:
    found = _found(root, operation.origin)
    return _changed(root, operation.path, lambda into, key: _with_added(into, key, found or _null(operation)))


def _test(root: Mapping, operation: Operation) -> Raw:
    found = root if operation.path == () else _found(root, operation.path)
    if operation.value is None:
        raise _Refused("it has no value to compare with")
    if not _same(value(found), value(operation.value)):
        raise _Refused("the value there is another one")
    return root


_WORK: Final[dict[str, Callable[[Mapping, Operation], Raw]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _value_of(operation: Operation) -> Raw:
    return _null(operation) if operation.value is None else operation.value


def _null(operation: Operation) -> Raw:
    assert operation.at.raw is not None
    return scalar(None, operation.at.raw)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and None not in one and all(map(_same, one, other))  # a null in a list is fatal
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


# -- one step on the way


def _changed(raw: Raw, path: Path | None, change: Change) -> Raw:
    if not path:
        raise _Refused("the path must begin with a slash and lead to something in the object")
    into = _container(raw)
    if len(path) == 1:
        return change(into, path[0])
    below = _get(into, path[0])
    if below is None or is_null(below) or isinstance(below, RawScalar):
        raise _Refused(f"there is nothing at {path[0]} to go into")
    return _put(into, path[0], _changed(below, path[1:], change))


def _found(raw: Raw, path: Path | None) -> Raw | None:
    found: list[Raw | None] = []

    def look(into: Container, key: str) -> Container:
        found.append(_get(into, key, strict=True))
        return into

    _changed(raw, path, look)
    return found[0]


def _container(raw: Raw) -> Container:
    assert isinstance(raw, Mapping | Sequence)
    return raw


def _get(into: Container, key: str, *, strict: bool = False) -> Raw | None:
    """A key may be missing; an index must be there, if only for who is `strict` about it."""
    if isinstance(into, Mapping):
        return member(into, key)
    try:
        return _container(into).value[_index(into, key)]  # type: ignore[no-any-return]
    except _Refused:
        if strict:
            raise
        return None


def _put(into: Container, key: str, new: Raw) -> Container:
    if isinstance(into, Mapping):
        return with_member(into, key, new)
    index = _index(into, key)
    return sequence([*into.value[:index], new, *into.value[index + 1 :]], into)


def _with_added(into: Container, key: str, new: Raw) -> Container:
    if isinstance(into, Mapping):
        return with_member(into, key, instead(new, member(into, key)))
    size = len(into.value)
    index = size if key == "-" else _index(into, key, size + 1)
    return sequence([*into.value[:index], new, *into.value[index:]], into)


def _with_replaced(into: Container, key: str, new: Raw) -> Container:
    return _put(into, key, instead(new, _get(into, key, strict=True)))


def _without(into: Container, key: str) -> Container:
    if isinstance(into, Mapping):
        if member(into, key) is None:
            raise _Refused(f"there is no {key} to remove")
        return without_member(into, key)
    index = _index(into, key)
    return sequence([*into.value[:index], *into.value[index + 1 :]], into)


def _index(into: Sequence, key: str, size: int | None = None) -> int:
    size = len(into.value) if size is None else size
    index = atoi(key)
    if index is None:
        raise _Refused(f"{key} is no index, and there is a list")
    if not -size <= index < size:
        raise _Refused(f"the list there has no item {key}")
    return index % size
