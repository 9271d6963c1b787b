"""How far a run is, for whoever wants to know. This one tells nobody; the terminal has one that does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

Item = TypeVar("Item")


class Progress:
    def each(self, items: Sequence[Item], doing: str) -> Iterable[Item]:
        """The items, while something is done with one after the other."""
        return items

    def during(self, doing: str) -> AbstractContextManager[None]:
        """Around something of which nobody knows how long it takes."""
        return nullcontext()
