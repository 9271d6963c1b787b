"""CEL's own functions: those of the language, and of the extensions for texts, lists, sets and optionals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from .cel_values import (
    LEAST,
    MOST,
    Duration,
    Failed,
    Optional,
    Spend,
    Timestamp,
    TypeName,
    Uint,
    compare,
    equal,
    is_number,
    type_name,
    whole,
    wrong_types,
)
from .durations import nanoseconds
from .go_regexp import BadPattern, NotJudged, Regexp

Function = Callable[..., Any]
"""Called with the budget first, then what stands before the dot, then the arguments."""

_DAY: Final = re.compile(r"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,30}")
_FLOAT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")
_FALSE: Final = ("0", "f", "F", "false", "FALSE", "False")
_OFFSET: Final = re.compile(r"([+-]?)(\d\d):(\d\d)")
_DIRECTIVE: Final = re.compile(r"%(?:%|(?:\.(\d{1,2}))?([a-zA-Z]))")


def _only(value: Any, *kinds: type) -> None:
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise wrong_types("a function")


# -- operators


def plus(spend: Spend, left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return _counted(left, right, left + right)
    if isinstance(left, str) and isinstance(right, str):
        spend((len(left) + len(right)) // 10)
        return left + right
    if isinstance(left, bytes) and isinstance(right, bytes):
        spend((len(left) + len(right)) // 10)
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        spend(len(left) + len(right))
        return left + right
    if isinstance(left, Duration) and isinstance(right, Duration):
        return Duration(whole(left.nanoseconds + right.nanoseconds))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Timestamp) and isinstance(other, Duration):
            return Timestamp(one.nanoseconds + other.nanoseconds)
    raise wrong_types("a sum")


def minus(spend: Spend, left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return _counted(left, right, left - right)
    if isinstance(left, Timestamp) and isinstance(right, Timestamp):
        return Duration(whole(left.nanoseconds - right.nanoseconds))
    if isinstance(right, Duration) and isinstance(left, (Timestamp, Duration)):
        return type(left)(left.nanoseconds - right.nanoseconds)
    raise wrong_types("a difference")


def times(spend: Spend, left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return _counted(left, right, left * right)
    raise wrong_types("a product")


def divided(spend: Spend, left: Any, right: Any) -> Any:
    if isinstance(left, float) and isinstance(right, float):
        if right == 0:
            return (
                math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
            )
        return left / right
    if not (is_number(left) and is_number(right)):
        raise wrong_types("a division")
    if right == 0 and not isinstance(right, float):
        raise Failed("division by zero")
    quotient = abs(left) // abs(right) if not isinstance(left, float) and not isinstance(right, float) else 0
    return _counted(left, right, quotient if (left < 0) is (right < 0) else -quotient)


def modulo(spend: Spend, left: Any, right: Any) -> Any:
    if not (is_number(left) and is_number(right)) or isinstance(left, float) or isinstance(right, float):
        raise wrong_types("a remainder")
    if right == 0:
        raise Failed("modulus by zero")
    rest = abs(left) % abs(right)
    return _counted(left, right, -rest if left < 0 else rest)


def _counted(left: Any, right: Any, result: Any) -> Any:
    """Only numbers of one type are counted with; the checker refuses the others, if it knows them."""
    kinds = {type_name(left), type_name(right)}
    if len(kinds) > 1:
        raise wrong_types("counting")
    return result if kinds == {"double"} else whole(result, Uint if kinds == {"uint"} else int)


def negative(spend: Spend, value: Any) -> Any:
    if isinstance(value, float):
        return -value
    if is_number(value) and not isinstance(value, Uint):
        return whole(-value)
    raise wrong_types("a minus")


def negation(spend: Spend, value: Any) -> Any:
    if not isinstance(value, bool):
        raise wrong_types("a not")
    return not value


def contained(spend: Spend, item: Any, within: Any) -> bool:
    if isinstance(within, list):
        return any(equal(item, one, spend) for one in within)
    if isinstance(within, dict):
        if isinstance(item, bool) or not isinstance(item, (str, int, float)):
            raise wrong_types("in")
        return item in within
    raise wrong_types("in")


# -- conversions


def size(spend: Spend, value: Any) -> int:
    _only(value, str, bytes, list, dict)
    return len(value)


def as_int(spend: Spend, value: Any) -> int:
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value):
            raise Failed("the text is no whole number")
        return whole(int(value))
    if isinstance(value, Timestamp):
        return value.nanoseconds // 10**9
    if isinstance(value, float):
        if not math.isfinite(value) or not LEAST < value < MOST:
            raise Failed("integer overflow")
        return int(value)
    _only(value, int)
    return whole(int(value))


def as_uint(spend: Spend, value: Any) -> int:
    if isinstance(value, str) and value.startswith("+"):
        raise Failed("the text is no whole number")
    if isinstance(value, float) and (not math.isfinite(value) or value < 0):
        raise Failed("unsigned integer overflow")
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value):
            raise Failed("the text is no whole number")
        return whole(int(value), Uint)
    _only(value, int, float)
    return whole(int(value), Uint)


def as_double(spend: Spend, value: Any) -> float:
    if isinstance(value, str):
        if not _FLOAT.fullmatch(value):
            raise NotJudged("a number that is written in another way")
        return float(value)
    _only(value, int, float)
    return float(value)


def as_string(spend: Spend, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise Failed("the bytes are no text") from None
    if isinstance(value, Duration) and value.nanoseconds % 10**9 == 0:
        return f"{value.nanoseconds // 10**9}s"
    if isinstance(value, Timestamp) and value.nanoseconds % 10**9 == 0:
        return f"{_moment(value).isoformat(timespec='seconds')}Z"
    raise wrong_types("string()")


def go_float(value: float) -> str:
    """As Go writes a double at its shortest."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("+Inf" if value > 0 else "-Inf")
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) + int(exponent) - 1
    written = "".join(map(str, digits))
    if power < -4 or power >= 6:
        tail = f".{written[1:]}" if len(written) > 1 else ""
        return f"{'-' * sign}{written[0]}{tail}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return f"{Decimal(repr(value)).normalize():f}"


def as_bool(spend: Spend, value: Any) -> bool:
    if isinstance(value, str):
        if value in _TRUE or value in _FALSE:
            return value in _TRUE
        raise Failed("the text is neither true nor false")
    _only(value, bool)
    return bool(value)


def as_bytes(spend: Spend, value: Any) -> bytes:
    _only(value, str, bytes)
    return value.encode() if isinstance(value, str) else bytes(value)


def as_duration(spend: Spend, value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    _only(value, str)
    found = nanoseconds(value)
    if found is None:
        raise Failed("the text is no duration")
    return Duration(found)


def as_timestamp(spend: Spend, value: Any) -> Timestamp:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Timestamp(value * 10**9)
    _only(value, str)
    match = _DAY.fullmatch(value)
    if match is None:
        raise Failed("the text is no time")
    try:
        moment = datetime.fromisoformat(match[1].upper())
    except ValueError:
        raise Failed("the text is no time") from None
    offset = (int(match[4]) * 60 + int(match[5])) * (-1 if match[3] == "-" else 1) if match[3] else 0
    seconds = (moment - _EPOCH) // timedelta(seconds=1) - 60 * offset
    return Timestamp(seconds * 10**9 + int((match[2] or "").ljust(9, "0")))


def _moment(value: Timestamp, zone: str = "UTC") -> datetime:
    match = _OFFSET.fullmatch(zone)
    if match is None and zone not in ("UTC", "Z", ""):
        raise NotJudged("a time zone by name")
    try:
        moment = _EPOCH + timedelta(seconds=value.nanoseconds // 10**9)
        if match:
            moment += timedelta(hours=int(match[2]), minutes=int(match[3])) * (-1 if match[1] == "-" else 1)
    except OverflowError:
        raise NotJudged("a time that is too far away") from None
    return moment


def _part(of_time: Callable[[datetime], int], of_duration: int = 0) -> Function:
    """A part of a time; of a duration, how many of these units are in the whole of it."""

    def part(spend: Spend, value: Any, zone: str = "UTC") -> int:
        if isinstance(value, Duration) and of_duration:
            count = abs(value.nanoseconds) // of_duration
            return -count if value.nanoseconds < 0 else count
        _only(value, Timestamp)
        _only(zone, str)
        return of_time(_moment(value, zone))

    return part


def _milliseconds(spend: Spend, value: Any, zone: str = "UTC") -> int:
    _only(value, Timestamp, Duration)
    return int(value.nanoseconds // 10**6 % 1000)


# -- texts


def matches(spend: Spend, text: Any, pattern: Any) -> bool:
    regexp = regular(spend, text, pattern)
    found = regexp.is_in(text)
    spend(len(regexp.program.code) * (len(text) + 1) // 20)
    return found


def regular(spend: Spend, text: Any, pattern: Any) -> Regexp:
    _only(text, str)
    _only(pattern, str)
    spend(len(pattern))
    try:
        return Regexp(pattern, spend)
    except BadPattern as error:
        raise Failed(f"error parsing regexp: {error}") from None


def _text(method: Callable[[str, str], bool]) -> Function:
    def ask(spend: Spend, text: Any, other: Any) -> bool:
        _only(text, str)
        _only(other, str)
        spend((len(text) + len(other)) // 100)
        return method(text, other)

    return ask


def char_at(spend: Spend, text: Any, at: Any) -> str:
    _only(text, str)
    _only(at, int)
    if not 0 <= at <= len(text):
        raise Failed("index out of range")
    return str(text[at : at + 1])


def index_of(spend: Spend, value: Any, item: Any, offset: Any = 0) -> int:
    if isinstance(value, list):
        return next((at for at, one in enumerate(value) if equal(one, item, spend)), -1)
    _only(value, str)
    _only(item, str)
    _only(offset, int)
    if item == "":
        return int(offset)
    if offset < 0:
        raise Failed("index out of range")
    spend(len(value) // 10)
    return int(value.find(item, offset))


def last_index_of(spend: Spend, value: Any, item: Any, *offset: Any) -> int:
    if isinstance(value, list) and not offset:
        return next((at for at in range(len(value) - 1, -1, -1) if equal(value[at], item, spend)), -1)
    _only(value, str)
    _only(item, str)
    if offset:
        raise NotJudged("lastIndexOf() with an offset")
    spend(len(value) // 10)
    return int(value.rfind(item))


def joined(spend: Spend, items: Any, between: Any = "") -> str:
    _only(items, list)
    _only(between, str)
    for item in items:
        _only(item, str)
        spend(1 + (len(item) + len(between)) // 10)
    return str(between.join(items))


def split(spend: Spend, text: Any, between: Any, most: Any = -1) -> list[str]:
    _only(text, str)
    _only(between, str)
    _only(most, int)
    spend(len(text))
    if most == 0:
        return []
    if between == "":
        pieces = list(text)
        return pieces if most < 0 or len(pieces) <= most else [*pieces[: most - 1], "".join(pieces[most - 1 :])]
    return list(text.split(between, most - 1 if most > 0 else -1))


def replaced(spend: Spend, text: Any, old: Any, new: Any, most: Any = -1) -> str:
    for one in (text, old, new):
        _only(one, str)
    _only(most, int)
    count = text.count(old)
    spend((len(text) + count * len(new)) // 10)
    return str(text.replace(old, new, most if most >= 0 else -1))


def substring(spend: Spend, text: Any, start: Any, end: Any = None) -> str:
    _only(text, str)
    _only(start, int)
    end = len(text) if end is None else end
    _only(end, int)
    if not 0 <= start <= end <= len(text):
        raise Failed("index out of range")
    spend(len(text) // 100)
    return str(text[start:end])


def _ascii(change: Callable[[str], str]) -> Function:
    def changed(spend: Spend, text: Any) -> str:
        _only(text, str)
        spend(len(text))
        return "".join(change(one) if one.isascii() else one for one in text)

    return changed


_SPACE: Final = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def trimmed(spend: Spend, text: Any) -> str:
    _only(text, str)
    spend(len(text) // 100)
    return str(text.strip(_SPACE))


def formatted(spend: Spend, text: Any, values: Any) -> str:
    _only(text, str)
    _only(values, list)
    left = list(values)

    def one(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if not left:
            raise Failed("too few values to format")
        value = left.pop(0)
        if match[2] == "s" and match[1] is None and isinstance(value, (str, bool, int)):
            written = as_string(spend, value)
        elif match[2] == "d" and match[1] is None and is_number(value) and not isinstance(value, float):
            written = str(int(value))
        elif match[2] == "f" and is_number(value):
            written = f"{float(value):.{match[1] or 6}f}"
        else:
            raise NotJudged("a value written in a form that is not known here")
        spend(1 + len(written) // 10)
        return written

    spend(len(text) // 10)
    return _DIRECTIVE.sub(one, text)


# -- lists and sets


def _each_compared(spend: Spend, items: Any) -> list[Any]:
    _only(items, list)
    spend(len(items))
    for one, next_one in pairwise(items):
        compare(one, next_one, spend)
    return list(items)


def is_sorted(spend: Spend, items: Any) -> bool:
    found = _each_compared(spend, items)
    return all(compare(one, next_one, spend) <= 0 for one, next_one in pairwise(found))


def least(spend: Spend, items: Any) -> Any:
    return _extreme(spend, items, -1)


def most(spend: Spend, items: Any) -> Any:
    return _extreme(spend, items, 1)


def _extreme(spend: Spend, items: Any, side: int) -> Any:
    found = _each_compared(spend, items)
    if not found:
        raise Failed("the list is empty")
    best = found[0]
    for one in found[1:]:
        best = one if compare(one, best, spend) == side else best
    return best


def total(spend: Spend, items: Any) -> Any:
    _only(items, list)
    if not items:
        return 0
    result = items[0]
    if not is_number(result) and not isinstance(result, Duration):
        raise wrong_types("a sum")
    for one in items[1:]:
        spend(1)
        result = plus(spend, result, one)
    return result


def sliced(spend: Spend, items: Any, start: Any, end: Any) -> list[Any]:
    _only(items, list)
    _only(start, int)
    _only(end, int)
    if not 0 <= start <= end <= len(items):
        raise Failed("index out of range")
    spend(end - start)
    return list(items[start:end])


def flattened(spend: Spend, items: Any, depth: Any = 1) -> list[Any]:
    _only(items, list)
    _only(depth, int)
    if depth < 0:
        raise Failed("level must be non-negative")
    spend(len(items))
    found: list[Any] = []
    for one in items:
        found += flattened(spend, one, depth - 1) if isinstance(one, list) and depth > 0 else [one]
    return found


def sort(spend: Spend, items: Any) -> list[Any]:
    return sort_by(spend, items, items)


def sort_by(spend: Spend, items: Any, keys: Any) -> list[Any]:
    """The items in the order of their keys."""
    from functools import cmp_to_key

    _only(items, list)
    _each_compared(spend, keys)
    order = sorted(range(len(items)), key=cmp_to_key(lambda a, b: compare(keys[a], keys[b], spend)))
    return [items[at] for at in order]


def distinct(spend: Spend, items: Any) -> list[Any]:
    _only(items, list)
    found: list[Any] = []
    for one in items:
        if not any(equal(one, other, spend) for other in found):
            found.append(one)
    return found


def reverse(spend: Spend, items: Any) -> list[Any]:
    _only(items, list)
    spend(len(items))
    return list(items[::-1])


def numbers_to(spend: Spend, end: Any) -> list[int]:
    _only(end, int)
    spend(max(0, end))
    return list(range(end))


def first(spend: Spend, items: Any) -> Optional:
    _only(items, list)
    return Optional(items[0], True) if items else Optional()


def last(spend: Spend, items: Any) -> Optional:
    _only(items, list)
    return Optional(items[-1], True) if items else Optional()


def contains_all(spend: Spend, items: Any, others: Any) -> bool:
    _only(items, list)
    _only(others, list)
    return all(contained(spend, one, items) for one in others)


def same_set(spend: Spend, items: Any, others: Any) -> bool:
    return contains_all(spend, items, others) and contains_all(spend, others, items)


def intersect(spend: Spend, items: Any, others: Any) -> bool:
    _only(items, list)
    _only(others, list)
    return any(contained(spend, one, items) for one in others)


# -- optionals


def some(spend: Spend, value: Any) -> Optional:
    return Optional(value, True)


def some_if_not_zero(spend: Spend, value: Any) -> Optional:
    if isinstance(value, (Timestamp, Optional, TypeName)):
        raise wrong_types("optional.ofNonZeroValue()")
    empty = value is None or value == Duration(0) or (not isinstance(value, Duration) and not value)
    return Optional() if empty else Optional(value, True)


def has_value(spend: Spend, value: Any) -> bool:
    _only(value, Optional)
    return bool(value.present)


def value_of(spend: Spend, value: Any) -> Any:
    _only(value, Optional)
    if not value.present:
        raise Failed("optional.none() dereference")
    return value.value


def unwrapped(spend: Spend, items: Any) -> list[Any]:
    _only(items, list)
    spend(len(items))
    for one in items:
        _only(one, Optional)
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
    "contains": _text(lambda text, other: other in text),
    "startsWith": _text(str.startswith),
    "endsWith": _text(str.endswith),
    "charAt": char_at,
    "indexOf": index_of,
    "lastIndexOf": last_index_of,
    "join": joined,
    "split": split,
    "replace": replaced,
    "substring": substring,
    "lowerAscii": _ascii(str.lower),
    "upperAscii": _ascii(str.upper),
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
    "getFullYear": _part(lambda moment: moment.year),
    "getMonth": _part(lambda moment: moment.month - 1),
    "getDate": _part(lambda moment: moment.day),
    "getDayOfMonth": _part(lambda moment: moment.day - 1),
    "getDayOfWeek": _part(lambda moment: moment.isoweekday() % 7),
    "getDayOfYear": _part(lambda moment: moment.timetuple().tm_yday - 1),
    "getHours": _part(lambda moment: moment.hour, 3600 * 10**9),
    "getMinutes": _part(lambda moment: moment.minute, 60 * 10**9),
    "getSeconds": _part(lambda moment: moment.second, 10**9),
    "getMilliseconds": _milliseconds,
}
"""Of what stands before the dot."""
