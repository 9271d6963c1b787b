"""Go's regular expressions: searching in time that grows with pattern times text, and no faster.

Who uses them: patterns in schemas of CRDs and of charts, targets and paths of
kustomizations, Sprig's functions in ApplicationSets, and globs that Python's own
`re` could be held up with. `re` knows another dialect, and a stranger can write
a pattern that it never comes to an end with. Google's own library for Python
(google-re2) would be faster, but is compiled and not there for every system;
it refuses and finds the same, but for Unicode's tables, which are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from ..facts.regexes import regex
from .go_regexp_parser import compile_pattern
from .go_regexp_program import BadPattern, NotJudged, Op, Program

__all__ = ["BadPattern", "NotJudged", "Regexp", "Slots", "finds"]

_MOST_STEPS: Final = 200_000
"""Of one question whose asker has no budget of his own."""

_SHORT: Final = 100
"""Characters of a text whose answer is remembered."""

_REFERENCE: Final = regex(r"\$(?:(?P<dollar>\$)|(?P<name>\w+)|\{(?P<braced>\w+)\})", re.ASCII)

Slots = tuple[int | None, ...]


def finds(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found anywhere in the text; None where Go refuses it, or nobody here can tell."""
    return _finds_in_short(pattern, text) if len(text) <= _SHORT else _finds(pattern, text)


def _finds(pattern: str, text: str) -> bool | None:
    try:
        return Regexp(pattern).is_in(text)
    except (BadPattern, NotJudged):
        return None


_finds_in_short: Final = lru_cache(maxsize=4096)(_finds)
"""Hundreds of objects of a kind hold the same few words."""


class Regexp:
    """A pattern, and whom its use is charged to. Raises what Go refuses, and what cannot be judged here."""

    def __init__(self, pattern: str, spend: Callable[[int], None] | None = None) -> None:
        self.program = compile_pattern(pattern)
        self._spend = spend

    def is_in(self, text: str, most_steps: int = _MOST_STEPS) -> bool:
        """Whether it is found; of texts that are too long for the pattern nobody can tell."""
        if len(self.program.code) * (len(text) + 1) > most_steps:
            raise NotJudged("a text that is too long for its regular expression")
        return _is_in(self.program, text)

    def search(self, text: str, start: int) -> Slots | None:
        """The slots of the first match from here on: start and end of the whole, then of each group."""
        code = self.program.code
        empty: Slots = (None,) * (2 * self.program.groups + 2)
        found: Slots | None = None
        threads: list[tuple[int, Slots]] = []
        for at in range(start, len(text) + 1):
            if found is None:
                threads += [(0, empty)]
            threads = self._follow(threads, text, at)
            kept: list[tuple[int, Slots]] = []
            for where, slots in threads:
                instruction = code[where]
                if instruction.op is Op.MATCH:
                    found = slots
                    break
                if at < len(text) and instruction.takes(ord(text[at])):
                    kept.append((where + 1, slots))
            threads = kept
            if found is not None and not threads:
                break
        return found

    def _follow(self, threads: list[tuple[int, Slots]], text: str, at: int) -> list[tuple[int, Slots]]:
        """Go along everything that takes no character; the order of the result is the order of preference."""
        code = self.program.code
        seen: set[int] = set()
        ready: list[tuple[int, Slots]] = []
        stack = threads[::-1]
        while stack:
            where, slots = stack.pop()
            if where in seen:
                continue
            seen.add(where)
            instruction = code[where]
            if instruction.op in (Op.SET, Op.MATCH):
                ready.append((where, slots))
            elif instruction.op is Op.SPLIT:
                stack += [(instruction.other, slots), (instruction.to, slots)]
            elif instruction.op is Op.JUMP:
                stack.append((instruction.to, slots))
            elif instruction.op is Op.SAVE:
                stack.append((where + 1, (*slots[: instruction.to], at, *slots[instruction.to + 1 :])))
            elif _holds(instruction.op, text, at):
                stack.append((where + 1, slots))
        if self._spend:
            self._spend(1 + len(seen) // 4)
        return ready

    def find_all(self, text: str, most: int = -1) -> Iterator[Slots]:
        """Matches one after another; an empty one right after a match is none."""
        at, last, count = 0, -1, 0
        while at <= len(text) and (most < 0 or count < most):
            slots = self.search(text, at)
            if slots is None or slots[0] is None or slots[1] is None:
                return
            start, end = slots[0], slots[1]
            if start < end or start != last:
                yield slots
                count += 1
            last = end
            at = end if end > at else at + 1

    def expanded(self, replacement: str, text: str, slots: Slots) -> str:
        """What a replacement comes to at a match: `$1`, `${name}`."""

        def group(match: re.Match[str]) -> str:
            if match["dollar"]:
                return "$"
            name = match["name"] or match["braced"]
            numbers = [int(name)] if name.isdigit() and len(name) < 4 else self.program.names.get(name, [])
            spans = (slots[2 * number : 2 * number + 2] for number in numbers)
            return next((text[span[0] : span[1]] for span in spans if span and None not in span), "")

        return _REFERENCE.sub(group, replacement)


def _is_in(program: Program, text: str) -> bool:
    """As `search`, but asks no more than whether: places need not be kept, nor their order."""
    code = program.code
    states: set[int] = set()
    for at in range(len(text) + 1):
        states.add(0)
        waiting = list(states)
        states = set()
        taking: list[int] = []
        while waiting:
            where = waiting.pop()
            if where in states:
                continue
            states.add(where)
            instruction = code[where]
            op = instruction.op
            if op is Op.SET:
                taking.append(where)
            elif op is Op.MATCH:
                return True
            elif op is Op.SPLIT:
                waiting += (instruction.to, instruction.other)
            elif op is Op.JUMP:
                waiting.append(instruction.to)
            elif op is Op.SAVE or _holds(op, text, at):
                waiting.append(where + 1)
        if at < len(text):
            character = ord(text[at])
            states = {where + 1 for where in taking if code[where].takes(character)}
    return False


def _holds(op: Op, text: str, at: int) -> bool:
    if op is Op.START_TEXT:
        return at == 0
    if op is Op.END_TEXT:
        return at == len(text)
    if op is Op.START_LINE:
        return at == 0 or text[at - 1] == "\n"
    if op is Op.END_LINE:
        return at == len(text) or text[at] == "\n"
    edge = _is_word(text, at - 1) is not _is_word(text, at)
    return edge if op is Op.WORD_EDGE else not edge


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at] == "_" or (text[at].isalnum() and text[at].isascii()))
