"""Which scalars the API server can read into a field of a type, and how people name the types."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ...facts.regexes import regex
from .shapes import Kind

_QUANTITY: Final = regex(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?\s*", re.ASCII)
_DECIMAL: Final = regex(r"0|-?[1-9]\d{0,18}", re.ASCII)
_RANGES: Final = {Kind.INT32: range(-(2**31), 2**31), Kind.INT64: range(-(2**63), 2**63)}
_EXPECTED: Final = {
    Kind.STRUCT: "a mapping",
    Kind.OBJECT: "a mapping",
    Kind.MAP: "a mapping",
    Kind.LIST: "a list",
    Kind.STRING: "a string",
    Kind.BOOL: "true or false",
    Kind.INT32: "a whole number",
    Kind.INT64: "a whole number",
    Kind.NUMBER: "a number",
    Kind.QUANTITY: "a quantity (like 500m or 2Gi)",
    Kind.INT_OR_STRING: "a whole number or a string",
}
_FOUND: Final = {bool: "the boolean", int: "the number", float: "the number", str: "the string"}
_LONGEST_SHOWN: Final = 40


def complaint(token: str, value: Any, kind: Kind) -> str:
    """``must be a string, not the number 8080``; the token is what the file has, empty for no scalar."""
    if kind in _RANGES and isinstance(value, int | float) and float(value).is_integer() and not isinstance(value, bool):
        return f"must fit into {64 if kind is Kind.INT64 else 32} bits, unlike {token}"
    return f"must be {_EXPECTED.get(kind, 'something else')}, not {_found(token, value)}"


def _found(token: str, value: Any) -> str:
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    shown = token if len(token) <= _LONGEST_SHOWN else f"{token[:_LONGEST_SHOWN]}…"
    return f"{_FOUND[type(value)]} {json.dumps(shown, ensure_ascii=False) if isinstance(value, str) else shown}"


def is_quantity(text: str) -> bool:
    return _QUANTITY.fullmatch(text) is not None


def fits(value: Any, kind: Kind) -> bool:
    """Whether the API server reads a scalar into such a field; no value at all it reads into every field."""
    if value is None or kind is Kind.ANY:
        return True
    if kind is Kind.STRING:
        return isinstance(value, str)
    if kind is Kind.BOOL:
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind is Kind.QUANTITY:
        return not isinstance(value, str) or is_quantity(value)
    if kind is Kind.NUMBER:
        return not isinstance(value, str)
    if isinstance(value, str):
        return kind is Kind.INT_OR_STRING
    # 1.0 and 1e3 are whole numbers by the time they are JSON.
    return float(value).is_integer() and int(value) in _RANGES.get(kind, _RANGES[Kind.INT32])


def corrected(token: str, value: Any, kind: Kind) -> str | int | bool | None:
    """The same token as a value of the kind: 0644 becomes "0644", never "420"; None where it takes a guess."""
    if kind is Kind.STRING:
        return token if not isinstance(value, str) else None
    if not isinstance(value, str):
        return None
    if kind is Kind.BOOL:
        return {"true": True, "false": False}.get(token)
    if kind in _RANGES and _DECIMAL.fullmatch(token) and fits(int(token), kind):
        return int(token)
    return None
