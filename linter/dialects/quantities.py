"""Quantities as Kubernetes compares them: 1Gi is 1024Mi, 0.5 is 500m. Too little to load Kubernetes' client for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..facts.regexes import regex

if TYPE_CHECKING:
    from fractions import Fraction

_QUANTITY: Final = regex(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?[0-9]{1,2}))?")
_LONGEST: Final = 60
"""More digits than the API server keeps; what is longer is taken for a text."""
_POWERS: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def amount(value: Any) -> Fraction | None:
    """The number that a quantity stands for; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = str(value)
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    from fractions import Fraction  # only where quantities are compared

    number, suffix, exponent = match.groups()
    if suffix in _BINARY:
        return Fraction(number) * Fraction(1024) ** (_BINARY.index(suffix) + 1)
    return Fraction(number) * Fraction(10) ** (int(exponent) if exponent else _POWERS[suffix or ""])
