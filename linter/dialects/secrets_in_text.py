"""Whether a text is a secret that anybody can read: a private key, a token, a password.

Nothing here ever returns a value, or a part of one: only what sort of secret it is.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from ..facts.tables import table
from .spelling import is_placeholder, plain

SHORTEST: Final = 8
"""What is shorter is a stand-in, a default or a number more often than a password."""
LONG: Final = 16
STRONG: Final = 3.0
"""Bits of entropy a character; words have less, what a generator made has more."""
MANY_TURNS: Final = 3
MOST_CHARACTERS: Final = 200_000
LONGEST_LINE: Final = 2_000

_PRIVATE_KEY: Final = regex(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?P<body>[^-]*)")
# Every repetition has an end, and lines have, too: a text may be made to take long.
_IN_URL: Final = regex(r"://[^\s/:@]{0,100}:(?P<password>[^\s/@]{1,200})@[\w.-]")
_IN_QUERY: Final = regex(r"[?&](?P<key>[\w.%-]{1,80})=(?P<value>[^\s&#\"']{1,2000})")
_ASSIGNMENT: Final = regex(
    r"(?<![\w.-])(?P<key>[\w.-]{1,80})[\"']?\s*[:=]\s*(?P<quote>[\"']?)(?P<value>[^\s\"',;}{\[\]]{8,})(?P=quote)"
)
"""A key is looked for where a word begins, and not once more at each of its letters."""
_SHELL: Final = regex(r"^\$|\$\(|\bos\.environ|\bgetenv|\bprocess\.env")
_HASHED: Final = regex(r"(?:[\w.@-]{1,100}:)?(?:\$(?:2[abxy]|apr1|[156y]|argon2\w{0,2})\$|\{SHA\})")
"""A hash of a password, behind a user's name or not, as htpasswd writes it."""
_WORD_BREAK: Final = regex(r"[-_. ]+")
_CONSTANT: Final = regex(r"[A-Z]+(?:_[A-Z]+)*")
"""A word that a program knows, as `OAUTHBEARER` or `USER_INFO`: a generator puts digits or small letters in."""


class Certainty(IntEnum):
    LIKELY = 1
    """Under a name that says so, and no stand-in that we know."""
    SURE = 2
    """By its form."""


class Plaintext(NamedTuple):
    what: str
    certainty: Certainty


def judge(key: str, text: str) -> Plaintext | None:
    """What sort of secret a text is, under the name it goes by; None if it is none, or nobody can tell."""
    text = text.strip()[:MOST_CHARACTERS]
    if len(text) < SHORTEST or _is_filled_in(text):
        return None
    by_form = _by_form(text)
    is_file = "\n" in text or text[0] in "{["
    if by_form is not None or not (is_file or names_a_credential(key) or key.lower().endswith("key")):
        return by_form  # which is nothing for nearly every value
    if is_stand_in(key, text):
        return None
    if is_file:
        return _in_file(text)
    if _is_something_else(text):
        return None
    if names_a_credential(key):
        return Plaintext("a credential", Certainty.SURE if _looks_generated(text) else Certainty.LIKELY)
    is_key = key.lower().endswith("key") and len(text) > LONG and _looks_generated(text)
    return Plaintext("a key", Certainty.SURE) if is_key else None


def sure_in(key: str, text: str) -> Iterator[str]:
    """The credentials themselves that a text surely is, or holds: what nobody would call anything else by."""
    in_addresses = (("password", found["password"]) for found in _IN_URL.finditer(text))
    in_queries = (("password", value) for name, value in _queried(text) if _lets_in(name))
    for name, value in ((key, text), (key, decoded(text) or ""), *settings(text), *in_addresses, *in_queries):
        what = judge(name, value) if len(value) >= LONG and "\n" not in value else None
        if what is not None and what.certainty is Certainty.SURE:
            yield value


def opens_an_address(query: str) -> bool:
    """Whether what stands behind the `?` of an address is what lets one in: a token, a signature."""
    return any(_lets_in(name) for name, _ in _queried(f"?{query}"))


def _queried(address: str) -> Iterator[tuple[str, str]]:
    return ((found["key"], found["value"]) for found in _IN_QUERY.finditer(address))


def _lets_in(name: str) -> bool:
    return names_a_credential(name) or _pattern("signatures").search(name) is not None


def decoded(text: str) -> str | None:
    """The text behind base64; None if it is not base64, or no text."""
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def names_a_credential(key: str) -> bool:
    return _pattern("credentialKeys").search(key) is not None and _pattern("otherKeys").search(key) is None


def is_stand_in(key: str, text: str) -> bool:
    """Whether the text stands for a value that comes from elsewhere, or for none; in base64, too."""
    return _stands_in(key, text) or _stands_in(key, (decoded(text) or "").strip() or text)


def _stands_in(key: str, text: str) -> bool:
    if _is_filled_in(text):
        return True
    if "\n" in text or len(text) > 200:
        return False
    words = _table()
    lower = text.lower()
    if any(word in lower for word in words["standIns"]) or lower in words["defaults"] or plain(text) == plain(key):
        return True
    return len(set(text)) <= 3 or text.isdecimal() or _names_itself(text)


def _is_filled_in(text: str) -> bool:
    """By the notation of a tool that puts the value there."""
    if "\n" in text:  # a whole file; what it holds is looked at one by one
        return False
    return (
        is_placeholder(text)
        or _HASHED.match(text) is not None
        or text.startswith(tuple(_table()["filledIn"]))
        or _SHELL.search(text) is not None
    )


def _names_itself(text: str) -> bool:
    """``my-secret-key``, ``DB_PASSWORD``: words that say what is to stand there."""
    words = _WORD_BREAK.split(text.lower())
    return all(word.isalpha() for word in words) and not set(words).isdisjoint(_table()["wordsOfNames"])


def _looks_generated(text: str) -> bool:
    """Letters and digits by turns; people put a number at the end of a word, or between two."""
    if len(text) < LONG or " " in text:
        return False
    kinds = [character.isdecimal() for character in text if character.isalnum()]
    turns = sum(1 for one, next_ in pairwise(kinds) if one != next_)
    return turns >= MANY_TURNS and entropy(text) >= STRONG


def entropy(text: str) -> float:
    """Bits a character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _by_form(text: str) -> Plaintext | None:
    key = _PRIVATE_KEY.search(text)
    if key is not None:
        body = "".join(key["body"].split())
        return Plaintext("a private key", Certainty.SURE) if len(body) > 100 and entropy(body) > STRONG else None
    if _tokens().search(text):
        return Plaintext("a token", Certainty.SURE)
    for url in _IN_URL.finditer(text):
        if not is_stand_in("", url["password"]) and len(url["password"]) >= SHORTEST:
            return Plaintext("a password in an address", Certainty.LIKELY)
    return None


def _in_file(text: str) -> Plaintext | None:
    """A configuration file, or JSON: a credential among its settings."""
    if "-----BEGIN" in text or text.startswith("ssh-"):
        return None  # certificates and public keys
    for key, value in settings(text):
        if names_a_credential(key) and _looks_generated(value) and not is_stand_in(key, value):
            return None if _is_something_else(value) else Plaintext("a credential", Certainty.SURE)
    return None


def settings(text: str) -> Iterator[tuple[str, str]]:
    """Of a configuration file, in whatever notation: names and values."""
    for line in text.split("\n"):
        if len(line) <= LONGEST_LINE and not line.lstrip().startswith(("#", "//", ";", "--")):
            yield from ((found["key"], found["value"]) for found in _ASSIGNMENT.finditer(line))


def _is_something_else(text: str) -> bool:
    """A path, an address, a list of words, a word that a program knows: not what a credential looks like."""
    if text.startswith(("/", "./", "~/", "http://", "https://", "-----BEGIN", "ssh-")) or text.count(" ") > 2:
        return True
    return _CONSTANT.fullmatch(text) is not None


def _table() -> Any:
    return table("plaintext.json")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_table()[name], re.IGNORECASE)


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(_table()['tokens'])})")
