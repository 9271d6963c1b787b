"""The tokens of a CEL expression: words, signs, numbers, and texts with their escapes."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from .cel_values import BadExpression
from .go_regexp_program import NotJudged

_SKIPPED: Final = regex(r"(?:[ \t\r\n\f]+|//[^\n]*)*")
_TOKEN: Final = regex(
    r"""
    (?P<TEXT>(?P<prefix>[rR]?[bB]?|[bB][rR])(?P<quote>\"\"\"|'''|"|')) # what follows is read by _text
  | (?P<FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<INTEGER>(?:0x[0-9a-fA-F]+|[0-9]+)[uU]?)
  | (?P<WORD>[_a-zA-Z][_a-zA-Z0-9]*)
  | (?P<SIGN>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])
    """,
    re.VERBOSE,
)
_ESCAPE: Final = regex(r"\\(?:[abfnrtv\\?\"'`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})")
_SIMPLE: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class Token(NamedTuple):
    kind: str
    value: Any
    at: int


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = _end_of(_SKIPPED, text, 0)
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadExpression(f"{text[at]!r} at character {at + 1} is not understood")
        kind, end = match.lastgroup or "", match.end()
        value: Any
        if match["TEXT"] is not None:
            kind = "VALUE"
            value, end = _text(text, end, match["prefix"].lower(), match["quote"])
        elif match["FLOAT"] is not None:
            kind, value = "VALUE", float(match["FLOAT"])
        elif match["INTEGER"] is not None:
            kind, value = "NUMBER", match["INTEGER"]
        else:
            value = match[0]
        found.append(Token(kind, value, at))
        at = _end_of(_SKIPPED, text, end)
    found.append(Token("END", "the end", len(text)))
    return found


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _text(text: str, start: int, prefix: str, quote: str) -> tuple[str | bytes, int]:
    """A quoted text from behind its quotes on, and where it ends."""
    at, raw = start, "r" in prefix
    pieces: list[str] = []
    as_bytes = "b" in prefix
    while not text.startswith(quote, at):
        if at >= len(text) or (len(quote) == 1 and text[at] in "\r\n"):
            raise BadExpression(f"the text at character {start} does not end")
        if raw or text[at] != "\\":
            pieces.append(text[at])
            at += 1
            continue
        escape = _ESCAPE.match(text, at)
        if escape is None:
            raise BadExpression(f"the escape at character {at + 1} is not known")
        pieces.append(_unescaped(escape[0][1:], as_bytes))
        at = escape.end()
    end = at + len(quote)
    whole = "".join(pieces)
    return (whole.encode() if as_bytes else whole), end


def _unescaped(code: str, as_bytes: bool) -> str:
    if code[0] in "xX":
        number = int(code[1:], 16)
    elif code[0] in "uU":
        number = int(code[1:], 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise BadExpression(f"\\{code} is no character")
    elif code[0].isdigit():
        number = int(code, 8)
    else:
        return _SIMPLE.get(code, code)
    if as_bytes and number > 127:
        raise NotJudged("an escape above 127 in a literal of bytes")
    return chr(number)
