"""CEL's operators on numbers, texts, lists, times and durations."""

from __future__ import annotations

import math
from typing import Any

from .cel_values import (
    Duration,
    Failed,
    Spend,
    Timestamp,
    Uint,
    equal,
    is_number,
    type_name,
    whole,
    wrong_types,
)


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
