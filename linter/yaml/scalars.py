"""Plain scalars as Kubernetes reads them.

Kubernetes and Argo CD decode YAML with go-yaml v2 and turn the result into
JSON. Its table of implicit types is neither PyYAML's nor ruamel's: ``y`` and
``on`` are booleans, ``0644`` is 420, ``08`` is the float 8, ``12:30`` and
``2024-01-01`` stay strings.
"""

import math
import re
from typing import Final

from ..facts.regexes import regex

Scalar = str | int | float | bool | None

UNKNOWN: Final = "\ue000"
"""What a template prints and nobody knows. For private use, so in no text by accident; every YAML parser takes it
for a letter."""
NULLS: Final = ("", "~", "null", "Null", "NULL")
WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"), False),
    **dict.fromkeys(NULLS, None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
NUMBER_STARTS: Final = frozenset("+-.0123456789")
_INTEGER: Final = regex(
    r"[+-]?(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|0[oO]?(?P<oct>[0-7]+)|(?P<dec>0|[1-9][0-9]*))"
)
_FLOAT: Final = regex(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASES: Final = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
_INT64: Final = range(-(2**63), 2**64)
_LONGEST_INTEGER: Final = 80  # 64 bits, sign, prefix and some leading zeros


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar."""
    if text in WORDS:
        return WORDS[text]
    return _number(text) if text[0] in NUMBER_STARTS else text


def _number(text: str) -> Scalar:
    # A leading dot is the one place where go-yaml does not drop underscores.
    plain = text if text[0] == "." else text.replace("_", "")
    integer = _INTEGER.fullmatch(plain) if len(plain) <= _LONGEST_INTEGER else None
    if integer and integer.lastgroup:
        value = int(integer[integer.lastgroup], _BASES[integer.lastgroup])
        value = -value if plain[0] == "-" else value
        if value in _INT64:
            return value
    if _FLOAT.fullmatch(plain) and math.isfinite(number := float(plain)):
        return number
    return text


def as_key(value: Scalar) -> str:
    """A key of another type becomes a string on the way to JSON."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def atoi(text: str) -> int | None:
    """Go's strconv.Atoi: an optional sign and ASCII digits in 64 bits, nothing else."""
    if not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII):
        return None
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > 19:  # more than 64 bits, and Python refuses to convert very long ones
        return None
    value = int(text[0] + (digits or "0")) if text[0] in "+-" else int(digits or "0")
    return value if -(2**63) <= value < 2**63 else None
