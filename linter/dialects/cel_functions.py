"""CEL's own functions by their names: of the language, and of its extensions for texts, lists, sets and optionals."""

from __future__ import annotations

from typing import Any, Final

from .cel_conversions import (
    as_bool,
    as_bytes,
    as_double,
    as_duration,
    as_int,
    as_string,
    as_timestamp,
    as_uint,
    milliseconds,
    part_of_time,
    size,
)
from .cel_lists import (
    contains_all,
    distinct,
    first,
    flattened,
    intersect,
    is_sorted,
    last,
    least,
    most,
    numbers_to,
    reverse,
    same_set,
    sliced,
    sort,
    total,
)
from .cel_operators import contained, divided, minus, modulo, negation, negative, plus, times
from .cel_texts import (
    ascii_only,
    char_at,
    formatted,
    index_of,
    joined,
    last_index_of,
    matches,
    on_texts,
    replaced,
    split,
    substring,
    trimmed,
)
from .cel_values import (
    Duration,
    Failed,
    Function,
    Optional,
    Spend,
    Timestamp,
    TypeName,
    compare,
    equal,
    only,
    type_name,
    wrong_types,
)

# -- optionals


def some(spend: Spend, value: Any) -> Optional:
    return Optional(value, True)


def some_if_not_zero(spend: Spend, value: Any) -> Optional:
    if isinstance(value, (Timestamp, Optional, TypeName)):
        raise wrong_types("optional.ofNonZeroValue()")
    empty = value is None or value == Duration(0) or (not isinstance(value, Duration) and not value)
    return Optional() if empty else Optional(value, True)


def has_value(spend: Spend, value: Any) -> bool:
    only(value, Optional)
    return bool(value.present)


def value_of(spend: Spend, value: Any) -> Any:
    only(value, Optional)
    if not value.present:
        raise Failed("optional.none() dereference")
    return value.value


def unwrapped(spend: Spend, items: Any) -> list[Any]:
    only(items, list)
    spend(len(items))
    for one in items:
        only(one, Optional)
    return [one.value for one in items if one.present]


def type_of(spend: Spend, value: Any) -> TypeName:
    return TypeName("type" if isinstance(value, TypeName) else type_name(value))


TYPES: Final = {
    name: TypeName(name)
    for name in ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")
}
"""Names that stand for a type."""

FUNCTIONS: Final[dict[str, Function]] = {
    "+": plus,
    "-": minus,
    "*": times,
    "/": divided,
    "%": modulo,
    "in": contained,
    "==": lambda spend, left, right: equal(left, right, spend),
    "!=": lambda spend, left, right: not equal(left, right, spend),
    "<": lambda spend, left, right: compare(left, right, spend) < 0,
    "<=": lambda spend, left, right: compare(left, right, spend) <= 0,
    ">": lambda spend, left, right: compare(left, right, spend) > 0,
    ">=": lambda spend, left, right: compare(left, right, spend) >= 0,
    "not": negation,
    "negative": negative,
    "size": size,
    "int": as_int,
    "uint": as_uint,
    "double": as_double,
    "string": as_string,
    "bool": as_bool,
    "bytes": as_bytes,
    "duration": as_duration,
    "timestamp": as_timestamp,
    "dyn": lambda spend, value: value,
    "type": type_of,
    "matches": matches,
    "optional.of": some,
    "optional.none": lambda spend: Optional(),
    "optional.ofNonZeroValue": some_if_not_zero,
    "optional.unwrap": unwrapped,
    "sets.contains": contains_all,
    "sets.equivalent": same_set,
    "sets.intersects": intersect,
    "lists.range": numbers_to,
}
"""Without anything before a dot."""

METHODS: Final[dict[str, Function]] = {
    "size": size,
    "matches": matches,
    "contains": on_texts(lambda text, other: other in text),
    "startsWith": on_texts(str.startswith),
    "endsWith": on_texts(str.endswith),
    "charAt": char_at,
    "indexOf": index_of,
    "lastIndexOf": last_index_of,
    "join": joined,
    "split": split,
    "replace": replaced,
    "substring": substring,
    "lowerAscii": ascii_only(str.lower),
    "upperAscii": ascii_only(str.upper),
    "trim": trimmed,
    "format": formatted,
    "isSorted": is_sorted,
    "sum": total,
    "min": least,
    "max": most,
    "slice": sliced,
    "flatten": flattened,
    "sort": sort,
    "distinct": distinct,
    "reverse": reverse,
    "first": first,
    "last": last,
    "hasValue": has_value,
    "value": value_of,
    "unwrapOpt": unwrapped,
    "getFullYear": part_of_time(lambda moment: moment.year),
    "getMonth": part_of_time(lambda moment: moment.month - 1),
    "getDate": part_of_time(lambda moment: moment.day),
    "getDayOfMonth": part_of_time(lambda moment: moment.day - 1),
    "getDayOfWeek": part_of_time(lambda moment: moment.isoweekday() % 7),
    "getDayOfYear": part_of_time(lambda moment: moment.timetuple().tm_yday - 1),
    "getHours": part_of_time(lambda moment: moment.hour, 3600 * 10**9),
    "getMinutes": part_of_time(lambda moment: moment.minute, 60 * 10**9),
    "getSeconds": part_of_time(lambda moment: moment.second, 10**9),
    "getMilliseconds": milliseconds,
}
"""Of what stands before the dot."""
