"""What a finding says, in three parts: the fault, what happens and when, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..facts.regexes import regex

LONGEST_HEADLINE: Final = 100

_LEAST_HEADLINE: Final = 20
"""A shorter beginning says no fault yet."""
_LEAST_BEFORE_A_WEAK_BREAK: Final = 40
_CLAUSE: Final = r"(?:a|an|as|by|each|every|from|in|it|its|no|nothing|on|so|the|until|what|who) "
"""How a clause begins; what a `key: value` has after its colon does not."""
_BREAK: Final = regex(rf"; |\. (?=[A-Z])|: (?={_CLAUSE})")
_WEAK_BREAK: Final = regex(r", (?:so|but|and|since|which|where|because|although) ")
_LONG_NAME: Final = regex(r"'[^' ]{13,}'|\S{40,}")
_SHORTEST_NAME: Final = 14
"""With its quotes; less of a name is no longer known again."""


class Wording(NamedTuple):
    headline: str
    """The fault, in at most `LONGEST_HEADLINE` characters, without a full stop."""
    happens: str = ""
    do: str = ""


def joined(wording: Wording) -> str:
    """For readers of one text: the headline as a sentence, then the others."""
    headline, *sentences = wording
    return " ".join((f"{headline}." if any(sentences) else headline, *filter(None, sentences)))


def split(message: str) -> Wording:
    """A message in one text, cut where its first clause ends; nothing of it is lost."""
    text = " ".join(message.split())
    found = (_BREAK.search(text, _LEAST_HEADLINE), _WEAK_BREAK.search(text, _LEAST_BEFORE_A_WEAK_BREAK))
    first = next((match for match in found if match and match.start() <= LONGEST_HEADLINE), None)
    if len(text) <= LONGEST_HEADLINE or first is None:
        short = shortened(text)
        return Wording(short, "" if short == text else text)
    rest = text[first.start() :].lstrip(".;:, ")
    return Wording(text[: first.start()], rest[0].upper() + rest[1:] if rest[0].isalpha() else rest)


def shortened(headline: str) -> str:
    """At most so long: long names lose their middle first, then the end goes."""
    if len(headline) <= LONGEST_HEADLINE:
        return headline
    longest = max(map(len, _LONG_NAME.findall(headline)), default=0)
    for most in range(max(longest, _SHORTEST_NAME), _SHORTEST_NAME - 1, -1):
        short = _with_names(headline, most)
        if len(short) <= LONGEST_HEADLINE:
            return short
    return f"{short[: LONGEST_HEADLINE - 1].rpartition(' ')[0].rstrip(' ,;:')}…"


def _with_names(headline: str, most: int) -> str:
    """No name longer than this, and no two alike that were not."""
    taken: dict[str, str] = {}

    def short(found: re.Match[str]) -> str:
        name = found[0]
        if len(name) <= most:
            return name
        ways = list(_abbreviations(name, most))
        return next((one for one in ways if taken.setdefault(one, name) == name), ways[0])

    return _LONG_NAME.sub(short, headline)


def _abbreviations(name: str, length: int) -> Iterator[str]:
    """Without its middle, else without its end, else without its beginning."""
    quote = "'" if name.startswith("'") else ""
    text, kept = name.strip("'"), length - 2 * len(quote) - 1
    for start, end in ((kept - kept // 2, kept // 2), (kept, 0), (0, kept)):
        yield f"{quote}{text[:start]}…{text[len(text) - end :]}{quote}"
