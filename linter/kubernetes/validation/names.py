"""The field that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ...dialects.spelling import plain

_CLOSE_ENOUGH: Final = 0.7
"""lable is that close to labels, and strategy to updateStrategy."""


def meant(word: str, known: Iterable[str]) -> str | None:
    by_plain = {plain(one): one for one in known}
    exact = by_plain.get(plain(word))
    if exact is not None:
        return exact
    from difflib import get_close_matches

    close = get_close_matches(plain(word), by_plain, n=1, cutoff=_CLOSE_ENOUGH)
    return by_plain[close[0]] if close else None
