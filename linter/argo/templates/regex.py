"""Searching with a regular expression, in time that grows with pattern times text and no faster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from .budget import Budget
from .regex_parser import Op, Program, compile_pattern
from .values import check_text

_REFERENCE: Final = re.compile(r"\$(?:(?P<dollar>\$)|(?P<name>\w+)|\{(?P<braced>\w+)\})", re.ASCII)

Slots = tuple[int | None, ...]


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Program:
    return compile_pattern(pattern)


class Regex:
    """A pattern, and the budget that its use is charged to."""

    def __init__(self, pattern: str, budget: Budget) -> None:
        budget.spend(1 + len(pattern) // 10)
        self.program = _compiled(pattern)
        self.budget = budget

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
        self.budget.spend(1 + len(seen) // 4)
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

    def replaced(self, text: str, replacement: str, literal: bool = False) -> str:
        parts: list[str] = []
        done, length = 0, len(text)
        for slots in self.find_all(text):
            start, end = slots[0] or 0, slots[1] or 0
            put = replacement if literal else self._expanded(replacement, text, slots)
            parts += [text[done:start], put]
            done, length = end, length + len(put)
            check_text(length)
        return "".join([*parts, text[done:]])

    def _expanded(self, replacement: str, text: str, slots: Slots) -> str:
        def group(match: re.Match[str]) -> str:
            if match["dollar"]:
                return "$"
            name = match["name"] or match["braced"]
            number = int(name) if name.isdigit() and len(name) < 4 else self.program.names.get(name, -1)
            if not 0 <= number <= self.program.groups:
                return ""
            start, end = slots[2 * number], slots[2 * number + 1]
            return text[start:end] if start is not None and end is not None else ""

        return _REFERENCE.sub(group, replacement)


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
