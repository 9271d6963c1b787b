"""The grammar of jq, as far as it takes to tell an expression that jq refuses from one that it takes.

Argo CD runs ``del(EXPRESSION)`` in gojq, so that is what is parsed. Where gojq
and jq 1.6 to 1.8 differ, what one of them takes is taken here: an expression
that works must never be called wrong. For the same reason names may be used
outside of the scope that defines them, and functions of all versions are known.
The library jq would run the expression of a stranger, and is jq, not gojq; the
tests hold this grammar against it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from ..facts.tables import table
from .jq_paths import FRESH, IDENTITY, UNKNOWN, VALUE, Filter, Mark, constant, selected
from .jq_tokens import JqError, Kind, Token, Tokens

__all__ = ["JqError", "parse"]

_LONGEST: Final = 4096
_DEEPEST: Final = 150
_POWERS: Final = {
    "|": 0,
    ",": 1,
    "//": 2, "?//": 2,
    **dict.fromkeys(("=", "|=", "+=", "-=", "*=", "/=", "%=", "//="), 3),
    "or": 4,
    "and": 5,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 6),
    "+": 7, "-": 7,
    "*": 8, "/": 8, "%": 8,
}  # fmt: skip
"""How tightly an operator binds."""
_ABOVE_COMMA: Final = 2
_FROM_THE_RIGHT: Final = ("|", "//", "?//")
_KEYWORDS: Final = frozenset(
    """
    def as if then elif else end try catch reduce foreach label break and or import include module
    """.split()
)
_LITERALS: Final = {"true": True, "false": False, "null": None}
_GIVEN: Final = frozenset(("$ENV", "$__loc__", "$__prog_args", "$ARGS"))


class TooDeep(Exception):
    """Nobody writes this by hand, and it would take the stack of this program."""


@lru_cache(maxsize=512)
def parse(expression: str) -> Filter:
    """Raises JqError for what jq refuses."""
    if len(expression) > _LONGEST:
        return UNKNOWN
    try:
        return _Parser(f"del({expression})").program()
    except TooDeep:
        return UNKNOWN


@cache
def _functions() -> dict[str, list[int]]:
    functions: dict[str, list[int]] = table("jq-functions.json")["functions"]
    return functions


@cache
def _making_values() -> frozenset[str]:
    return frozenset(table("jq-functions.json")["makingValues"])


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = Tokens(text)
        self._length = len(text)
        self._depth = 0
        self._has_head = False
        """What reduce or foreach goes through has been read, and the names that it gets."""
        self._called: list[tuple[str, int]] = []
        self._used: list[str] = []
        """Variables, and labels with a star in front."""
        self._has_functions = False
        """It defines some of its own."""
        self._has_binding = False
        self._bound: set[str] = set(_GIVEN)

    def program(self) -> Filter:
        found = self._query()
        if self._is(")"):
            raise JqError("it has a closing parenthesis too many")
        self._expect(Kind.END)
        if not self._has_functions:  # jq does not look into definitions that nobody uses
            self._check_names()
        # How far the left side of a binding reaches is not the same in all versions.
        return UNKNOWN if self._has_binding or not found.deletes else found.deletes

    def _check_names(self) -> None:
        for name, count in self._called:
            if not self._is_defined(name, count):
                raise JqError(f"there is no function {name}{_with(count)} in jq")
        for name in self._used:
            if name not in self._bound:
                raise JqError(f"{name.lstrip('*')} is not defined in it")

    @staticmethod
    def _is_defined(name: str, count: int) -> bool:
        return name.startswith("_") or "::" in name or count in _functions().get(name, ())

    # -- tokens

    def _is(self, text: str) -> bool:
        token = self._tokens.peek()
        return token.text == text and token.kind in (Kind.SIGN, Kind.WORD)

    def _accept(self, text: str) -> bool:
        if self._is(text):
            self._tokens.next()
            return True
        return False

    def _expect(self, wanted: Kind | str) -> Token:
        token = self._tokens.next()
        if token.kind is not wanted and (token.text != wanted or token.kind not in (Kind.SIGN, Kind.WORD)):
            raise self._unexpected(token)
        return token

    def _unexpected(self, token: Token) -> JqError:
        if token.end == self._length:  # the end, or the parenthesis that is no part of the expression
            return JqError("it ends too early")
        return JqError(f"{token.text!r} is not expected where it stands")

    def _go_down(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise TooDeep

    # -- operators

    def _query(self, floor: int = 0) -> Filter:
        self._go_down()
        found = self._operators(floor)
        self._depth -= 1
        return found

    def _operators(self, floor: int) -> Filter:
        left = self._term()
        while True:
            token = self._tokens.peek()
            power = _POWERS.get(token.text) if token.kind in (Kind.SIGN, Kind.WORD) else None
            if power is None or power < floor:
                return left
            self._tokens.next()
            right = self._query(power if token.text in _FROM_THE_RIGHT else power + 1)
            left = _combined(token.text, left, right)

    def _definition(self) -> None:
        self._has_functions = True
        self._expect("def")
        self._expect(Kind.WORD)
        if self._accept("("):
            self._parameter()
            while self._accept(";"):
                self._parameter()
            self._expect(")")
        self._expect(":")
        self._query()
        self._expect(";")

    def _parameter(self) -> None:
        token = self._tokens.next()
        if token.kind not in (Kind.WORD, Kind.VARIABLE):
            raise self._unexpected(token)

    # -- terms

    def _term(self) -> Filter:
        signed = False
        while self._accept("-") or self._accept("+"):
            signed = True
        if self._is("def"):
            self._definition()
            self._query()
            return UNKNOWN
        self._go_down()
        found = self._suffixes(self._primary())
        self._depth -= 1
        if signed:
            found = VALUE
        if not self._accept("as"):
            return found
        self._patterns()
        if self._is("("):  # the head of reduce or foreach
            self._has_head = True
            return found
        self._has_binding = True
        self._expect("|")
        self._query()
        return UNKNOWN

    def _suffixes(self, found: Filter) -> Filter:
        while True:
            token = self._tokens.peek()
            if token.kind is Kind.FIELD:
                self._tokens.next()
                found = found.then(token.text[1:])
            elif self._is("."):
                self._tokens.next()
                found = self._after_dot(found)
            elif self._is("["):
                found = self._index(found)
            elif not self._accept("?"):
                return found

    def _after_dot(self, found: Filter) -> Filter:
        if self._tokens.peek().kind is Kind.QUOTE:
            return _at(found, self._string())
        if self._is("["):
            return self._index(found)
        if self._tokens.peek().kind is Kind.FORMAT:
            self._tokens.next()
            self._string()
            return UNKNOWN
        raise self._unexpected(self._tokens.next())

    def _index(self, found: Filter) -> Filter:
        self._expect("[")
        if self._accept("]"):
            return found.then(Mark.EACH)
        if self._accept(":"):
            self._query()
            self._expect("]")
            return UNKNOWN
        index = self._query()
        if self._accept(":"):
            if not self._accept("]"):
                self._query()
                self._expect("]")
            return UNKNOWN
        self._expect("]")
        return _at(found, index)

    def _primary(self) -> Filter:
        token = self._tokens.peek()
        if token.kind is Kind.QUOTE:
            return self._string()
        if token.kind is Kind.WORD:
            return self._word()
        if token.kind is Kind.SIGN:
            return self._sign()
        self._tokens.next()
        if token.kind is Kind.FIELD:
            return IDENTITY.then(token.text[1:])
        if token.kind is Kind.NUMBER:
            return constant(float(token.text))
        if token.kind is Kind.VARIABLE:
            self._use(token)
            return UNKNOWN
        if token.kind is Kind.FORMAT:
            if self._tokens.peek().kind is Kind.QUOTE:
                self._string()
            return VALUE
        raise self._unexpected(token)

    def _sign(self) -> Filter:
        token = self._tokens.next()
        if token.text == ".":
            ahead = self._tokens.peek().kind
            return self._after_dot(IDENTITY) if ahead in (Kind.QUOTE, Kind.FORMAT) else IDENTITY
        if token.text == "..":
            return UNKNOWN
        if token.text == "(":
            found = self._query()
            self._expect(")")
            return found
        if token.text == "[":
            if not self._accept("]"):
                self._query()
                self._expect("]")
            return FRESH
        if token.text == "{":
            self._object()
            return FRESH
        raise self._unexpected(token)

    def _string(self) -> Filter:
        self._expect(Kind.QUOTE)
        text, interrupted = self._tokens.string_part()
        if not interrupted:
            return constant(_unescaped(text))
        while interrupted:
            self._query()
            self._expect(")")
            interrupted = self._tokens.string_part()[1]
        return VALUE

    # -- words

    def _word(self) -> Filter:
        token = self._tokens.next()
        reader = self._constructs.get(token.text)
        if reader is not None:
            reader(self)
            return UNKNOWN
        if token.text in _LITERALS:
            return constant(_LITERALS[token.text])
        if token.text in _KEYWORDS:
            raise self._unexpected(token)
        return self._call(token.text)

    def _call(self, name: str) -> Filter:
        arguments: list[Filter] = []
        if self._accept("("):
            arguments.append(self._query())
            while self._accept(";"):
                arguments.append(self._query())
            self._expect(")")
        self._called.append((name, len(arguments)))
        if name == "del" and len(arguments) == 1:
            return Filter(deletes=arguments[0])
        if name == "select" and len(arguments) == 1:
            return selected(arguments[0])
        return FRESH if name in _making_values() else UNKNOWN

    def _if(self) -> None:
        self._query()
        self._expect("then")
        self._query()
        while self._accept("elif"):
            self._query()
            self._expect("then")
            self._query()
        if self._accept("else"):
            self._query()
        self._expect("end")

    def _try(self) -> None:
        self._term()
        if self._accept("catch"):
            self._term()

    def _fold(self) -> None:
        """reduce and foreach."""
        self._query()
        if not self._has_head:
            self._expect("as")
        self._has_head = False
        self._expect("(")
        self._query()
        while self._accept(";"):
            self._query()
        self._expect(")")

    def _label(self) -> None:
        self._bound.add(f"*{self._expect(Kind.VARIABLE).text}")
        self._expect("|")
        self._query()

    def _break(self) -> None:
        self._used.append(f"*{self._expect(Kind.VARIABLE).text}")

    _constructs: Final[dict[str, Callable[[_Parser], None]]] = {
        "if": _if,
        "try": _try,
        "reduce": _fold,
        "foreach": _fold,
        "label": _label,
        "break": _break,
    }

    # -- objects and patterns

    def _object(self) -> None:
        while not self._accept("}"):
            if self._key() or self._is(":"):
                self._expect(":")
                self._query(_ABOVE_COMMA)
                while self._accept("|"):
                    self._query(_ABOVE_COMMA)
            if not self._accept(","):
                self._expect("}")
                return

    def _key(self, binds: bool = False) -> bool:
        """Of an object or of a pattern for one; whether a value has to follow."""
        token = self._tokens.peek()
        if token.kind is Kind.QUOTE:
            self._string()
            return binds
        self._tokens.next()
        if token.text == "(" and token.kind is Kind.SIGN:
            self._query()
            self._expect(")")
            return True
        if token.kind is Kind.FORMAT:
            self._string()
        elif token.kind is Kind.VARIABLE:
            if binds:
                self._bound.add(token.text)
            else:
                self._use(token)
        elif token.kind not in (Kind.WORD, Kind.NUMBER):
            raise self._unexpected(token)
        return binds and token.kind is not Kind.VARIABLE

    def _patterns(self) -> None:
        self._pattern()
        while self._accept("?//"):
            self._pattern()

    def _pattern(self) -> None:
        self._go_down()
        if self._accept("["):
            self._pattern()
            while self._accept(","):
                self._pattern()
            self._expect("]")
        elif self._accept("{"):
            while True:
                if self._key(binds=True) or self._is(":"):
                    self._expect(":")
                    self._pattern()
                if not self._accept(","):
                    break
            self._expect("}")
        else:
            self._bound.add(self._expect(Kind.VARIABLE).text)
        self._depth -= 1

    def _use(self, token: Token) -> None:
        if "::" not in token.text:
            self._used.append(token.text)


def _combined(operator: str, left: Filter, right: Filter) -> Filter:
    if operator == "|":
        return left.piped(right)
    if operator == ",":
        return left.or_else(right)
    if operator == "==":
        return left.equals(right)
    # Of `and` and `or` jq may well delete something, though not what anybody means, and null + x is x itself.
    return VALUE if _POWERS[operator] >= _POWERS["=="] and operator != "+" else UNKNOWN


def _at(found: Filter, index: Filter) -> Filter:
    """What stands in brackets: a text is a key, a whole number the place of an item."""
    if index.constant is None:
        return UNKNOWN
    value = index.constant[0]
    if isinstance(value, str):
        return found.then(value)
    if isinstance(value, float) and value.is_integer():
        return found.then(int(value))
    return UNKNOWN


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text  # an escape that only some gojq takes


def _with(count: int) -> str:
    return f" with {count} argument{'s' if count > 1 else ''}" if count else ""
