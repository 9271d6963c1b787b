"""What stands between ``{{`` and ``}}``: words, and what is done with them.

The reading is tolerant. What is not understood becomes `Unknown`, so that
nobody takes it for something it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.source import Span

_WORD: Final = regex(
    r"""(?P<space>\s+)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*')
    |(?P<assign>:=|=)
    |(?P<sign>[()|,])
    |(?P<number>[+-]?\d[\w.+-]*)
    |(?P<path>\$?\w*(?:\.\w+)+|\$\w*|\.)
    |(?P<name>\w+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST: Final = 40
_MOST_WORDS: Final = 2_000


class Literal(NamedTuple):
    value: object
    span: Span


class Path(NamedTuple):
    """``.Values.a``, ``$root.b``, ``$x``: the names after what they begin with."""

    base: str
    """Empty for the dot, else the variable with its sign."""
    names: tuple[str, ...]
    span: Span

    def __str__(self) -> str:
        return f"{self.base}{''.join(f'.{name}' for name in self.names)}" or "."


class Call(NamedTuple):
    """A function with what it is given; what a pipe hands on is the last of it."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span
    """Of the name."""


class Unknown(NamedTuple):
    inside: tuple[Expression, ...]
    span: Span


Expression = Literal | Path | Call | Unknown


class Word(NamedTuple):
    kind: str
    text: str
    span: Span


def words(text: str, start: int) -> list[Word]:
    """The words of an action, at their places in the file."""
    found = []
    for match in _WORD.finditer(text):
        kind = match.lastgroup or "other"
        if kind != "space":
            found.append(Word(kind, match[0], Span(start + match.start(), start + match.end())))
        if len(found) > _MOST_WORDS:
            break
    return found


def parse(found: list[Word]) -> Expression:
    """A whole pipeline."""
    expression, rest = _pipeline(found, 0, 0)
    if rest < len(found):
        remaining = tuple(_loose(found[rest:]))
        span = Span(found[0].span.start, found[-1].span.end)
        return Unknown((expression, *remaining), span)
    return expression


def _pipeline(found: list[Word], at: int, depth: int) -> tuple[Expression, int]:
    expression, at = _command(found, at, depth)
    while at < len(found) and found[at].text == "|":
        following, at = _command(found, at + 1, depth)
        if isinstance(following, Call):
            expression = Call(following.name, (*following.arguments, expression), following.span)
        else:
            expression = Unknown((expression, following), following.span)
    return expression, at


def _command(found: list[Word], at: int, depth: int) -> tuple[Expression, int]:
    terms: list[Expression] = []
    first = found[at] if at < len(found) else None
    while at < len(found) and not (found[at].kind == "sign" and found[at].text in "|),"):
        term, at = _term(found, at, depth)
        terms.append(term)
    if not terms:
        return Unknown((), Span(0, 0)), at
    head, arguments = terms[0], tuple(terms[1:])
    if first is not None and first.kind == "name" and isinstance(head, Call):
        return Call(head.name, arguments, head.span), at
    if not arguments:
        return head, at
    if isinstance(head, Path):  # a method, as .Capabilities.APIVersions.Has
        return Call(str(head), arguments, head.span), at
    return Unknown((head, *arguments), head.span), at


def _term(found: list[Word], at: int, depth: int) -> tuple[Expression, int]:
    word = found[at]
    if word.text == "(" and word.kind == "sign":
        if depth > _DEEPEST:
            return Unknown(tuple(_loose(found[at + 1 :])), word.span), len(found)
        inside, at = _pipeline(found, at + 1, depth + 1)
        at += at < len(found) and found[at].text == ")"
        if at < len(found) and found[at].kind == "path" and found[at].text.startswith(".") and _touch(found, at):
            return Unknown((inside,), found[at].span), at + 1  # (expression).field
        return inside, at
    return _simple(word), at + 1


def _touch(found: list[Word], at: int) -> bool:
    return found[at - 1].span.end == found[at].span.start


def _simple(word: Word) -> Expression:
    if word.kind == "text":
        return Literal(_unquoted(word.text), word.span)
    if word.kind == "number":
        return _number(word)
    if word.kind == "path":
        base, *names = word.text.split(".") if word.text != "." else [""]
        return Path(base, tuple(names), word.span)
    if word.kind == "name":
        constants: dict[str, object] = {"true": True, "false": False, "nil": None}
        return Literal(constants[word.text], word.span) if word.text in constants else Call(word.text, (), word.span)
    return Unknown((), word.span)


def _number(word: Word) -> Expression:
    try:
        return Literal(int(word.text), word.span)
    except ValueError:
        pass
    try:
        return Literal(float(word.text), word.span)
    except ValueError:
        return Unknown((), word.span)


def _unquoted(text: str) -> str:
    return text[1:-1] if text.startswith("`") else re.sub(r"\\(.)", r"\1", text[1:-1])


def _loose(found: list[Word]) -> Iterator[Expression]:
    """Words without a structure: at least the functions among them are known by name."""
    yield from (_simple(word) for word in found if word.kind in ("name", "path", "text"))


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it."""
    waiting = [expression]
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, Call):
            waiting += one.arguments
        elif isinstance(one, Unknown):
            waiting += one.inside
