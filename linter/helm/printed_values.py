"""How a template prints a value, and what YAML makes of that."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from ..yaml.scalars import resolve

_LONGEST: Final = 60
_LARGEST: Final = 1e300
LARGE: Final = 1_000_000
"""From here on Go prints floating point numbers with an exponent, and numbers of values files are such."""


def printed(value: Any, *, is_typed: bool = False) -> str:
    """What ``{{ .Values.x }}`` prints; empty for what is no simple value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if abs(value) > _LARGEST or not isfinite(value):
            return ""
        return str(value) if is_typed else _float(float(value))
    if isinstance(value, str) and len(value) <= _LONGEST and value.isprintable():
        return value
    return ""


def _float(value: float) -> str:
    """As Go's %v: the shortest digits, with an exponent below 1e-4 and from 1e21 on for few digits only."""
    text = repr(value)
    if value == int(value) and abs(value) < LARGE:
        return str(int(value))
    if abs(value) < LARGE and (value == 0 or abs(value) >= 1e-4):
        return text
    digits, _, exponent = f"{value:.17e}".partition("e")
    short = repr(float(f"{value:.17g}"))
    mantissa = _mantissa(short)
    power = int(exponent)
    return f"{'-' if value < 0 else ''}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}" if digits else text


def _mantissa(text: str) -> str:
    """The digits that are needed, one of them before the point."""
    digits = text.lower().partition("e")[0].replace("-", "").replace(".", "").strip("0") or "0"
    return digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"


def type_of_printed(text: str) -> str:
    """What an unquoted text is to YAML, if it is no string; null is left out, since it is taken for nothing."""
    value = resolve(text)
    if isinstance(value, bool):
        return "a boolean"
    return "a number" if isinstance(value, (int, float)) else ""
