"""Findings → the text of a baseline, and the same text without its stale entries.

One line an entry, sorted, nothing in it that changes from run to run: what git
shows of a change is what changed, and two branches seldom touch the same line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Final

from ...facts.regexes import regex
from ...yaml.source import Span
from .baseline_entries import FINDINGS, VERSION, Baseline, Entry
from .known_findings import StaleEntry

_COUNT: Final = regex(r'("count"[ \t\r\n]*:[ \t\r\n]*)\d+')
"""In the text of an entry. Quotes within a text are escaped, so that only the key looks like this."""
_BLANKS: Final = " \t\r\n"


def entries_of(entries: Iterable[Entry]) -> list[Entry]:
    """Sorted, equal ones counted."""
    counts: Counter[Entry] = Counter()
    for entry in entries:
        counts[replace(entry, count=1)] += entry.count
    return sorted(replace(entry, count=count) for entry, count in counts.items())


def to_text(entries: Iterable[Entry]) -> str:
    lines = ",\n".join(f"    {_line(entry)}" for entry in entries_of(entries))
    inside = f"\n{lines}\n  " if lines else ""
    return f'{{\n  "version": {VERSION},\n  "{FINDINGS}": [{inside}]\n}}\n'


def _line(entry: Entry) -> str:
    data = asdict(entry)
    if entry.count == 1:
        del data["count"]
    # Only ASCII: what a stranger chose cannot reorder or hide what a reviewer reads.
    return json.dumps(data)


def without(baseline: Baseline, stale: Iterable[StaleEntry]) -> str:
    """The text with these entries taken out, or their counts lowered, and every other character as it was."""
    text = baseline.file.text
    gone = {item.number for item in stale if item.left == item.entry.count}
    lowered = {item.number: item.entry.count - item.left for item in stale if item.number not in gone}
    kept = [index for index in range(len(baseline.entries)) if index not in gone]
    if not baseline.spans:
        return text
    head, tail = text[: baseline.spans[0].start], text[baseline.spans[-1].end :]
    if not kept:
        return f"{head.rstrip(_BLANKS)}{tail.lstrip(_BLANKS)}"
    pieces = [head]
    for number, index in enumerate(kept):
        entry = _slice(text, baseline.spans[index])
        pieces.append(_COUNT.sub(rf"\g<1>{lowered[index]}", entry) if index in lowered else entry)
        if number + 1 < len(kept):
            # What stood behind the entry stays with it: the comma, and the break of the line.
            pieces.append(text[baseline.spans[index].end : baseline.spans[index + 1].start])
    return "".join((*pieces, tail))


def _slice(text: str, span: Span) -> str:
    return text[span.start : span.end]
