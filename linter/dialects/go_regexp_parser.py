"""Go's regular expressions (RE2) → a small program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from ..facts.regexes import regex
from .go_regexp_program import (
    MAX_PROGRAM,
    BadPattern,
    Code,
    Instruction,
    NotJudged,
    Op,
    Program,
    absolute,
    one_of,
    repeat,
)
from .go_regexp_sets import CONTROLS, LAST, PERL, POSIX, Ranges, negated_set, with_other_case

_LONGEST: Final = 20_000
_MAX_REPEAT: Final = 1_000
"""Go's own."""
_MAX_NESTING: Final = 50
_MOST_FOLDED: Final = 2_000

_OCTAL: Final = "01234567"
_COUNT: Final = regex(r"\{(?P<least>0|[1-9][0-9]*)(?P<comma>,(?P<most>0|[1-9][0-9]*)?)?\}")
"""A brace that counts nothing else stands for itself, also one with a zero in front."""
_HEXADECIMAL: Final = regex(r"[0-9a-fA-F]{2}|\{(?P<many>[0-9a-fA-F]+)\}")
_NAME: Final = regex(r"\w+", re.ASCII)


@dataclass(frozen=True)
class _Flags:
    ignore_case: bool = False
    multi_line: bool = False
    dot_all: bool = False
    lazy: bool = False
    """`a*` takes as little as it can, and `a*?` as much."""


def compile_pattern(pattern: str) -> Program:
    """Raises what Go says of a pattern that it refuses, and what cannot be judged here."""
    result = _compiled(pattern)
    if isinstance(result, Program):
        return result
    raise type(result)(*result.args)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Program | BadPattern | NotJudged:
    if len(pattern) > _LONGEST:
        return NotJudged("a regular expression that is too large")
    parser = _Parser(pattern)
    try:
        code = parser.alternatives()
        if parser.at < len(pattern):
            raise parser.wrong("unexpected )", pattern)
    except (BadPattern, NotJudged) as error:
        return error.with_traceback(None)
    whole = [Instruction(Op.SAVE, 0), *code, Instruction(Op.SAVE, 1), Instruction(Op.MATCH)]
    return Program(tuple(absolute(whole)), parser.groups, parser.names)


@dataclass
class _Parser:
    pattern: str
    at: int = 0
    groups: int = 0
    depth: int = 0
    counted: int = 1
    """How often numbers repeat what was read last, those inside it included: Go wants no more than a thousand."""
    flags: _Flags = _Flags()
    names: dict[str, list[int]] = field(default_factory=dict)

    def wrong(self, what: str, near: str) -> BadPattern:
        return BadPattern(f"{what}: `{near}`")

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        character = self.peek()
        self.at += 1
        return character

    def checked(self, code: Code) -> Code:
        if len(code) > MAX_PROGRAM:
            raise NotJudged("a regular expression that is too large")
        return code

    # -- structure

    def alternatives(self) -> Code:
        outer = self.flags
        ways = [self.sequence()]
        counted = self.counted
        while self.peek() == "|":
            self.at += 1
            ways.append(self.sequence())
            counted = max(counted, self.counted)
        self.flags, self.counted = outer, counted
        code = ways.pop()
        while ways:
            way = ways.pop()
            after = Instruction(Op.JUMP, len(code) + 1)
            code = self.checked([Instruction(Op.SPLIT, 1, len(way) + 2), *way, after, *code])
        return code

    def sequence(self) -> Code:
        pieces: list[Code] = []
        counted = self.counted = 1
        size = 0
        while self.peek() not in ("", "|", ")"):
            more = self.pieces()
            pieces += more
            size += sum(map(len, more))
            if pieces:
                size -= len(pieces[-1])
                pieces[-1] = self.repeated(pieces[-1])
                size += len(pieces[-1])
            counted = max(counted, self.counted)
            if size > MAX_PROGRAM:
                raise NotJudged("a regular expression that is too large")
        self.counted = counted
        return [instruction for piece in pieces for instruction in piece]

    def pieces(self) -> list[Code]:
        """What can be repeated, mostly one. Flags are none: what repeats after them repeats the piece before them."""
        if self.pattern.startswith("\\Q", self.at):
            text, _, _ = self.pattern[self.at + 2 :].partition("\\E")
            self.at = min(self.at + len(text) + 4, len(self.pattern))
            self.counted = 1
            return [self.set(self.folded(((ord(one), ord(one)),))) for one in text]
        before, self.counted = self.counted, 1
        piece = self.atom()
        self.counted = before if piece is None else self.counted
        return [] if piece is None else [piece]

    def repeated(self, piece: Code) -> Code:
        start = self.at
        bounds = self.bounds()
        if bounds is None:
            return piece
        least, most, is_count = bounds
        if is_count:
            self.counted *= max(least if most is None else most, 1)
            if self.counted > _MAX_REPEAT:
                raise self.wrong("invalid repeat count", self.pattern[start : self.at])
        greedy = (self.peek() != "?") is not self.flags.lazy
        self.at += self.peek() == "?"
        piece = self.checked(repeat(piece, least, most, greedy))
        before = self.at
        if self.bounds():
            raise self.wrong("invalid nested repetition operator", self.pattern[before - 1 : self.at])
        return piece

    def bounds(self) -> tuple[int, int | None, bool] | None:
        """How often at least and at most, and whether that is written as numbers."""
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if self.peek() in simple:
            return (*simple[self.take()], False)
        found = _COUNT.match(self.pattern, self.at)
        if found is None:
            return None
        self.at = found.end()
        least, most = found["least"], found["most"] or ("" if found["comma"] else found["least"])
        if max(len(least), len(most)) > 4 or max(int(least), int(most or 0)) > _MAX_REPEAT:
            raise self.wrong("invalid repeat count", found[0])
        if most and int(most) < int(least):
            raise self.wrong("invalid repeat count", found[0])
        return int(least), int(most) if most else None, True

    def atom(self) -> Code | None:
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return self.set(self.bracket())
        if character == ".":
            return [one_of(((0, LAST),) if self.flags.dot_all else ((0, 9), (11, LAST)))]
        if character == "^":
            return [Instruction(Op.START_LINE if self.flags.multi_line else Op.START_TEXT)]
        if character == "$":
            return [Instruction(Op.END_LINE if self.flags.multi_line else Op.END_TEXT)]
        if character == "\\":
            return self.escape()
        self.at -= 1
        start = self.at
        if self.bounds():
            self.at += self.peek() == "?"
            raise self.wrong("missing argument to repetition operator", self.pattern[start : self.at])
        self.at += 1
        return self.set(self.folded(((ord(character), ord(character)),)))

    def set(self, ranges: Ranges) -> Code:
        return [one_of(ranges)]

    def folded(self, ranges: Ranges) -> Ranges:
        if not self.flags.ignore_case:
            return ranges
        if sum(high - low for low, high in ranges) > _MOST_FOLDED:
            raise NotJudged("a very wide range of characters in any case")
        return with_other_case(ranges)

    def group(self) -> Code | None:
        self.depth += 1
        if self.depth > _MAX_NESTING:
            raise NotJudged("a regular expression that is nested too deeply")
        outer, number = self.flags, 0
        if self.peek() == "?":
            name = self.group_options()
            if name is None:
                self.depth -= 1
                return None  # only flags, for what follows in the same group
            if name:
                number = self.groups = self.groups + 1
                self.names.setdefault(name, []).append(number)
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
                if not closing or not _NAME.fullmatch(name):
                    raise self.wrong("invalid named capture", f"({rest}")
                self.at += len(opening) + len(name) + 1
                return name
        end = min((place for place in (rest.find(":"), rest.find(")")) if place >= 0), default=-1)
        letters, dash, off = rest[1:end].partition("-")
        if end < 0 or set(letters + off) - set("imsU") or (dash and not off):
            raise self.wrong("invalid or unsupported Perl syntax", f"({rest[:3]}")
        on = [
            (before or flag in letters) and flag not in off
            for flag, before in zip("imsU", _values(self.flags), strict=True)
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
            ranges = self.folded(PERL[character.lower()])
            return ranges if character.islower() else negated_set(ranges)
        code = self.character(character)
        return self.folded(((code, code),))

    def character(self, character: str) -> int:
        """The one that is written as this letter, or as a number, after a backslash."""
        if not character:
            raise self.wrong("trailing backslash at end of expression", "")
        if character in CONTROLS:
            return CONTROLS[character]
        if character in "pP":
            raise NotJudged(f"\\{character} in a regular expression")
        code = self.numbered(character) if character in "x01234567" else ord(character)
        if code is None or not character.isascii() or (character.isalnum() and character not in "x01234567"):
            raise self.wrong("invalid escape sequence", f"\\{character}")
        return code

    def numbered(self, character: str) -> int | None:
        """The character that an escape gives by its number; a single digit but 0 would be a reference back."""
        if character == "x":
            found = _HEXADECIMAL.match(self.pattern, self.at)
            code = int(found["many"] or found[0], 16) if found else LAST + 1
            self.at = found.end() if found else self.at
            return code if code <= LAST else None
        if character != "0" and self.peek() not in tuple(_OCTAL):
            return None
        digits = character
        while len(digits) < 3 and self.peek() in tuple(_OCTAL):
            digits += self.take()
        return int(digits, 8)

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
        return negated_set(tuple(ranges)) if negated else tuple(ranges)

    def bracket_item(self) -> Ranges:
        end = self.pattern.find(":]", self.at + 2) if self.pattern.startswith("[:", self.at) else -1
        if end >= 0:
            name = self.pattern[self.at + 2 : end].removeprefix("^")
            if name not in POSIX:
                raise self.wrong("invalid character class range", self.pattern[self.at : end + 2])
            negated = self.pattern.startswith("[:^", self.at)
            self.at = end + 2
            ranges = self.folded(POSIX[name])
            return negated_set(ranges) if negated else ranges
        if self.peek() == "\\" and self.pattern[self.at + 1 : self.at + 2] in tuple("dwsDWS"):
            self.at += 2
            return self.escaped(self.pattern[self.at - 1])
        start = self.at
        low = high = self.bracket_character()
        if self.peek() == "-" and self.pattern[self.at + 1 : self.at + 2] not in ("]", ""):
            self.at += 1
            high = self.bracket_character()
        if high < low:
            raise self.wrong("invalid character class range", self.pattern[start : self.at])
        return self.folded(((low, high),))

    def bracket_character(self) -> int:
        character = self.take()
        if character != "\\":
            return ord(character)
        return self.character(self.take())


def _values(flags: _Flags) -> tuple[bool, bool, bool, bool]:
    return flags.ignore_case, flags.multi_line, flags.dot_all, flags.lazy
