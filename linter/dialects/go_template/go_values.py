"""Values as Go has them: their types, their truth, and how they are printed.

Numbers that come from YAML or JSON are Go's float64, and so Python's float;
a Python int is a Go int that the template itself made.
"""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import Final

from .template_errors import CannotEvaluate

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


class Missing(Enum):
    """What a lookup of a key that is not there gives; other than an explicit null it may be looked into."""

    MISSING = "<no value>"


MISSING: Final = Missing.MISSING
Result = Value | Missing

NO_VALUE: Final = "<no value>"
MAX_ITEMS: Final = 20_000
MAX_DEPTH: Final = 60
MAX_TEXT: Final = 1_000_000


class Int64(int):
    """Where Go's int64 is meant: a function that wants an int refuses it."""


class StringList(list[Value]):
    """Go's []string."""


class IntList(list[Value]):
    """Go's []int."""


class StringMap(dict[str, Value]):
    """Go's map[string]string: no other map may stand where one is wanted, nor the other way round."""


class Unordered(list[Value]):
    """A list in the order of Go's maps, which is another one each time."""


class UnorderedStrings(StringList, Unordered):
    """The same, of strings."""


def type_name(value: Result) -> str:
    if value is None or value is MISSING:
        return "<nil>"
    for python, go in _TYPES:
        if isinstance(value, python):
            return go
    raise CannotEvaluate(f"a value of the type {type(value).__name__}")


_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "bool"),
    (Int64, "int64"),
    (int, "int"),
    (float, "float64"),
    (str, "string"),
    (StringList, "[]string"),
    (IntList, "[]int"),
    (list, "[]interface {}"),
    (StringMap, "map[string]string"),
    (dict, "map[string]interface {}"),
)


def kind_name(value: Result) -> str:
    name = type_name(value)
    if name == "<nil>":
        return "invalid"
    return "slice" if name.startswith("[]") else "map" if name.startswith("map") else name


def from_json(value: Value) -> Value:
    """A value of a YAML or JSON document, as Go decodes it into an interface{}; also a copy."""
    if isinstance(value, dict):
        return {str(key): from_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        if not -(2**1000) < value < 2**1000:
            raise CannotEvaluate("a number that does not fit")
        return float(value)
    return value


def is_true(value: Result) -> bool:
    return value is not MISSING and bool(value)


def size_of(value: Result) -> int:
    """How much there is to look at. Refuses what unfolds beyond measure: lists that hold lists many
    times over, maps that hold themselves."""
    if isinstance(value, str):
        return len(value) // 64
    if not isinstance(value, list | dict):
        return 0
    seen = text = 0
    stack: list[tuple[Value, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        seen += 1
        if isinstance(item, str):
            text += len(item)
        if seen > MAX_ITEMS or depth > MAX_DEPTH or text > MAX_TEXT:
            raise CannotEvaluate("a value that is too large")
        if isinstance(item, list):
            stack += ((inner, depth + 1) for inner in item)
        elif isinstance(item, dict):
            stack += ((inner, depth + 1) for inner in item.values())
    return seen + text // 64


def check_text(length: int) -> None:
    if length > MAX_TEXT:
        raise CannotEvaluate("a text of more than a million characters")


def check_order(value: Result) -> None:
    if isinstance(value, Unordered) and len(value) > 1:
        raise CannotEvaluate("the order of a map's keys, which Go does not fix")


def printed(value: Result) -> str:
    """What an action prints: Go's Fprint of one value."""
    if value is None or value is MISSING:
        return NO_VALUE
    if isinstance(value, str):
        return value
    check_order(value)
    return plain(value)


def plain(value: Value) -> str:
    """Go's %v."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return plain_float(value)
    if isinstance(value, list):
        return f"[{' '.join(map(plain, value))}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{plain(item)}' for key, item in sorted(value.items()))}]"
    return str(value)


def plain_float(number: float, most: int = 6) -> str:
    """Go's %g with the fewest digits: an exponent below -4 or from `most` on is written out."""
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "+Inf" if number > 0 else "-Inf"
    sign, digits, power = Decimal(repr(number)).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    exponent = len(text) + int(power) - 1
    text = text.rstrip("0") or "0"
    if text == "0":
        exponent = 0
    minus = "-" if sign else ""
    if exponent < -4 or exponent >= most:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        return f"{minus}{text[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{minus}0.{'0' * (-exponent - 1)}{text}"
    whole = text[: exponent + 1].ljust(exponent + 1, "0")
    return f"{minus}{whole}.{text[exponent + 1 :]}" if text[exponent + 1 :] else f"{minus}{whole}"
