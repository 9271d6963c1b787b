"""The actions of a template: in which blocks they stand, which named templates they make and use.

Nothing is rendered. An action knows the conditions around it, so that somebody
who knows the values can say whether it is reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ..source import Span, Spot
from .expressions import Call, Expression, Literal, Path, Unknown, Word, parse, walk, words
from .template_text import TemplateText

_OPEN: Final = re.compile(r"\{\{-?(?P<comment>\s*/\*)?")
_INSIDE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)*\'|(?P<close>-?\}\})')
_BLOCKS: Final = frozenset({"if", "with", "range", "define", "block"})
_MOST_ACTIONS: Final = 20_000
_DEEPEST: Final = 100
"""Blocks within blocks: nobody writes as many, and each action keeps those around it."""
_NOTHING: Final = Unknown((), Span(0, 0))


class Guard(NamedTuple):
    """A condition around an action, and which side of it the action is on."""

    kind: str
    """if, with or range."""
    condition: Expression
    holds: bool
    """False in the part behind else."""


@dataclass(frozen=True, eq=False)
class Action:
    """One ``{{ … }}``."""

    file: TemplateText
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


def actions_of(file: TemplateText) -> tuple[Action, ...]:
    found: list[Action] = []
    blocks: list[_Block] = []
    for span, body, start in _spans(file.text):
        action = _action(file, span, words(body, start))
        if action.keyword in ("else", "end"):
            _leave(blocks, action)
        guards = tuple(guard for block in blocks for guard in block.guards)
        define = next((block.define for block in reversed(blocks) if block.define), "")
        found.append(
            Action(file, span, action.keyword, action.expression, action.variable, guards, define),
        )
        if action.keyword in _BLOCKS:
            blocks.append(_entered(action))
        if len(found) >= _MOST_ACTIONS or len(blocks) > _DEEPEST:
            break
    return tuple(found)


def _entered(action: Action) -> _Block:
    if action.keyword in ("define", "block"):
        return _Block(action.keyword, define=_first_text(action.expression))
    return _Block(action.keyword, [Guard(action.keyword, action.expression, True)])


def _leave(blocks: list[_Block], action: Action) -> None:
    if not blocks:
        return
    if action.keyword == "end":
        blocks.pop()
        return
    block = blocks[-1]
    if block.guards:
        block.guards[-1] = block.guards[-1]._replace(holds=False)
    if action.expression is not _NOTHING:  # else if, else with
        block.guards.append(Guard("if", action.expression, True))


def _first_text(expression: Expression) -> str:
    for one in walk(expression):
        if isinstance(one, Literal) and isinstance(one.value, str):
            return one.value
    return ""


def _action(file: TemplateText, span: Span, found: list[Word]) -> Action:
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
    return Action(file, span, keyword, parse(found) if found else _NOTHING, variable)


def _spans(text: str) -> Iterator[tuple[Span, str, int]]:
    """Every action that is no comment: its span, its body, and where that begins."""
    at = 0
    while (opened := _OPEN.search(text, at)) is not None:
        if opened["comment"]:
            end = text.find("*/", opened.end())
            close = text.find("}}", end) if end >= 0 else -1
            if close < 0:
                return
            at = close + 2
            continue
        close_match = next((one for one in _INSIDE.finditer(text, opened.end()) if one["close"]), None)
        if close_match is None:
            return
        body = text[opened.end() : close_match.start("close")]
        yield Span(opened.start(), close_match.end()), body, opened.end()
        at = close_match.end()


def includes(action: Action) -> Iterator[str | None]:
    """The named templates that an action uses; None for a name that is made up on the way."""
    if action.keyword in ("template", "block"):
        yield _first_text(action.expression) or None
    for call in action.calls:
        if call.name == "include":
            first = call.arguments[0] if call.arguments else None
            yield first.value if isinstance(first, Literal) and isinstance(first.value, str) else None
