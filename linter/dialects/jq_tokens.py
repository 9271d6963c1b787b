"""The words and signs of a jq expression, one after the other."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple

from ..facts.regexes import regex

_SKIPPED: Final = regex(r"(?:\s+|#[^\r\n]*)*")
_TOKEN: Final = regex(
    r"""
    (?P<NUMBER>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
  | (?P<FIELD>\.[A-Za-z_]\w*)
  | (?P<VARIABLE>\$\s*[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)
  | (?P<WORD>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)
  | (?P<FORMAT>@\w+)
  | (?P<QUOTE>")
  | (?P<SIGN>\?//|//=|\|=|[-+*/%]=|==|!=|<=|>=|//|\.\.|[-.\[\]{}()|,:;=<>+*/%?])
    """,
    re.ASCII | re.VERBOSE,
)
_PLAIN: Final = regex(r'[^"\\]*')
_ESCAPES: Final = frozenset("\"\\/bfnrtu'avxU01234567")
"""Those of JSON, and those that only an older gojq took."""


class JqError(Exception):
    """jq refuses the expression."""


class Kind(Enum):
    NUMBER = "NUMBER"
    FIELD = "FIELD"
    """With its dot."""
    VARIABLE = "VARIABLE"
    WORD = "WORD"
    FORMAT = "FORMAT"
    QUOTE = "QUOTE"
    """Where a string begins; what is in it is read by `string_part`."""
    SIGN = "SIGN"
    END = "END"


class Token(NamedTuple):
    kind: Kind
    text: str
    start: int
    end: int


class Tokens:
    """Reads no further than it is asked to: within a string the rules are others."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._ahead: Token | None = None

    def peek(self) -> Token:
        if self._ahead is None:
            self._ahead = self._read()
        return self._ahead

    def next(self) -> Token:
        token = self.peek()
        self._at, self._ahead = token.end, None
        return token

    def _read(self) -> Token:
        skipped = _SKIPPED.match(self._text, self._at)
        start = skipped.end() if skipped else self._at
        if start == len(self._text):
            return Token(Kind.END, "", start, start)
        match = _TOKEN.match(self._text, start)
        if match is None:
            raise JqError(f"{self._text[start]!r} has no meaning in jq")
        return Token(Kind[match.lastgroup or "SIGN"], match[0], start, match.end())

    def string_part(self) -> tuple[str, bool]:
        """The text from here to the end of the string, or to an expression within it, which is the second answer."""
        parts: list[str] = []
        while True:
            plain = _PLAIN.match(self._text, self._at)
            parts.append(plain[0] if plain else "")
            self._at += len(parts[-1])
            sign, escape = self._text[self._at : self._at + 1], self._text[self._at + 1 : self._at + 2]
            if sign == '"':
                self._at += 1
                return "".join(parts), False
            self._at += 2
            if sign == "\\" and escape == "(":
                return "".join(parts), True
            if not sign or not escape:
                raise JqError("a string in it does not end")
            if escape not in _ESCAPES:
                raise JqError(f"\\{escape} is no escape in a string of jq (write \\\\{escape})")
            parts.append(sign + escape)
