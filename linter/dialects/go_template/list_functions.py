"""Sprig's functions on lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .function_types import Function, Type
from .go_values import IntList, StringList, Value, kind_name, type_name
from .number_functions import to_int64
from .string_functions import text_of, texts
from .template_errors import CannotEvaluate, TemplateError

_ANY: Final = Type.ANY
_NIL: Final = "runtime error: invalid memory address or nil pointer dereference"
_MOST: Final = 10_000


def deep_equal(first: Value, second: Value) -> bool:
    """reflect.DeepEqual: the types count."""
    if type_name(first) != type_name(second):
        return False
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(deep_equal, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(deep_equal(first[key], second[key]) for key in first)
    return first == second


def _items(value: Value, complaint: str) -> list[Value]:
    if value is None:
        raise TemplateError(_NIL)
    if not isinstance(value, list):
        raise TemplateError(f"{complaint} type {kind_name(value)}")
    return value


def _limited(items: list[Value]) -> list[Value]:
    if len(items) > _MOST:
        raise CannotEvaluate("a list that is too long")
    return items


def _first(value: Value) -> Value:
    return next(iter(_items(value, "Cannot find first on")), None)


def _last(value: Value) -> Value:
    items = _items(value, "Cannot find last on")
    return items[-1] if items else None


def _append(value: Value, item: Value) -> Value:
    return _limited([*_items(value, "Cannot push on"), item])


def _prepend(value: Value, item: Value) -> Value:
    return _limited([item, *_items(value, "Cannot prepend on")])


def _concat(*values: Value) -> Value:
    if not all(isinstance(value, list) for value in values):
        wrong = next(value for value in values if not isinstance(value, list))
        raise TemplateError(_NIL if wrong is None else f"Cannot concat type {kind_name(wrong)} as list")
    return _limited([item for value in values if isinstance(value, list) for item in value])


def _contains(items: list[Value], wanted: Value) -> bool:
    return any(deep_equal(wanted, item) for item in items)


def _few(items: list[Value]) -> list[Value]:
    """For what compares every item with every other."""
    if len(items) > 300:
        raise CannotEvaluate("a list that is too long")
    return items


def _uniq(value: Value) -> Value:
    found: list[Value] = []
    for item in _few(_items(value, "Cannot find uniq on")):
        if not _contains(found, item):
            found.append(item)
    return found


def _without(value: Value, *omitted: Value) -> Value:
    left = _few(list(omitted))
    return [item for item in _few(_items(value, "Cannot find without on")) if not _contains(left, item)]


def _has(needle: Value, value: Value) -> bool:
    return value is not None and _contains(_items(value, "Cannot find has on"), needle)


def _slice(value: Value, *indexes: Value) -> Value:
    items = _items(value, "list should be type of slice or array but")
    if not items:
        return None
    start = to_int64(indexes[0]) if indexes else 0
    end = to_int64(indexes[1]) if len(indexes) > 1 else len(items)
    if not 0 <= start <= end <= len(items):
        raise TemplateError("reflect.Value.Slice: slice index out of bounds")
    return type(items)(items[start:end])


def _sort_alpha(value: Value) -> Value:
    return StringList(sorted(texts(value))) if isinstance(value, list) else StringList([text_of(value)])


def _reverse(value: Value) -> Value:
    return _items(value, "Cannot find reverse on")[::-1]


def _chunk(size: int, value: Value) -> Value:
    items = _items(value, "Cannot chunk type")
    if size <= 0:
        raise TemplateError("runtime error: integer divide by zero")
    return [items[at : at + size] for at in range(0, len(items), size)]


def _until_step(start: int, stop: int, step: int) -> Value:
    if step == 0 or (stop < start) != (step < 0):
        return IntList()
    if abs(stop - start) // abs(step) > _MOST:
        raise CannotEvaluate("a list that is too long")
    return IntList(range(start, stop, step))


def _plain_list(call: Callable[[list[Value]], list[Value]], complaint: str) -> Callable[[Value], Value]:
    """Sprig gives a list of anything back, whatever the type of the list was."""
    return lambda value: list(call(_items(value, complaint))) or None


_PLAIN: Final = {
    "list": Function(lambda *items: list(items), (), _ANY),
    "tuple": Function(lambda *items: list(items), (), _ANY),
    "until": Function(lambda count: _until_step(0, count, -1 if count < 0 else 1), (Type.INT,)),
    "untilStep": Function(_until_step, (Type.INT, Type.INT, Type.INT)),
    "sortAlpha": Function(_sort_alpha, (_ANY,), orderless=True),
    "toStrings": Function(lambda value: StringList(texts(value)), (_ANY,)),
    "concat": Function(_concat, (), _ANY),
    "deepEqual": Function(deep_equal, (_ANY, _ANY)),
    "push": Function(_append, (_ANY, _ANY)),
    "mustPush": Function(_append, (_ANY, _ANY)),
}
_ALSO_MUST: Final = {
    "first": Function(_first, (_ANY,)),
    "last": Function(_last, (_ANY,)),
    "rest": Function(_plain_list(lambda items: items[1:], "Cannot find rest on"), (_ANY,)),
    "initial": Function(_plain_list(lambda items: items[:-1], "Cannot find initial on"), (_ANY,)),
    "append": Function(_append, (_ANY, _ANY)),
    "prepend": Function(_prepend, (_ANY, _ANY)),
    "reverse": Function(_reverse, (_ANY,)),
    "uniq": Function(_uniq, (_ANY,)),
    "compact": Function(lambda value: [item for item in _items(value, "Cannot compact on") if item], (_ANY,)),
    "without": Function(_without, (_ANY,), _ANY),
    "has": Function(_has, (_ANY, _ANY), orderless=True),
    "slice": Function(_slice, (_ANY,), _ANY),
    "chunk": Function(_chunk, (Type.INT, _ANY)),
}
FUNCTIONS: Final = {
    **_PLAIN,
    **_ALSO_MUST,
    **{f"must{name[0].upper()}{name[1:]}": function for name, function in _ALSO_MUST.items()},
}
