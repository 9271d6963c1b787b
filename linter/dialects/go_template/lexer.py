"""Template text → tokens, with the rules and the complaints of Go's text/template."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from ...facts.regexes import regex
from .template_errors import ParseError

LEFT: Final = "{{"
RIGHT: Final = "}}"
_SPACES: Final = " \t\r\n"
_KEYWORDS: Final = frozenset(("break", "block", "continue", "define", "else", "end", "if", "range", "template", "with"))
_NUMBER: Final = regex(
    r"[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)"
)
_WORD: Final = regex(r"\w+")
_QUOTED: Final = regex(r'"(?:[^"\\\n]|\\[^\n])*"')
_CHARACTER: Final = regex(r"'(?:[^'\\\n]|\\[^\n])*'")
_SPACE_RUN: Final = regex(r"[ \t\r\n]+")


class Kind(Enum):
    TEXT = auto()
    LEFT = auto()
    RIGHT = auto()
    WORD = auto()
    KEYWORD = auto()
    FIELD = auto()
    VARIABLE = auto()
    DOT = auto()
    NUMBER = auto()
    STRING = auto()
    RAW_STRING = auto()
    CHARACTER = auto()
    SIGN = auto()
    """One of ``| ( ) , = :=``."""
    SPACE = auto()
    END = auto()


class Token(NamedTuple):
    kind: Kind
    text: str
    at: int


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def fail(text: str, at: int, message: str) -> ParseError:
    return ParseError(f"template: :{line_of(text, at)}: {message}")


def lex(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    trim = False
    while True:
        left = text.find(LEFT, at)
        literal = text[at : left if left >= 0 else len(text)]
        if trim:
            literal = literal.lstrip(_SPACES)
        trim_before = left >= 0 and text[left + 2 : left + 3] == "-" and _is_space(text, left + 3)
        if trim_before:
            literal = literal.rstrip(_SPACES)
        if literal:
            tokens.append(Token(Kind.TEXT, literal, at))
        if left < 0:
            tokens.append(Token(Kind.END, "", len(text)))
            return tokens
        inside = left + (3 if trim_before else 2)
        comment = inside + (1 if trim_before else 0)
        if text.startswith("/*", comment):
            at, trim = _after_comment(text, comment)
            continue
        tokens.append(Token(Kind.LEFT, LEFT, left))
        at, trim = _Action(text, inside, tokens).read()


def _is_space(text: str, at: int) -> bool:
    return at < len(text) and text[at] in _SPACES


def _after_comment(text: str, at: int) -> tuple[int, bool]:
    end = text.find("*/", at)
    if end < 0:
        raise fail(text, at, "unclosed comment")
    closing = _closing(text, end + 2)
    if closing is None:
        raise fail(text, at, "comment ends before closing delimiter")
    return closing


def _closing(text: str, at: int) -> tuple[int, bool] | None:
    """The place after the closing delimiter that stands here, and whether it trims what follows."""
    if text.startswith(RIGHT, at):
        return at + 2, False
    if _is_space(text, at) and text.startswith("-" + RIGHT, at + 1):
        return at + 4, True
    return None


class _Action:
    """The tokens between one pair of delimiters."""

    def __init__(self, text: str, at: int, tokens: list[Token]) -> None:
        self.text = text
        self.at = at
        self.tokens = tokens
        self.open_parens = 0

    def read(self) -> tuple[int, bool]:
        while True:
            closing = _closing(self.text, self.at)
            if closing:
                if self.open_parens:
                    raise fail(self.text, self.at, "unclosed left paren")
                self.tokens.append(Token(Kind.RIGHT, RIGHT, self.at))
                return closing
            if self.at >= len(self.text):
                raise fail(self.text, self.at, "unclosed action")
            self._token(self.text[self.at])

    def _add(self, kind: Kind, end: int) -> None:
        self.tokens.append(Token(kind, self.text[self.at : end], self.at))
        self.at = end

    def _token(self, first: str) -> None:
        if first in _SPACES:
            self._space()
        elif first in "\"`'":
            self._string(first)
        elif first == "$":
            self._name(Kind.VARIABLE)
        elif first == "." and not self.text[self.at + 1 : self.at + 2].isdigit():
            self._name(Kind.FIELD)
        elif first in "+-." or first.isdigit():
            self._number()
        elif first.isalnum() or first == "_":
            self._word()
        else:
            self._sign(first)

    def _space(self) -> None:
        run = _SPACE_RUN.match(self.text, self.at)
        end = run.end() if run else self.at + 1
        # The last space before -}} belongs to the trim marker.
        if self.text.startswith("-" + RIGHT, end):
            end -= 1
        if end > self.at:
            self._add(Kind.SPACE, end)

    def _string(self, quote: str) -> None:
        if quote == "`":
            end = self.text.find("`", self.at + 1)
            if end < 0:
                raise fail(self.text, self.at, "unterminated raw quoted string")
            self._add(Kind.RAW_STRING, end + 1)
            return
        quoted = (_QUOTED if quote == '"' else _CHARACTER).match(self.text, self.at)
        if not quoted:
            what = "quoted string" if quote == '"' else "character constant"
            raise fail(self.text, self.at, f"unterminated {what}")
        self._add(Kind.STRING if quote == '"' else Kind.CHARACTER, quoted.end())

    def _name(self, kind: Kind) -> None:
        word = _WORD.match(self.text, self.at + 1)
        end = word.end() if word else self.at + 1
        self._check_end(end)
        self._add(Kind.DOT if kind is Kind.FIELD and not word else kind, end)

    def _number(self) -> None:
        number = _NUMBER.match(self.text, self.at)
        end = number.end() if number else self.at + 1
        word = _WORD.match(self.text, end)
        if word or not number:
            raise fail(self.text, self.at, f'bad number syntax: "{self.text[self.at : word.end() if word else end]}"')
        self._add(Kind.NUMBER, end)

    def _word(self) -> None:
        word = _WORD.match(self.text, self.at)
        end = word.end() if word else self.at + 1
        self._check_end(end)
        self._add(Kind.KEYWORD if self.text[self.at : end] in _KEYWORDS else Kind.WORD, end)

    def _check_end(self, end: int) -> None:
        """A name ends at one of these; ``{{path[0]}}`` and ``{{.my-key}}`` fail here."""
        following = self.text[end : end + 1]
        if following and following not in _SPACES + ".,|:()" and not self.text.startswith(RIGHT, end):
            raise fail(self.text, end, f"bad character U+{ord(following):04X} '{following}'")

    def _sign(self, first: str) -> None:
        if first == ":":
            if not self.text.startswith(":=", self.at):
                raise fail(self.text, self.at, "expected :=")
            self._add(Kind.SIGN, self.at + 2)
            return
        if first not in "|(),=":
            raise fail(self.text, self.at, f"unrecognized character in action: U+{ord(first):04X} '{first}'")
        self.open_parens += {"(": 1, ")": -1}.get(first, 0)
        if self.open_parens < 0:
            raise fail(self.text, self.at, "unexpected right paren")
        self._add(Kind.SIGN, self.at + 1)
