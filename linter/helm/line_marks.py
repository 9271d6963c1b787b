"""Which line of which template printed a line: marks at the ends of lines, that a second render prints along.

A mark is a comment to YAML, and a few more characters in a text. It is put
only where it cannot change what Helm decides: not where a line goes on in an
action or is trimmed, not in the output of a named template that may be used
as a value. Where it does change something, Helm refuses the marked chart or
prints other lines, and then nothing is read from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ..facts.regexes import regex
from .actions import Action, Kind
from .masked_templates import UNKNOWN, matching_ends
from .template_file import TemplateFile

_ENTRY: Final = regex(r"\s*(?:-(?:\s|$)|(?:\"[^\"]*\"|'[^']*'|[^\s\"'{\[#][^:]*):(?:\s|$))")
"""A line that only YAML has: a key or an item."""
_WHOLE: Final = regex(r"toYaml\s[^|]*(?:\|\s*n?indent\s+\d+\s*)?")
"""An action that prints YAML, whole, and never nothing."""
_FIRST_LINE_BREAK: Final = regex(r"\|\s*nindent\b")
_VISIBLE: Final = regex(r"\S")
MOST_REMEMBERED: Final = 4_096
"""Templates whose marks are kept in mind."""
MAX_COMPARISONS: Final = 2_000_000


class Mark(NamedTuple):
    file: int
    line: int
    """Counted from 1."""


class Origin(NamedTuple):
    """Where a printed line came from."""

    marks: tuple[Mark, ...] = ()
    """The innermost first: a named template before the line that includes it."""
    is_own: bool = True
    """False when the line has no mark: it belongs to what the next mark below it printed, or to a line before that."""


Lines = Sequence[Origin]
"""For each printed line where it came from."""


TOKEN: Final = "#@gitops-lint@"
"""What marks begin with, unless the chart has it already."""


def mark(text: str, number: int, token: str) -> str:
    """The template with a mark at the end of each line that can bear one; `number` names the file in them."""
    parts: list[str] = []
    at = 0
    for end, first in _bearing_ends(text):
        parts += (text[at:end], f" {token}{number}:{first};")
        at = end
    return "".join(parts) + text[at:]


@lru_cache(maxsize=MOST_REMEMBERED)
def _bearing_ends(text: str) -> tuple[tuple[int, int], ...]:
    """Where marks go, and the lines that they name. A chart is rendered many times, and read once for it."""
    file = TemplateFile("template.tpl", text)
    shift = int(file.has_bom)
    return tuple((file.line_span(line).end + shift, first) for line, first in bearing_lines(file).items())


def bearing_lines(file: TemplateFile) -> dict[int, int]:
    """The lines that get a mark, and the lines that they begin on: an action may go over several."""
    unmarked = _unmarked_lines(file)
    ends = matching_ends(file.actions)
    named_ends = {one: end for one, end in ends.items() if file.actions[one].word == "define"}
    named = _named(file, ends)
    found: dict[int, int] = {}
    first = 1
    for line in range(1, file.text.count("\n") + 2):
        start, end = file.line_span(line)
        around = file.action_at(start - 1) if start else None
        first = first if around is not None and around.span.end > start else line
        if line not in unmarked and _bears_mark(file, start, end, named.get(line, ""), named_ends):
            found[line] = first
    return found


def _bears_mark(file: TemplateFile, start: int, end: int, in_named: str, named_ends: Mapping[int, int]) -> bool:
    line = file.text[start:end]
    if not line.strip() or line.startswith(("---", "...", "%")):
        return False
    found = file.actions_in(start, end)
    last = found[-1] if found else None
    if found and last is not None:
        if not file.text[start : found[0].span.start].strip() and _joins(found[0]):
            return False  # if it prints nothing, the mark would be one of the line before
        if last.span.end > end:
            return False
        is_at_end = not file.text[last.span.end : end].strip()
        if is_at_end and last.trims_after:
            return False
        if all(action.is_silent for action in found) and not _has_text(file, found, start, end):
            return False
    if (
        in_named
        and not _ENTRY.match(_with_unknowns(file, found, start, end))
        and not (in_named == "entries" and len(found) == 1 and _WHOLE.fullmatch(found[0].body))
    ):
        return False
    return not _goes_on(file, end, named_ends)


def _has_text(file: TemplateFile, found: Sequence[Action], start: int, end: int) -> bool:
    return bool(_with_unknowns(file, found, start, end, silent=" ").strip())


def _with_unknowns(file: TemplateFile, found: Sequence[Action], start: int, end: int, silent: str = "") -> str:
    parts: list[str] = []
    at = start
    for action in found:
        parts += (file.text[at : max(action.span.start, start)], silent if action.is_silent else UNKNOWN)
        at = action.span.end
    return "".join(parts) + file.text[at:end]


def _goes_on(file: TemplateFile, end: int, named_ends: Mapping[int, int]) -> bool:
    """Whether an action after the line takes the line break away and may print on behind it."""
    text, at, trims = file.text, end, False
    index = next_action(file, at)
    while True:
        visible = _VISIBLE.search(text, at)
        action = file.actions[index] if index < len(file.actions) else None
        if visible is None:
            return False
        stop = visible.start()
        is_text = action is None or stop < action.span.start
        if not trims and "\n" in text[at:stop] and (is_text or not (action and action.trims_before)):
            return False
        if action is None or is_text:
            return True
        if action.kind is Kind.VALUE:
            return _FIRST_LINE_BREAK.search(action.body) is None
        if action.closes and index in named_ends.values():
            return False  # what is printed ends here
        index = named_ends.get(index, index)  # a named template prints nothing where it is defined
        at, trims = file.actions[index].span.end, file.actions[index].trims_after
        index += 1


def _joins(action: Action) -> bool:
    """Whether an action may print on behind the text before it, the line break between them taken away."""
    return action.kind is Kind.VALUE and action.trims_before and _FIRST_LINE_BREAK.search(action.body) is None


def next_action(file: TemplateFile, at: int) -> int:
    """The number of the first action that begins at an offset or after it."""
    from bisect import bisect_left

    return bisect_left(file.actions, at, key=lambda action: action.span.start)


def _unmarked_lines(file: TemplateFile) -> set[int]:
    """All but the last line of each plain or quoted scalar: a comment would end a plain one."""
    found: set[int] = set()
    for document in file.documents:
        for start, end in document.scalar_spans():
            if end > start and "\n" in file.masked[start:end] and not _is_block(file, start):
                first, last = file.position(start).line, file.position(end - 1).line
                found.update(range(first, last))
    return found


def _is_block(file: TemplateFile, start: int) -> bool:
    """Of a block scalar the span begins behind its header, at the beginning of a line."""
    return start == 0 or file.masked[start - 1] == "\n"


def _named(file: TemplateFile, ends: Mapping[int, int]) -> dict[int, str]:
    """The lines of named templates: of those that print entries for sure, and of the others."""
    kinds: dict[int, str] = {}
    for opener, closer in sorted(ends.items()):
        if file.actions[opener].word in ("define", "block"):
            start, end = file.actions[opener].span.end, file.actions[closer].span.start
            lines = range(file.position(start).line, file.position(end).line + 1)
            kind = "entries" if any(_is_entry(file, line) for line in lines) else "anything"
            kinds.update(dict.fromkeys(lines, kind))
    return kinds


def _is_entry(file: TemplateFile, line: int) -> bool:
    start, end = file.line_span(line)
    return _ENTRY.match(_with_unknowns(file, file.actions_in(start, end), start, end)) is not None


# -- reading


def read_marks(marked: str, clean: str, token: str) -> Lines | None:
    """For each line of the clean output where it came from; None if the marked one has nothing to do with it."""
    pattern = re.compile(rf" ?{re.escape(token)}(\d+):(\d+);")
    own = marked.split("\n")
    stripped = [pattern.sub("", line) for line in own]
    wanted = clean.split("\n")
    marks = [tuple(Mark(int(file), int(line)) for file, line in pattern.findall(text)) for text in own]
    if len(own) == len(wanted) and all(map(_is_alike, stripped, wanted)):
        return _inherited(marks, wanted)
    origins: list[tuple[Mark, ...]] = [()] * len(wanted)
    targets = dict(_aligned(stripped, wanted))
    for source, target in targets.items():
        origins[target] = marks[source]
    return _inherited(origins, wanted, _tails(stripped, marks, targets)) if any(origins) else None


def _tails(
    stripped: Sequence[str], marks: Sequence[tuple[Mark, ...]], targets: Mapping[int, int]
) -> dict[int, tuple[Mark, ...]]:
    """The marks that have a line for themselves, which Helm leaves out at the end of a document without them."""
    found: dict[int, tuple[Mark, ...]] = {}
    last = -1
    for source, text in enumerate(stripped):
        last = targets.get(source, last)
        if source not in targets and marks[source] and not text.strip():
            found[last] = marks[source]
    return found


def _is_alike(one: str, other: str) -> bool:
    """Equal, or equal up to a value: a checksum of marked text and a random password are others each time."""
    if one.rstrip() == other.rstrip():
        return True
    key, colon, _ = one.partition(":")
    other_key, other_colon, _ = other.partition(":")
    if colon or other_colon:
        return key == other_key
    return len(one) - len(one.lstrip()) == len(other) - len(other.lstrip())


def _inherited(
    origins: Sequence[tuple[Mark, ...]], printed: Sequence[str], tails: Mapping[int, tuple[Mark, ...]] | None = None
) -> list[Origin]:
    found: list[Origin] = []
    below: tuple[Mark, ...] = ()
    for number in reversed(range(len(printed))):
        marks, line = origins[number], printed[number]
        below = (tails or {}).get(number, below)
        if line.startswith("---"):
            below = ()
        if marks:
            below = marks
        found.append(Origin(marks) if marks else Origin(below, is_own=False))
    return found[::-1]


def _aligned(ours: Sequence[str], wanted: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Numbers of lines that belong together: document by document, and line by line where documents differ."""
    from difflib import SequenceMatcher

    mine, others = _documents(ours), _documents(wanted)
    texts = [tuple(line.rstrip() for line in ours[start:end] if line.strip()) for start, end in mine]
    other_texts = [tuple(line.rstrip() for line in wanted[start:end] if line.strip()) for start, end in others]
    for tag, i, i2, j, j2 in SequenceMatcher(None, texts, other_texts, autojunk=False).get_opcodes():
        if tag == "equal":
            for one, other in zip(mine[i:i2], others[j:j2], strict=True):
                yield from _aligned_lines(ours, wanted, one, other)
        elif tag == "replace":
            for one, other in zip(mine[i:i2], others[j:j2], strict=False):
                if ours[one[0] : one[0] + 2] == wanted[other[0] : other[0] + 2]:  # of the same template
                    yield from _aligned_lines(ours, wanted, one, other)


def _documents(lines: Sequence[str]) -> list[tuple[int, int]]:
    starts = [number for number, line in enumerate(lines) if not number or line.startswith("---")]
    return list(zip(starts, [*starts[1:], len(lines)], strict=True))


def _aligned_lines(
    ours: Sequence[str], wanted: Sequence[str], one: tuple[int, int], other: tuple[int, int]
) -> Iterable[tuple[int, int]]:
    from difflib import SequenceMatcher

    mine, others = ours[slice(*one)], wanted[slice(*other)]
    if len(mine) == len(others) and all(map(_is_alike, mine, others)):
        yield from zip(range(*one), range(*other), strict=True)
        return
    if len(mine) * len(others) > MAX_COMPARISONS:
        return
    for block in SequenceMatcher(None, mine, others, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            yield one[0] + block.a + offset, other[0] + block.b + offset
