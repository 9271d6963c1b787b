"""Taking places out of a document, and what would be left empty with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from .source import Node, Patch


def removal(places: Sequence[Node]) -> Patch:
    """The patch that takes these places of one document out.

    A mapping that holds nothing else goes as a whole: `annotations: {}` says no more than no annotations.
    """
    together: dict[int, list[Node]] = {}
    for place in (place.origin for place in places):  # what is left empty is a matter of the file
        together.setdefault(id(place.parent.raw) if place.parent else 0, []).append(place)
    patches = [patch for siblings in together.values() for patch in _of_siblings(siblings)]
    return reduce(Patch.also, patches)


def _of_siblings(siblings: Sequence[Node]) -> list[Patch]:
    holder = siblings[0].parent
    if holder is not None and holder.parent is not None and holder.is_mapping:
        names = {place.key for place in siblings}
        if all(name in names for name, _ in holder.items()):
            return [holder.remove()]
    # From the last to the first: taking out an item of a list renumbers those behind it.
    in_order = sorted(siblings, key=lambda place: place.key if isinstance(place.key, int) else 0, reverse=True)
    return [place.remove() for place in in_order]
