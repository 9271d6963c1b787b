"""Regular expressions of schemas, in the dialect and with the cost of Go's regexp.

A schema and the value it is for may both come from a stranger, and Python's re can be made to run for years.
This one goes over the text once with all states at a time. What it does not know it refuses to judge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

Test = Callable[[str], bool]

_LARGEST_PROGRAM: Final = 4_000
_MOST_STEPS: Final = 200_000
_DEEPEST: Final = 50
_DIGIT: Final = frozenset("0123456789")
_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SPACE: Final = frozenset("\t\n\f\r ")
_SETS: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


class _Unknown(Exception):
    """Something this module does not know, or a pattern that is none."""


class _Step(NamedTuple):
    """One instruction: a test for a character, an assertion, or where to go on."""

    kind: str
    test: Test | None = None
    ways: tuple[int, ...] = ()
    """Relative."""


def finds(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found anywhere in the text; None where nobody can tell at a reasonable price."""
    program = _compiled(pattern)
    if program is None or len(program) * (len(text) + 1) > _MOST_STEPS:
        return None
    return _run(program, text)


def _run(program: tuple[_Step, ...], text: str) -> bool:
    states: set[int] = set()
    for at in range(len(text) + 1):
        states = _closure(program, states | {0}, at, text)
        if len(program) in states:
            return True
        if at < len(text):
            character = text[at]
            states = {state + 1 for state in states if (test := program[state].test) is not None and test(character)}
    return False


def _closure(program: tuple[_Step, ...], states: set[int], at: int, text: str) -> set[int]:
    """With all states that are reached without a character."""
    reached: set[int] = set()
    waiting = list(states)
    while waiting:
        state = waiting.pop()
        if state in reached:
            continue
        reached.add(state)
        if state == len(program):
            continue
        step = program[state]
        if step.kind == "go":
            waiting += [state + way for way in step.ways]
        elif step.kind != "test" and _holds(step.kind, at, text):
            waiting.append(state + 1)
    return reached


def _holds(assertion: str, at: int, text: str) -> bool:
    if assertion == "start":
        return at == 0
    if assertion == "end":
        return at == len(text)
    before = at > 0 and text[at - 1] in _WORD
    after = at < len(text) and text[at] in _WORD
    return (before != after) is (assertion == "edge")


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> tuple[_Step, ...] | None:
    try:
        return tuple(_Parser(pattern).parse())
    except _Unknown:
        return None


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def parse(self) -> list[_Step]:
        steps = self._alternatives()
        if self._at < len(self._pattern):
            raise _Unknown
        return steps

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        character = self._peek()
        if not character:
            raise _Unknown
        self._at += 1
        return character

    def _accepts(self, text: str) -> bool:
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) if found else 0
        return found

    def _alternatives(self) -> list[_Step]:
        branches = [self._sequence()]
        while self._accepts("|"):
            branches.append(self._sequence())
        steps = branches.pop()
        for branch in reversed(branches):
            steps = [
                _Step("go", ways=(1, len(branch) + 2)), *branch, _Step("go", ways=(len(steps) + 1,)), *steps
            ]  # fmt: skip
            _check_size(steps)
        return steps

    def _sequence(self) -> list[_Step]:
        steps: list[_Step] = []
        while self._peek() not in ("", "|", ")"):
            steps += self._repeated(self._atom())
            _check_size(steps)
        return steps

    def _repeated(self, atom: list[_Step]) -> list[_Step]:
        counts = self._counts()
        if counts is None:
            return atom
        self._accepts("?")  # a lazy one finds the same texts
        least, most = counts
        if self._peek() in ("*", "+", "?"):
            raise _Unknown
        if least * len(atom) > _LARGEST_PROGRAM:
            raise _Unknown
        steps = atom * least
        if most is None:
            return [*steps, _Step("go", ways=(1, len(atom) + 2)), *atom, _Step("go", ways=(-len(atom) - 1,))]
        optional: list[_Step] = []
        for _ in range(most - least):
            optional = [_Step("go", ways=(1, len(atom) + len(optional) + 1)), *atom, *optional]
            _check_size(optional)
        return steps + optional

    def _counts(self) -> tuple[int, int | None] | None:
        if self._accepts("*"):
            return 0, None
        if self._accepts("+"):
            return 1, None
        if self._accepts("?"):
            return 0, 1
        if self._peek() != "{":
            return None
        least, comma, most = self._pattern[self._at + 1 :].partition("}")[0].partition(",")
        if not least.isdecimal() or (most and not most.isdecimal()) or len(least + most) > 6:
            raise _Unknown  # to Go it is plain text
        self._at = self._pattern.index("}", self._at) + 1
        return int(least), (int(most) if most else None) if comma else int(least)

    def _atom(self) -> list[_Step]:
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return [_Step("test", self._class())]
        if character == ".":
            return [_Step("test", lambda one: one != "\n")]
        if character in "^$":
            return [_Step("start" if character == "^" else "end")]
        if character == "\\":
            return [self._escape()]
        if character in "*+?":
            raise _Unknown
        return [_Step("test", character.__eq__)]

    def _group(self) -> list[_Step]:
        if self._accepts("?P<") or (self._peek() == "?" and self._accepts("?<")):
            if self._peek() in ("=", "!"):
                raise _Unknown
            while self._next() != ">":
                pass
        elif self._peek() == "?" and not self._accepts("?:"):
            raise _Unknown
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Unknown
        steps = self._alternatives()
        self._depth -= 1
        if not self._accepts(")"):
            raise _Unknown
        return steps

    def _escape(self) -> _Step:
        character = self._next()
        if character in "Az":
            return _Step("start" if character == "A" else "end")
        if character in "bB":
            return _Step("edge" if character == "b" else "no edge")
        return _Step("test", self._escaped(character))

    def _escaped(self, character: str) -> Test:
        if character.lower() in _SETS:
            members = _SETS[character.lower()]
            return members.__contains__ if character.islower() else lambda one: one not in members
        return self._literal(character).__eq__

    def _literal(self, character: str) -> str:
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character.isalnum():
            raise _Unknown
        return character

    def _class(self) -> Test:
        negated = self._accepts("^")
        tests: list[Test] = []
        first = True
        while first or self._peek() != "]":
            tests.append(self._member())
            first = False
        self._next()
        return lambda one: any(test(one) for test in tests) is not negated

    def _member(self) -> Test:
        if self._accepts("[:"):
            raise _Unknown
        low = self._next()
        if low == "\\":
            escaped = self._next()
            if escaped.lower() in _SETS:
                return self._escaped(escaped)
            low = self._literal(escaped)
        if self._peek() != "-" or self._pattern[self._at + 1 : self._at + 2] in ("]", ""):
            return low.__eq__
        self._next()
        high = self._next()
        if high == "\\":
            high = self._literal(self._next())
        if high < low:
            raise _Unknown
        return lambda one: low <= one <= high


def _check_size(steps: list[_Step]) -> None:
    if len(steps) > _LARGEST_PROGRAM:
        raise _Unknown
