"""Go's regular expressions (RE2) → a small program.

Python's own `re` knows another dialect, and takes for ever on patterns that a
stranger can write.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final

from .errors import CannotEvaluate, TemplateError

_MAX_PROGRAM: Final = 2_000
_MAX_REPEAT: Final = 1_000
_MAX_NESTING: Final = 40
_LAST: Final = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]

_DIGIT: Final[Ranges] = ((48, 57),)
_WORD: Final[Ranges] = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Final[Ranges] = ((9, 10), (12, 13), (32, 32))
_PERL: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_POSIX: Final[dict[str, Ranges]] = {
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
_CONTROLS: Final = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}


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
    ignore_case: bool = False

    def takes(self, code: int) -> bool:
        if any(low <= code <= high for low, high in self.ranges):
            return True
        if not self.ignore_case:
            return False
        character = chr(code)
        folded = {ord(other) for other in (character.lower(), character.upper()) if len(other) == 1}
        return any(low <= one <= high for one in folded for low, high in self.ranges)


@dataclass(frozen=True)
class Program:
    code: tuple[Instruction, ...]
    groups: int
    names: dict[str, int]


@dataclass(frozen=True)
class _Flags:
    ignore_case: bool = False
    multi_line: bool = False
    dot_all: bool = False


Code = list[Instruction]


def compile_pattern(pattern: str) -> Program:
    parser = _Parser(pattern)
    code = parser.alternatives()
    if parser.at < len(pattern):
        raise parser.wrong("unexpected )", pattern)
    whole = [Instruction(Op.SAVE, 0), *code, Instruction(Op.SAVE, 1), Instruction(Op.MATCH)]
    return Program(tuple(_absolute(whole)), parser.groups, parser.names)


def _absolute(code: Code) -> Code:
    """Jumps are counted from their own place while pieces are put together."""
    return [
        replace(one, to=one.to + at, other=one.other + at) if one.op in (Op.SPLIT, Op.JUMP) else one
        for at, one in enumerate(code)
    ]


@dataclass
class _Parser:
    pattern: str
    at: int = 0
    groups: int = 0
    depth: int = 0
    flags: _Flags = _Flags()
    names: dict[str, int] = field(default_factory=dict)

    def wrong(self, what: str, near: str) -> TemplateError:
        return TemplateError(f"regexp: Compile(`{self.pattern}`): error parsing regexp: {what}: `{near}`")

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        character = self.peek()
        self.at += 1
        return character

    def checked(self, code: Code) -> Code:
        if len(code) > _MAX_PROGRAM:
            raise CannotEvaluate("a regular expression that is too large")
        return code

    # -- structure

    def alternatives(self) -> Code:
        outer = self.flags
        ways = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            ways.append(self.sequence())
        self.flags = outer
        code = ways.pop()
        while ways:
            way = ways.pop()
            after = Instruction(Op.JUMP, len(code) + 1)
            code = self.checked([Instruction(Op.SPLIT, 1, len(way) + 2), *way, after, *code])
        return code

    def sequence(self) -> Code:
        code: Code = []
        while self.peek() not in ("", "|", ")"):
            piece = self.atom()
            code += self.repeated(piece) if piece is not None else []
            self.checked(code)
        return code

    def repeated(self, piece: Code) -> Code:
        bounds = self.bounds()
        while bounds:
            greedy = self.peek() != "?"
            self.at += not greedy
            piece = self.checked(_repeat(piece, bounds[0], bounds[1], greedy))
            before = self.at
            bounds = self.bounds()
            if bounds:
                raise self.wrong("invalid nested repetition operator", self.pattern[before - 1 : self.at])
        return piece

    def bounds(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if self.peek() in simple:
            return simple[self.take()]
        if self.peek() != "{":
            return None
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at + 1 : end].partition(",")
        if end < 0 or not low.isdecimal() or (high and not high.isdecimal()) or len(low + high) > 8:
            return None  # a brace that counts nothing stands for itself
        text, self.at = self.pattern[self.at : end + 1], end + 1
        least, most = int(low), int(high) if high else (None if comma else int(low))
        if max(least, most or 0) > _MAX_REPEAT or (most is not None and most < least):
            raise self.wrong("invalid repeat count", text)
        return least, most

    def atom(self) -> Code | None:
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return self.set(self.bracket())
        if character == ".":
            return [Instruction(Op.SET, ranges=((0, _LAST),) if self.flags.dot_all else ((0, 9), (11, _LAST)))]
        if character == "^":
            return [Instruction(Op.START_LINE if self.flags.multi_line else Op.START_TEXT)]
        if character == "$":
            return [Instruction(Op.END_LINE if self.flags.multi_line else Op.END_TEXT)]
        if character == "\\":
            return self.escape()
        if character in "*+?":
            raise self.wrong("missing argument to repetition operator", character)
        return self.set(((ord(character), ord(character)),))

    def set(self, ranges: Ranges) -> Code:
        return [Instruction(Op.SET, ranges=ranges, ignore_case=self.flags.ignore_case)]

    def group(self) -> Code | None:
        self.depth += 1
        if self.depth > _MAX_NESTING:
            raise CannotEvaluate("a regular expression that is nested too deeply")
        outer, number = self.flags, 0
        if self.peek() == "?":
            name = self.group_options()
            if name is None:
                self.depth -= 1
                return None  # only flags, for what follows in the same group
            if name:
                self.names[name] = number = self.groups = self.groups + 1
        else:
            number = self.groups = self.groups + 1
        code = self.alternatives()
        if self.take() != ")":
            raise self.wrong("missing closing )", self.pattern)
        self.flags = outer
        self.depth -= 1
        if number:
            return [Instruction(Op.SAVE, 2 * number), *code, Instruction(Op.SAVE, 2 * number + 1)]
        return code

    def group_options(self) -> str | None:
        """The group's name, empty if it has none; None if there is no group, only flags."""
        rest = self.pattern[self.at :]
        for opening in ("?P<", "?<"):
            if rest.startswith(opening) and rest[len(opening) : len(opening) + 1] not in ("=", "!"):
                name, closing, _ = rest[len(opening) :].partition(">")
                if not closing or not name.isidentifier() or name in self.names:
                    raise self.wrong("invalid named capture", f"({rest}")
                self.at += len(opening) + len(name) + 1
                return name
        end = min((place for place in (rest.find(":"), rest.find(")")) if place >= 0), default=-1)
        letters, dash, off = rest[1:end].partition("-")
        if end < 0 or set(letters + off) - set("imsU") or (dash and not off):
            raise self.wrong("invalid or unsupported Perl syntax", f"({rest[:3]}")
        if "U" in letters + off:
            raise CannotEvaluate("the flag U of a regular expression")
        on = [
            flag in letters or (before and flag not in off)
            for flag, before in zip("ims", _values(self.flags), strict=True)
        ]
        self.flags = _Flags(*on)
        self.at += end + 1
        return "" if rest[end] == ":" else None

    # -- single characters

    def escape(self) -> Code:
        character = self.take()
        edges = {"A": Op.START_TEXT, "z": Op.END_TEXT, "b": Op.WORD_EDGE, "B": Op.NO_WORD_EDGE}
        if character in edges:
            return [Instruction(edges[character])]
        return self.set(self.escaped(character))

    def escaped(self, character: str) -> Ranges:
        """What the letter after a backslash stands for, in a class or outside."""
        if character and character in "dwsDWS":
            ranges = _PERL[character.lower()]
            return ranges if character.islower() else _negated(ranges)
        if character and character in _CONTROLS:
            return ((_CONTROLS[character], _CONTROLS[character]),)
        if character and character in "pPQCx01234567":
            raise CannotEvaluate(f"\\{character} in a regular expression")
        if not character:
            raise self.wrong("trailing backslash at end of expression", "")
        if character.isalnum() and character.isascii():
            raise self.wrong("invalid escape sequence", f"\\{character}")
        return ((ord(character), ord(character)),)

    def bracket(self) -> Ranges:
        start = self.at - 1
        negated = self.peek() == "^"
        self.at += negated
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            if not self.peek():
                raise self.wrong("missing closing ]", self.pattern[start:])
            ranges += self.bracket_item()
            first = False
        self.at += 1
        return _negated(tuple(ranges)) if negated else tuple(ranges)

    def bracket_item(self) -> Ranges:
        if self.pattern.startswith("[:", self.at):
            end = self.pattern.find(":]", self.at)
            name = self.pattern[self.at + 2 : end].removeprefix("^")
            if end < 0 or name not in _POSIX:
                raise self.wrong("invalid character class range", self.pattern[self.at : end + 2])
            negated = self.pattern.startswith("[:^", self.at)
            self.at = end + 2
            return _negated(_POSIX[name]) if negated else _POSIX[name]
        start = self.at
        low = self.bracket_character()
        if self.peek() != "-" or self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        self.at += 1
        high = self.bracket_character()
        if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1] or high < low:
            raise self.wrong("invalid character class range", self.pattern[start : self.at])
        return ((low[0][0], high[0][0]),)

    def bracket_character(self) -> Ranges:
        character = self.take()
        return self.escaped(self.take()) if character == "\\" else ((ord(character), ord(character)),)


def _values(flags: _Flags) -> tuple[bool, bool, bool]:
    return flags.ignore_case, flags.multi_line, flags.dot_all


def _negated(ranges: Ranges) -> Ranges:
    gaps: list[tuple[int, int]] = []
    following = 0
    for low, high in sorted(ranges):
        if low > following:
            gaps.append((following, low - 1))
        following = max(following, high + 1)
    if following <= _LAST:
        gaps.append((following, _LAST))
    return tuple(gaps)


def _repeat(piece: Code, least: int, most: int | None, greedy: bool) -> Code:
    if len(piece) * max(least, most or 0, 1) > _MAX_PROGRAM:
        raise CannotEvaluate("a regular expression that is too large")
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
