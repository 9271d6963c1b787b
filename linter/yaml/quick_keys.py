"""Which mappings are worth a closer look: most objects have nothing of what most rules ask for."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from .compose import Mapping
from .source import Node


def has_one_of(mapping: Node, keys: AbstractSet[str]) -> bool:
    """Whether one of the keys is written in the mapping itself; what a merge key brings does not count."""
    raw = mapping.raw
    if raw.__class__ is not Mapping:
        return False
    for key, _ in raw.value:
        name = key.value
        if name.__class__ is str and name in keys:
            return True
    return False
