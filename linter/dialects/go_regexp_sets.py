"""Sets of characters in Go's regular expressions, as ranges of their numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

LAST: Final = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]

_DIGIT: Final[Ranges] = ((48, 57),)
_WORD: Final[Ranges] = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Final[Ranges] = ((9, 10), (12, 13), (32, 32))
PERL: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
POSIX: Final[dict[str, Ranges]] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": _DIGIT,
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": _WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
CONTROLS: Final = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}


def with_other_case(ranges: Ranges) -> Ranges:
    codes = [code for low, high in ranges for code in range(low, high + 1)]
    others = {code for one in codes for code in _other_cases(chr(one))}
    return (*ranges, *((code, code) for code in sorted(others)))


@lru_cache(maxsize=512)
def _other_cases(character: str) -> tuple[int, ...]:
    """Lower case, upper case, and the letters that have the same: k, K, and the sign of the kelvin."""
    known = {"k": "\u212a", "s": "\u017f"}
    cases = {character.lower(), character.upper(), character.upper().lower(), character.lower().upper()}
    cases |= {known[one] for one in cases if one in known}
    return tuple(ord(one) for one in cases if len(one) == 1 and one != character)


def negated_set(ranges: Ranges) -> Ranges:
    gaps: list[tuple[int, int]] = []
    following = 0
    for low, high in sorted(ranges):
        if low > following:
            gaps.append((following, low - 1))
        following = max(following, high + 1)
    if following <= LAST:
        gaps.append((following, LAST))
    return tuple(gaps)
