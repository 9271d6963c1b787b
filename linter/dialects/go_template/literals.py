"""Numbers, strings and characters as Go writes them."""

from __future__ import annotations

import re
from typing import Final

from ...facts.regexes import regex
from .lexer import Kind, Token, fail
from .template_errors import CannotEvaluate

_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_ESCAPE: Final = regex(
    r"\\(?:x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<octal>[0-7]{3})|(?P<one>.))",
    re.DOTALL,
)


def string(text: str, token: Token) -> str:
    inner = token.text[1:-1]
    return inner.replace("\r", "") if token.kind is Kind.RAW_STRING else _unescape(text, token, inner, "'")


def character(text: str, token: Token) -> int:
    inner = _unescape(text, token, token.text[1:-1], '"')
    if len(inner) != 1:
        raise fail(text, token.at, f"malformed character constant: {token.text}")
    return ord(inner)


def _unescape(text: str, token: Token, inner: str, not_escaped: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match["one"]:
            if match["one"] == not_escaped or match["one"] not in _ESCAPES:
                raise fail(text, token.at, "invalid syntax")
            return _ESCAPES[match["one"]]
        code = int(match["octal"], 8) if match["octal"] else int(match["x"] or match["u"] or match["U"], 16)
        if not match["u"] and not match["U"] and code > 127:
            raise CannotEvaluate("a string that is spelled in bytes")
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise fail(text, token.at, "invalid syntax")
        return chr(code)

    return _ESCAPE.sub(replace, inner)


def number(text: str, token: Token) -> int | float:
    """An int where the spelling is one; a float in an int's place is the caller's affair."""
    digits = token.text.replace("_", "")
    value: int | float
    try:
        if re.fullmatch(r"[+-]?0[0-7]+", digits):
            value = int(digits, 8)
        elif re.search(r"[.eE]", digits) and not re.match(r"[+-]?0[xX]", digits):
            return float(digits)
        else:
            value = int(digits, 0)
    except ValueError:
        raise fail(text, token.at, f'bad number syntax: "{token.text}"') from None
    if not -(2**63) <= value < 2**63:
        raise CannotEvaluate(f"the number {token.text[:30]}, which does not fit")
    return value
