"""Lists of words in annotations: which word was meant, and the text with it put right."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from typing import Final

from ..facts.regexes import regex

_PLACEHOLDER: Final = regex(r"\{\{|\{%|<%|<[A-Za-z_]|\$[A-Za-z_({]")
_TO_COPY: Final = regex(r"(?:[a-z]+://)?[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+(?::\d+)?/?")
_CLOSE_ENOUGH: Final = 0.8
_CLOSE_NAME: Final = 0.7
"""lable is that close to labels, and strategy to updateStrategy."""


@lru_cache(maxsize=1 << 14)
def is_placeholder(text: str) -> bool:
    """Whether another tool fills the text in later, so that nothing can be said about it now."""
    return _PLACEHOLDER.search(text) is not None


def is_to_be_written(text: str) -> bool:
    """Whether it is a name, or the address of a host, that somebody writes over: CLUSTER_NAME, https://API_SERVER."""
    return _TO_COPY.fullmatch(text) is not None


def plain(word: str) -> str:
    """What is left of a word when case, blanks and punctuation do not count."""
    return re.sub(r"[\W_]", "", word).lower()


def nearest(word: str, known: Iterable[str], close_enough: float = _CLOSE_ENOUGH) -> str | None:
    """The known word that was probably meant; None when no one can tell."""
    by_plain = {plain(one): one for one in known}
    exact = by_plain.get(plain(word))
    if exact is not None:
        return exact
    from difflib import get_close_matches

    close = get_close_matches(plain(word), by_plain, n=1, cutoff=close_enough)
    return by_plain[close[0]] if close else None


def meant(name: str, known: Iterable[str]) -> str | None:
    """The field, kind or project that was probably meant: names are longer than the words of a list."""
    return nearest(name, known, _CLOSE_NAME)


def respelled(text: str, corrections: Mapping[str, str]) -> str:
    """The list with items replaced; everything else, blanks included, stays as it was written."""
    return ",".join(
        part.replace(item, corrections[item]) if (item := part.strip()) in corrections else part
        for part in text.split(",")
    )


def without(text: str, items: Container[str]) -> str:
    """The list without these items; empty when none is left."""
    separator = ", " if ", " in text else ","
    return separator.join(part.strip() for part in text.split(",") if part.strip() and part.strip() not in items)
