"""What the actions of a template say: in which blocks they stand, which named templates they make and use.

Nothing is rendered. A statement knows the conditions around it, so that somebody
who knows the values can say whether it is reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from ..yaml.source import Span, Spot
from .actions import Kind
from .expressions import Call, Expression, Literal, Path, Unknown, Word, parse, walk, words
from .template_file import TemplateFile

_BLOCKS: Final = frozenset({"if", "with", "range", "define", "block"})
_MOST_STATEMENTS: Final = 20_000
_DEEPEST: Final = 100
"""Blocks within blocks: nobody writes as many, and each statement keeps those around it."""
_NOTHING: Final = Unknown((), Span(0, 0))


class Guard(NamedTuple):
    """A condition around a statement, and which side of it that is on."""

    kind: str
    """if, with or range."""
    condition: Expression
    holds: bool
    """False in the part behind else."""


@dataclass(frozen=True, eq=False)
class Statement:
    """One ``{{ … }}`` that is no comment."""

    file: TemplateFile
    span: Span
    keyword: str
    """if, with, range, define, block, else, end, template; empty for what prints or assigns."""
    expression: Expression
    variable: str = ""
    """What it assigns to."""
    guards: tuple[Guard, ...] = ()
    define: str = ""
    """The named template that it is in."""

    def place(self, part: Expression | None = None) -> Spot:
        """Where a finding about it, or about a word of it, is shown."""
        return Spot(self.file, self.span if part is None else part.span)

    @property
    def calls(self) -> Iterator[Call]:
        return (one for one in walk(self.expression) if isinstance(one, Call))

    @property
    def paths(self) -> Iterator[Path]:
        return (one for one in walk(self.expression) if isinstance(one, Path))


@dataclass
class _Block:
    keyword: str
    guards: list[Guard] = field(default_factory=list)
    define: str = ""


def statements_of(file: TemplateFile) -> tuple[Statement, ...]:
    found: list[Statement] = []
    blocks: list[_Block] = []
    for action in file.actions:
        if action.kind is Kind.COMMENT:
            continue
        read = _read(file, action.span, words(action.body, action.body_at))
        if read.keyword in ("else", "end"):
            _leave(blocks, read)
        guards = tuple(guard for block in blocks for guard in block.guards)
        define = next((block.define for block in reversed(blocks) if block.define), "")
        found.append(replace(read, guards=guards, define=define))
        if read.keyword in _BLOCKS:
            blocks.append(_entered(read))
        if len(found) >= _MOST_STATEMENTS or len(blocks) > _DEEPEST:
            break
    return tuple(found)


def _entered(statement: Statement) -> _Block:
    if statement.keyword in ("define", "block"):
        return _Block(statement.keyword, define=_first_text(statement.expression))
    return _Block(statement.keyword, [Guard(statement.keyword, statement.expression, True)])


def _leave(blocks: list[_Block], statement: Statement) -> None:
    if not blocks:
        return
    if statement.keyword == "end":
        blocks.pop()
        return
    block = blocks[-1]
    if block.guards:
        block.guards[-1] = block.guards[-1]._replace(holds=False)
    if statement.expression is not _NOTHING:  # else if, else with
        block.guards.append(Guard("if", statement.expression, True))


def _first_text(expression: Expression) -> str:
    for one in walk(expression):
        if isinstance(one, Literal) and isinstance(one.value, str):
            return one.value
    return ""


def _read(file: TemplateFile, span: Span, found: list[Word]) -> Statement:
    keyword = ""
    if found and found[0].kind == "name" and found[0].text in (*_BLOCKS, "else", "end", "template"):
        keyword = found[0].text
        found = found[1:]
        if keyword == "else" and found and found[0].text in ("if", "with"):
            found = found[1:]
    variable = ""
    at = next((number for number, word in enumerate(found[:4]) if word.kind == "assign"), None)
    if at is not None:
        variable = found[at - 1].text if at else ""
        found = found[at + 1 :]
    return Statement(file, span, keyword, parse(found) if found else _NOTHING, variable)


def includes(statement: Statement) -> Iterator[str | None]:
    """The named templates that a statement uses; None for a name that is made up on the way."""
    if statement.keyword in ("template", "block"):
        yield _first_text(statement.expression) or None
    for call in statement.calls:
        if call.name == "include":
            first = call.arguments[0] if call.arguments else None
            yield first.value if isinstance(first, Literal) and isinstance(first.value, str) else None
