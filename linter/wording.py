"""What a finding says, in three parts: the fault, what happens and when, what to do."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

LONGEST_HEADLINE: Final = 100

_LEAST_HEADLINE: Final = 20
"""A shorter beginning says no fault yet."""
_BREAK: Final = re.compile(r"; |\. (?=[A-Z])|: (?!\S*[\]}])|, (?:so|but|and|since|which|where|because|although) | \(")
_WORD: Final = re.compile(r"\S{24,}")


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
    ends = [match for match in _BREAK.finditer(text, _LEAST_HEADLINE) if match.start() <= LONGEST_HEADLINE]
    if len(text) <= LONGEST_HEADLINE or not ends:
        short = shortened(text)
        return Wording(short, "" if short == text else text)
    first = next((match for match in ends if match[0] in ("; ", ". ", ": ")), ends[0])
    rest = text[first.start() :].lstrip(".;:, ")
    return Wording(text[: first.start()], rest[0].upper() + rest[1:] if rest[0].isalpha() else rest)


def shortened(headline: str) -> str:
    """At most so long: long names lose their middle first, then the end goes."""
    while len(headline) > LONGEST_HEADLINE and (found := max(_WORD.findall(headline), key=len, default="")):
        kept = max(len(found) - (len(headline) - LONGEST_HEADLINE) - 1, 22)
        headline = headline.replace(found, f"{found[: kept // 2]}…{found[len(found) - kept // 2 :]}", 1)
    if len(headline) <= LONGEST_HEADLINE:
        return headline
    return f"{headline[: LONGEST_HEADLINE - 1].rpartition(' ')[0].rstrip(' ,;:')}…"
