"""How messages sum up many objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

SHOWN: Final = 3


def listed(things: Iterable[object]) -> str:
    """Up to three of them by name, and how many more there are; what reads the same is named once."""
    names = list(dict.fromkeys(map(str, things)))
    if len(names) > SHOWN + 1:
        return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
