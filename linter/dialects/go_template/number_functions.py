"""Sprig's arithmetic: on 64-bit integers, whatever it is given."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from ...yaml.scalars import atoi
from .function_types import Function, Type
from .go_values import Int64, Value
from .template_errors import CannotEvaluate, TemplateError

_ANY: Final = Type.ANY
_ONE: Final = (_ANY,)
_TWO: Final = (_ANY, _ANY)


def _wrapped(number: int) -> Int64:
    """Go's integers go round."""
    return Int64((number + 2**63) % 2**64 - 2**63)


def to_int64(value: Value) -> int:
    """The number that a value stands for, 0 for what stands for none."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not abs(value) < 2**63:
            raise CannotEvaluate("a number that does not fit 64 bits")
        return int(value)
    if not isinstance(value, str):
        return 0
    digits = re.sub(r"\.0*$", "", value)
    if re.fullmatch(r"[+-]?0\d+", digits):
        raise CannotEvaluate("a number with leading zeros, which versions read differently")
    if re.fullmatch(r"[+-]?0[xXbBoO]\w+", digits):
        raise CannotEvaluate(f"the number {digits[:30]}")
    return atoi(digits) or 0


def _to_float(value: Value) -> float:
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", value) else 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def _folded(operation: Callable[[int, int], int]) -> Callable[..., Value]:
    def fold(*values: Value) -> Value:
        result = to_int64(values[0]) if values else 0
        for value in values[1:]:
            result = _wrapped(operation(result, to_int64(value)))
        return Int64(result)

    return fold


def _divide(first: int, second: int) -> int:
    """Towards zero, as Go does."""
    if second == 0:
        raise TemplateError("runtime error: integer divide by zero")
    quotient = abs(first) // abs(second)
    return quotient if (first < 0) == (second < 0) else -quotient


def _whole(rounding: Callable[[float], int]) -> Callable[[Value], Value]:
    def apply(value: Value) -> Value:
        number = _to_float(value)
        if not math.isfinite(number):
            raise CannotEvaluate("a number that is not finite")
        return float(rounding(number))

    return apply


def _round(value: Value, places: int, *at: float) -> float:
    if not -15 <= places <= 15:
        raise CannotEvaluate("a number of so many places")
    scale = math.pow(10, places)
    digit = scale * _to_float(value)
    if not math.isfinite(digit):
        raise CannotEvaluate("a number that is not finite")
    over = math.modf(digit)[0] >= (at[0] if at else 0.5)
    return (math.ceil(digit) if over else math.floor(digit)) / scale


FUNCTIONS: Final = {
    "add": Function(_folded(lambda first, second: first + second), (), _ANY),
    "add1": Function(lambda value: _wrapped(to_int64(value) + 1), _ONE),
    "sub": Function(_folded(lambda first, second: first - second), _TWO),
    "mul": Function(_folded(lambda first, second: first * second), _ONE, _ANY),
    "div": Function(_folded(_divide), _TWO),
    "mod": Function(_folded(lambda first, second: first - second * _divide(first, second)), _TWO),
    "max": Function(_folded(max), _ONE, _ANY),
    "biggest": Function(_folded(max), _ONE, _ANY),
    "min": Function(_folded(min), _ONE, _ANY),
    "floor": Function(_whole(math.floor), _ONE),
    "ceil": Function(_whole(math.ceil), _ONE),
    "round": Function(_round, (_ANY, Type.INT), Type.FLOAT),
    "int": Function(to_int64, _ONE),
    "int64": Function(lambda value: Int64(to_int64(value)), _ONE),
    "float64": Function(_to_float, _ONE),
    "atoi": Function(lambda text: atoi(text) or 0, (Type.STRING,)),
}
