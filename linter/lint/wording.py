"""What a finding says, in three parts: the fault, what happens and when, what to do."""

from __future__ import annotations

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
_LONG_NAME: Final = regex(r"'[^' ]{24,}'|\S{40,}")


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
    while len(headline) > LONGEST_HEADLINE and (found := max(_LONG_NAME.findall(headline), key=len, default="")):
        kept = max(len(found) - (len(headline) - LONGEST_HEADLINE) - 1, 20)
        headline = headline.replace(found, f"{found[: kept // 2]}…{found[len(found) - kept // 2 :]}", 1)
    if len(headline) <= LONGEST_HEADLINE:
        return headline
    return f"{headline[: LONGEST_HEADLINE - 1].rpartition(' ')[0].rstrip(' ,;:')}…"
