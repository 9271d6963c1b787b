"""The actions of a Go template, found without understanding them.

`argo/templates/lexer.py` reads templates that are then run, and refuses what
Go would refuse. Here nothing is run: whatever the text is, it is cut into
actions and the text between them. Every offset is looked at a fixed number of
times, so that no text takes long.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.source import Span

_LEAVES: Final = regex(r"[\"'`]|\}\}")
"""What may end an action or begin a text in which nothing can end it."""
_STRING: Final = regex(r"([\"'])(?:[^\"'\\\n]|\\.|(?!\1)[\"'])*\1")
_WORD: Final = regex(r"\w+")
_ASSIGNMENT: Final = regex(r"\$\w*(?:\s*,\s*\$\w*)?\s*:?=(?!=)")
_CONTROL: Final = frozenset(("if", "else", "end", "range", "with", "define", "block", "break", "continue"))
_OPENING: Final = frozenset(("if", "range", "with", "define", "block"))


class Kind(Enum):
    COMMENT = "comment"
    CONTROL = "control"
    ASSIGNMENT = "assignment"
    VALUE = "value"
    """All that may print something: fields, calls of functions and of named templates."""


class Action(NamedTuple):
    span: Span
    kind: Kind
    body: str
    """Without the braces, the trim marks and the blanks around it."""
    trims_before: bool
    trims_after: bool
    body_at: int
    """Where the body begins."""

    @property
    def is_silent(self) -> bool:
        """Whether it prints nothing itself."""
        return self.kind is not Kind.VALUE

    @property
    def word(self) -> str:
        """The first word of a control action, else nothing."""
        found = _WORD.match(self.body) if self.kind is Kind.CONTROL else None
        return found[0] if found else ""

    @property
    def opens(self) -> bool:
        return self.word in _OPENING

    @property
    def closes(self) -> bool:
        return self.word == "end"


def actions(text: str) -> tuple[Action, ...]:
    """Every action, in order. One that is not finished ends where the line does."""
    found: list[Action] = []
    scan = _Scan(text)
    start = text.find("{{")
    while start >= 0:
        action = scan.action(start)
        found.append(action)
        start = text.find("{{", action.span.end)
    return tuple(found)


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.last_end = text.rfind("}}")
        self.last_comment_end = text.rfind("*/")
        self.last_raw = text.rfind("`")
        self.broken_until = -1
        """Up to here the quotes are known not to pair up: the first braces end an action."""

    def action(self, start: int) -> Action:
        text = self.text
        inner = start + 2
        trims_before = text[inner : inner + 1] == "-" and text[inner + 1 : inner + 2] in (" ", "\t", "\r", "\n")
        if trims_before:
            inner += 1
        body_at = inner
        while text[body_at : body_at + 1].isspace():
            body_at += 1
        is_comment = text.startswith("/*", body_at)
        end = self._comment_end(body_at) if is_comment else self._end(inner)
        finished = end >= 0
        if not finished:
            end = _line_end(text, start)
        body = text[inner : end - 2 if finished else end]
        trims_after = finished and len(body) > 1 and body[-1] == "-" and (body[-2].isspace() or is_comment)
        if trims_after:
            body = body[:-1]
        body = body.strip()
        kind = _kind(body, is_comment=is_comment)
        return Action(Span(start, end), kind, body, trims_before, trims_after, body_at)

    def _comment_end(self, at: int) -> int:
        if at + 2 > self.last_comment_end:
            return self._first_braces(at)
        return self._first_braces(self.text.index("*/", at + 2) + 2)

    def _first_braces(self, at: int) -> int:
        return self.text.index("}}", at) + 2 if at <= self.last_end else -1

    def _end(self, start: int) -> int:
        """After the braces that end an action, strings skipped; -1 if there are none."""
        if start > self.last_end:
            return -1
        if start < self.broken_until:
            return self._first_braces(start)
        text, at = self.text, start
        while (leaf := _LEAVES.search(text, at)) is not None:
            if leaf[0] == "}}":
                return leaf.end()
            if leaf[0] == "`":
                if leaf.start() >= self.last_raw:
                    break
                at = text.index("`", leaf.end()) + 1
                continue
            string = _STRING.match(text, leaf.start())
            if string is None:
                break
            at = string.end()
        self.broken_until = _line_end(text, at)
        return self._first_braces(start)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _kind(body: str, *, is_comment: bool) -> Kind:
    if is_comment:
        return Kind.COMMENT
    if _ASSIGNMENT.match(body):
        return Kind.ASSIGNMENT
    word = _WORD.match(body)
    return Kind.CONTROL if word and word[0] in _CONTROL else Kind.VALUE
