"""The functions that Go's text/template itself has."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote_plus

from .function_types import Function, Type
from .go_print import sprint, sprintf, sprintln
from .go_values import StringMap, Value, check_text, is_true, plain, type_name
from .template_errors import CannotEvaluate, TemplateError

_HTML: Final = str.maketrans({'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"})
_BASIC: Final = {"bool": "bool", "int": "int", "int64": "int", "float64": "float", "string": "string"}


def _eq(first: Value, *others: Value) -> Value:
    if not others:
        raise TemplateError("missing argument for comparison")
    return any(_equal(first, other) for other in others)


def _equal(first: Value, second: Value) -> bool:
    if first is None or second is None:
        return first is second
    kinds = [_BASIC.get(type_name(value)) for value in (first, second)]
    if kinds[0] != kinds[1]:
        raise TemplateError("incompatible types for comparison")
    if kinds[0] is None:
        raise TemplateError(f"non-comparable type {plain(first)[:40]}: {type_name(first)}")
    return first == second


def _less(first: Value, second: Value) -> bool:
    kinds = [_BASIC.get(type_name(value)) for value in (first, second)]
    if None in kinds or kinds == ["bool", "bool"]:
        raise TemplateError("invalid type for comparison")
    if kinds[0] != kinds[1]:
        raise TemplateError("incompatible types for comparison")
    if isinstance(first, str) and isinstance(second, str):
        return first < second
    return isinstance(first, int | float) and isinstance(second, int | float) and first < second


def _le(first: Value, second: Value) -> bool:
    return _less(first, second) or _equal(first, second)


def _len(value: Value) -> int:
    if value is None:
        raise TemplateError("len of nil pointer")
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, list | dict):
        return len(value)
    raise TemplateError(f"len of type {type_name(value)}")


def _index(item: Value, *indexes: Value) -> Value:
    if item is None:
        raise TemplateError("index of untyped nil")
    for index in indexes:
        if item is None:
            raise TemplateError("index of nil pointer")
        item = _at(item, index)
    return item


def _at(item: Value, index: Value) -> Value:
    if isinstance(item, dict):
        if index is None:
            raise TemplateError("value is nil; should be of type string")
        if not isinstance(index, str):
            raise TemplateError(f"value has type {type_name(index)}; should be string")
        return item.get(index, "" if isinstance(item, StringMap) else None)
    if not isinstance(item, list | str):
        raise TemplateError(f"can't index item of type {type_name(item)}")
    if index is None:
        raise TemplateError("cannot index slice/array with nil")
    if not isinstance(index, int) or isinstance(index, bool):
        raise TemplateError(f"cannot index slice/array with type {type_name(index)}")
    if not 0 <= index < len(item):
        raise TemplateError(f"index out of range: {int(index)}")
    if isinstance(item, str):
        raise CannotEvaluate("a single byte of a text")
    return item[index]


def _joined(values: tuple[Value, ...]) -> str:
    return sprint(values) if values != (None,) else "<no value>"


def _html(*values: Value) -> str:
    text = _joined(values)
    check_text(len(text) * 5)
    return text.translate(_HTML)


def _urlquery(*values: Value) -> str:
    text = _joined(values)
    check_text(len(text) * 3)
    return quote_plus(text, safe="~")


def _looked_at_one_by_one(*values: Value) -> Value:
    """Only there to have a name: and, or do not look at all their arguments, and so are no functions here."""
    raise CannotEvaluate("and, or as functions")


_ONE: Final = (Type.ANY,)
_TWO: Final = (Type.ANY, Type.ANY)

FUNCTIONS: Final = {
    "and": Function(_looked_at_one_by_one, _ONE, Type.ANY),
    "or": Function(_looked_at_one_by_one, _ONE, Type.ANY),
    "not": Function(lambda value: not is_true(value), _ONE),
    "eq": Function(_eq, _ONE, Type.ANY),
    "ne": Function(lambda first, second: not _eq(first, second), _TWO),
    "lt": Function(_less, _TWO),
    "le": Function(_le, _TWO),
    "gt": Function(lambda first, second: not _le(first, second), _TWO),
    "ge": Function(lambda first, second: not _less(first, second), _TWO),
    "len": Function(_len, _ONE, orderless=True),
    "index": Function(_index, _ONE, Type.ANY),
    "print": Function(lambda *values: sprint(values), (), Type.ANY),
    "printf": Function(lambda pattern, *values: sprintf(pattern, values), (Type.STRING,), Type.ANY),
    "println": Function(lambda *values: sprintln(values), (), Type.ANY),
    "html": Function(_html, (), Type.ANY),
    "urlquery": Function(_urlquery, (), Type.ANY),
}
