"""The small programs that Go's regular expressions become."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from .go_regexp_sets import Ranges

MAX_PROGRAM: Final = 4_000
_LAST_ASCII: Final = 127


class BadPattern(ValueError):
    """What Go says when it refuses the pattern."""


class NotJudged(Exception):
    """Go takes the pattern, but here nobody can tell what it matches: it is too large, or asks for Unicode's tables."""


class Op(Enum):
    SET = auto()
    SPLIT = auto()
    JUMP = auto()
    SAVE = auto()
    START_TEXT = auto()
    END_TEXT = auto()
    START_LINE = auto()
    END_LINE = auto()
    WORD_EDGE = auto()
    NO_WORD_EDGE = auto()
    MATCH = auto()


@dataclass(frozen=True)
class Instruction:
    op: Op
    to: int = 0
    """Where to go on: for SPLIT the preferred way; for SAVE the slot."""
    other: int = 0
    ranges: Ranges = ()
    ascii: frozenset[int] = frozenset()
    """The first of the same characters, quickly asked."""

    def takes(self, code: int) -> bool:
        if code <= _LAST_ASCII:
            return code in self.ascii
        return any(low <= code <= high for low, high in self.ranges)


@dataclass(frozen=True)
class Program:
    code: tuple[Instruction, ...]
    groups: int
    names: dict[str, list[int]]
    """A name may be given to several groups; the first that took part is meant."""


Code = list[Instruction]


@lru_cache(maxsize=1024)
def one_of(ranges: Ranges) -> Instruction:
    return Instruction(
        Op.SET,
        ranges=ranges,
        ascii=frozenset(code for low, high in ranges for code in range(low, min(high, _LAST_ASCII) + 1)),
    )


def absolute(code: Code) -> Code:
    """Jumps are counted from their own place while pieces are put together."""
    return [
        replace(one, to=one.to + at, other=one.other + at) if one.op in (Op.SPLIT, Op.JUMP) else one
        for at, one in enumerate(code)
    ]


def repeat(piece: Code, least: int, most: int | None, greedy: bool) -> Code:
    if len(piece) * max(least, most or 0, 1) > MAX_PROGRAM:
        raise NotJudged("a regular expression that is too large")
    code = piece * least
    if most is None:
        if least:
            return [*code, _split(-len(piece), 1, greedy)]
        if _may_be_empty(piece):
            # As Go does it: a round that takes nothing must be preferred like any other, and then ends the loop.
            return [_split(1, len(piece) + 2, greedy), *piece, _split(-len(piece), 1, greedy)]
        return [_split(1, len(piece) + 2, greedy), *piece, Instruction(Op.JUMP, -len(piece) - 1)]
    for left in range(most - least, 0, -1):
        code = [*code, _split(1, left * (len(piece) + 1), greedy), *piece]
    return code


def _may_be_empty(piece: Code) -> bool:
    """Whether the piece can be gone through without taking a character."""
    seen: set[int] = set()
    stack = [0]
    while stack:
        at = stack.pop()
        if at == len(piece):
            return True
        if at in seen or piece[at].op is Op.SET:
            continue
        seen.add(at)
        if piece[at].op is Op.SPLIT:
            stack += (at + piece[at].to, at + piece[at].other)
        else:
            stack.append(at + piece[at].to if piece[at].op is Op.JUMP else at + 1)
    return False


def _split(go: int, skip: int, greedy: bool) -> Instruction:
    return Instruction(Op.SPLIT, go, skip) if greedy else Instruction(Op.SPLIT, skip, go)
