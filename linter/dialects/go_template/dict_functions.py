"""Sprig's functions on maps."""

from __future__ import annotations

from typing import Final

from .function_types import Function, Type
from .go_values import StringMap, Unordered, UnorderedStrings, Value, type_name
from .mergo import copied, merge_into
from .string_functions import text_of
from .template_errors import CannotEvaluate, TemplateError

_MAP: Final = Type.MAP
_S: Final = Type.STRING
Map = dict[str, Value]


def _dict(*values: Value) -> Value:
    pairs = zip(values[::2], [*values[1::2], ""], strict=False)
    return {text_of(key): value for key, value in pairs}


def _set(target: Map | None, key: str, value: Value) -> Value:
    if target is None:
        raise TemplateError("assignment to entry in nil map")
    target[key] = value
    return target


def _unset(target: Map | None, key: str) -> Value:
    (target or {}).pop(key, None)
    return target


def _keys(*maps: Map | None) -> Value:
    return UnorderedStrings(key for one in maps for key in one or {})


def _merged(overwrite: bool) -> Function:
    def merge(target: Map | None, *sources: Map | None) -> Value:
        if target is None:
            raise CannotEvaluate("a merge into nothing")
        for source in sources:
            merge_into(target, source or {}, overwrite)
        return target

    return Function(merge, (_MAP,), _MAP)


def _dig(*words: Value) -> Value:
    if len(words) < 3:
        raise TemplateError("dig needs at least three arguments")
    *keys, default, value = words
    if value is None:
        raise TemplateError("interface conversion: interface {} is nil, not map[string]interface {}")
    for key in keys:
        if not isinstance(value, dict) or isinstance(value, StringMap):
            raise TemplateError(
                f"interface conversion: interface {{}} is {type_name(value)}, not map[string]interface {{}}"
            )
        if not isinstance(key, str):
            raise TemplateError(f"interface conversion: interface {{}} is {type_name(key)}, not string")
        if key not in value:
            return default
        value = value[key]
    return value


FUNCTIONS: Final = {
    "dict": Function(_dict, (), Type.ANY),
    "get": Function(lambda one, key: (one or {}).get(key, ""), (_MAP, _S)),
    "set": Function(_set, (_MAP, _S, Type.ANY)),
    "unset": Function(_unset, (_MAP, _S)),
    "hasKey": Function(lambda one, key: key in (one or {}), (_MAP, _S)),
    "keys": Function(_keys, (), _MAP),
    "values": Function(lambda one: Unordered((one or {}).values()), (_MAP,)),
    "pick": Function(lambda one, *keys: {key: one[key] for key in keys if key in (one or {})}, (_MAP,), _S),
    "omit": Function(
        lambda one, *keys: {key: value for key, value in (one or {}).items() if key not in keys}, (_MAP,), _S
    ),
    "pluck": Function(lambda key, *maps: [one[key] for one in maps if key in (one or {})], (_S,), _MAP),
    "dig": Function(_dig, (), Type.ANY),
    "merge": _merged(overwrite=False),
    "mustMerge": _merged(overwrite=False),
    "mergeOverwrite": _merged(overwrite=True),
    "mustMergeOverwrite": _merged(overwrite=True),
    "deepCopy": Function(copied, (Type.ANY,)),
    "mustDeepCopy": Function(copied, (Type.ANY,)),
}
MUTATING: Final = frozenset(("set", "unset", "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite"))
"""They change a map that may belong to the parameters."""
