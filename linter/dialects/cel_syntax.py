"""CEL's grammar: a text becomes nodes, or is refused as the API server refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..facts.limits import CEL_DEPTH, CEL_LENGTH
from .cel_nodes import (
    AllOf,
    AnyOf,
    Call,
    Choice,
    Index,
    ListOf,
    Literal,
    Macro,
    MapOf,
    Message,
    Name,
    Node,
    Select,
)
from .cel_tokens import Token, tokens
from .cel_values import BadExpression, Uint
from .go_regexp_program import NotJudged

_RESERVED: Final = frozenset(
    "as break const continue else for function if import let loop package namespace return var void while".split()
)
_MACROS: Final = {
    "all": (2, 3),
    "exists": (2, 3),
    "exists_one": (2, 3),
    "existsOne": (2, 3),
    "map": (2, 3),
    "filter": (2,),
    "transformList": (3, 4),
    "transformMap": (3, 4),
    "transformMapEntry": (3, 4),
    "sortBy": (2,),
    "optMap": (2,),
    "optFlatMap": (2,),
}
"""Calls that bind a name, and how many arguments they have."""
_TWO_NAMES: Final = frozenset({"transformList", "transformMap", "transformMapEntry"})
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">=", "in"})
_LEVELS: Final = 5
"""An expression within another is worth so many dots: reading it goes through every precedence."""
_LEAST, _MOST = -(2**63), 2**63 - 1


def parse(text: str) -> Node:
    """The expression as a tree. Raises BadExpression, and NotJudged for what is larger than we take on."""
    if len(text) > CEL_LENGTH:
        raise NotJudged(f"an expression of more than {CEL_LENGTH:,} characters")
    try:
        return _Parser(tokens(text)).whole()
    except RecursionError:
        raise NotJudged("an expression that is nested too deep") from None


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        if self._next.kind != "END":
            raise self._unexpected()
        return node

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _unexpected(self) -> BadExpression:
        return BadExpression(f"{self._next.value!r} at character {self._next.at + 1} is not expected")

    def _sign(self, *signs: str) -> str | None:
        """The next token, if it is one of these signs, and then it is taken."""
        token = self._next
        if token.kind in ("SIGN", "WORD") and token.value in signs:
            self._at += 1
            return str(token.value)
        return None

    def _need(self, sign: str) -> None:
        if self._sign(sign) is None:
            raise self._unexpected()

    def _word(self) -> str:
        token = self._next
        if token.kind != "WORD":
            raise self._unexpected()
        self._at += 1
        return str(token.value)

    def _deeper(self, levels: int = 1) -> None:
        self._depth += levels
        if self._depth > CEL_DEPTH:
            raise NotJudged(f"an expression nested more than {CEL_DEPTH} deep")

    def _expression(self) -> Node:
        before = self._depth
        self._deeper(_LEVELS)
        node = self._any_of()
        if self._sign("?"):
            then = self._any_of()
            self._need(":")
            node = Choice(node, then, self._expression())
        self._depth = before
        return node

    def _any_of(self) -> Node:
        parts = [self._all_of()]
        while self._sign("||"):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all_of(self) -> Node:
        parts = [self._relation()]
        while self._sign("&&"):
            parts.append(self._relation())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _relation(self) -> Node:
        return self._left_to_right(self._sum, *_COMPARISONS)

    def _sum(self) -> Node:
        return self._left_to_right(self._product, "+", "-")

    def _product(self) -> Node:
        return self._left_to_right(self._unary, "*", "/", "%")

    def _left_to_right(self, part: Callable[[], Node], *signs: str) -> Node:
        node = part()
        before = self._depth
        while sign := self._sign(*signs):
            self._deeper()  # each one makes the tree deeper by one
            node = Call(sign, None, (node, part()))
        self._depth = before
        return node

    def _unary(self) -> Node:
        sign = self._sign("!", "-")
        if sign is None:
            return self._member()
        if sign == "-" and (self._next.kind == "NUMBER" or isinstance(self._next.value, float)):
            return self._members_of(self._number(negative=True))
        count = 1
        while self._sign(sign):
            count += 1
        node = self._member()
        name = "not" if sign == "!" else "negative"
        return Call(name, None, (node,)) if count % 2 else node  # CEL, too, takes pairs of them away unread

    def _number(self, negative: bool = False) -> Node:
        token = self._next
        self._at += 1
        if isinstance(token.value, float):
            return Literal(-token.value if negative else token.value)
        text = str(token.value).lower()
        unsigned = text.endswith("u")
        digits = text.rstrip("u")
        if len(digits) > 30:
            raise BadExpression(f"the number at character {token.at + 1} is too large")
        number = int(digits, 16) if digits.startswith("0x") else int(digits)
        if unsigned:
            if number >= 2**64:
                raise BadExpression(f"the number at character {token.at + 1} is too large")
            node: Node = Literal(Uint(number))
            return Call("negative", None, (node,)) if negative else node
        number = -number if negative else number
        if not _LEAST <= number <= _MOST:
            raise BadExpression(f"the number at character {token.at + 1} is too large")
        return Literal(number)

    def _member(self) -> Node:
        return self._members_of(self._primary())

    def _members_of(self, node: Node) -> Node:
        before = self._depth
        while True:
            if self._sign("."):
                optional = self._sign("?") is not None
                field = self._word()
                if not optional and self._sign("("):
                    node = self._call(node, field, self._arguments(")"))
                else:
                    node = Select(node, field, optional)
            elif self._sign("["):
                optional = self._sign("?") is not None
                node = Index(node, self._expression(), optional)
                self._need("]")
            elif self._next.value == "{" and self._next.kind == "SIGN" and (name := _type_name(node)):
                node = self._message(name)
            else:
                self._depth = before
                return node
            self._deeper()

    def _call(self, receiver: Node, name: str, arguments: tuple[Node, ...]) -> Node:
        counts = _MACROS.get(name, ())
        if len(arguments) not in counts:
            return Call(name, receiver, arguments)
        how_many = 2 if name in _TWO_NAMES or (len(arguments) == 3 and name != "map") else 1
        names = [one.name for one in arguments[:how_many] if isinstance(one, Name)]
        if len(names) != how_many:
            raise BadExpression(f"{name}() needs a plain name first")
        return Macro(name, receiver, tuple(names), arguments[how_many:])

    def _arguments(self, end: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while self._sign(end) is None:
            found.append(self._expression())
            if self._sign(",") is None:
                self._need(end)
                break
        return tuple(found)

    def _message(self, name: str) -> Node:
        self._need("{")
        while self._sign("}") is None:
            self._sign("?")
            self._word()
            self._need(":")
            self._expression()
            if self._sign(",") is None:
                self._need("}")
                break
        return Message(name)

    def _primary(self) -> Node:
        token = self._next
        if token.kind == "VALUE":
            self._at += 1
            return Literal(token.value)
        if token.kind == "NUMBER":
            return self._number()
        if self._sign("("):
            node = self._expression()
            self._need(")")
            return node
        if self._sign("["):
            return self._list()
        if self._sign("{"):
            return self._map()
        self._sign(".")  # a name from the root
        return self._named()

    def _named(self) -> Node:
        word = self._word()
        if word in ("true", "false", "null"):
            return Literal({"true": True, "false": False, "null": None}[word])
        if word == "in" or word in _RESERVED:
            self._at -= 1
            raise self._unexpected()
        if self._sign("(") is None:
            return Name(word)
        arguments = self._arguments(")")
        if word != "has":
            return Call(word, None, arguments)
        if len(arguments) != 1 or not isinstance(arguments[0], Select) or arguments[0].only_has:
            raise BadExpression("has() needs a field, as in has(object.spec)")
        return Select(arguments[0].operand, arguments[0].field, arguments[0].optional, only_has=True)

    def _list(self) -> Node:
        items: list[tuple[Node, bool]] = []
        while self._sign("]") is None:
            optional = self._sign("?") is not None
            items.append((self._expression(), optional))
            if self._sign(",") is None:
                self._need("]")
                break
        return ListOf(tuple(items))

    def _map(self) -> Node:
        entries: list[tuple[Node, Node, bool]] = []
        while self._sign("}") is None:
            optional = self._sign("?") is not None
            key = self._expression()
            self._need(":")
            entries.append((key, self._expression(), optional))
            if self._sign(",") is None:
                self._need("}")
                break
        return MapOf(tuple(entries))


def _type_name(node: Node) -> str:
    """`a.b.C` as a name; empty for what can be no type."""
    fields: list[str] = []
    while isinstance(node, Select) and not node.optional and not node.only_has:
        fields.append(node.field)
        node = node.operand
    return ".".join([node.name, *reversed(fields)]) if isinstance(node, Name) else ""
