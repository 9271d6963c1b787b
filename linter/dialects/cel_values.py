"""The values of CEL: those of JSON as they are, and its own; how they are compared, and when nobody can tell.

What the caller gives are plain values. A schema may have made a time of a text
before CEL sees it, and here it is still a text: so where types do not fit, the
answer is that nobody can tell, never that it is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from .go_regexp_program import NotJudged

LEAST: Final = -(2**63)
MOST: Final = 2**63 - 1


class BadExpression(ValueError):
    """It is no CEL: the API server refuses it, too."""


class Failed(Exception):
    """Evaluation ends with an error, in Kubernetes as here: a field that is not there, a division by zero."""


class TooMuch(NotJudged):
    """The budget is used up; nothing that comes after can make an answer of it."""


class Uint(int):
    """A number written with a `u`."""

    __slots__ = ()


@dataclass(frozen=True, order=True)
class Timestamp:
    nanoseconds: int
    """Since 1970."""


@dataclass(frozen=True, order=True)
class Duration:
    nanoseconds: int


@dataclass(frozen=True)
class Optional:
    value: Any = None
    present: bool = False


@dataclass(frozen=True)
class TypeName:
    name: str


class Unsaid:
    """A value that is there, but what it is nobody can tell here."""


Function = Callable[..., Any]
"""Called with the budget first, then what stands before the dot, then the arguments."""
Spend = Callable[[int], None]


def wrong_types(what: str) -> NotJudged:
    return NotJudged(f"{what} of values that do not fit together")


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def type_name(value: Any) -> str:
    """The CEL type; of what is Kubernetes' own the class is enough."""
    for known, name in _TYPES:
        if isinstance(value, known):
            return name
    return "null_type" if value is None else type(value).__name__


_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "bool"),
    (Uint, "uint"),
    (int, "int"),
    (float, "double"),
    (str, "string"),
    (bytes, "bytes"),
    (list, "list"),
    (dict, "map"),
    (Timestamp, "google.protobuf.Timestamp"),
    (Duration, "google.protobuf.Duration"),
    (Optional, "optional_type"),
    (TypeName, "type"),
)
_MAYBE_TEXTS: Final = (Timestamp, Duration, bytes)
"""What a schema makes of a text: beside a text nobody knows whether that one would have been one, too."""


def equal(left: Any, right: Any, spend: Spend) -> bool:
    """CEL's `==`: numbers by their value, other types never equal to each other."""
    spend(1)
    if isinstance(left, Unsaid) or isinstance(right, Unsaid):
        raise NotJudged("a value that is not known here")
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(equal(a, b, spend) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(key in right and equal(left[key], right[key], spend) for key in left)
    if isinstance(left, Optional) and isinstance(right, Optional):
        return left.present is right.present and (not left.present or equal(left.value, right.value, spend))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, _MAYBE_TEXTS) and isinstance(other, str):
            raise wrong_types("equality")
    if isinstance(left, str) and isinstance(right, str):
        spend(min(len(left), len(right)) // 100)
    return type(left) is type(right) and bool(left == right)


def compare(left: Any, right: Any, spend: Spend) -> int:
    """-1, 0 or 1. Raises where there is no order."""
    fits = (is_number(left) and is_number(right)) or (
        type(left) is type(right) and isinstance(left, (bool, str, bytes, Timestamp, Duration))
    )
    if not fits:
        raise wrong_types("an order")
    if any(isinstance(one, float) and math.isnan(one) for one in (left, right)):
        raise NotJudged("an order of what is no number")
    if isinstance(left, (str, bytes)):
        spend(len(left) // 100)
    return int(left > right) - int(left < right)


def whole(number: int, kind: type = int) -> int:
    """A result of counting, which has 64 bits."""
    if kind is Uint:
        if not 0 <= number < 2**64:
            raise Failed("unsigned integer overflow")
        return Uint(number)
    if not LEAST <= number <= MOST:
        raise Failed("integer overflow")
    return number


def only(value: Any, *kinds: type) -> None:
    """Nothing but these; a boolean is no number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise wrong_types("a function")


def need_text(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong_types("a function")
    return value


def need(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise wrong_types("a function")
    return value


def succeeds(make: Function) -> Function:
    """Whether making one of it succeeds."""

    def ask(spend: Spend, *arguments: Any) -> bool:
        try:
            make(spend, *arguments)
        except Failed:
            return False
        return True

    return ask
