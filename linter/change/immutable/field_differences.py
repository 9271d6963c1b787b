"""Where two versions of an object differ, and how to say it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ...kubernetes.resource import Resource
from ...yaml.source import Node

Steps = tuple[str | int, ...]
_LONGEST: Final = 60


class Difference(NamedTuple):
    """The first place, in the order of the new text, that is not as it was."""

    steps: Steps
    before: Node
    """In the old text: to be told in words, never to be pointed at."""
    at: Node
    """In the new text; absent where the field was taken out."""

    @property
    def path(self) -> str:
        """``spec.template.spec.containers[0].image``"""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps).lstrip(".")

    @property
    def words(self) -> str:
        """``spec.x changes from 'a' to 'b'``"""
        before, after = _shown(self.before), _shown(self.at)
        if self.before.absent:
            return f"{self.path} is new{f' ({after})' if after else ''}"
        if self.at.absent:
            return f"{self.path} is gone{f' (it was {before})' if before else ''}"
        return f"{self.path} changes from {before} to {after}" if before and after else f"{self.path} changes"


def difference(before: Resource, after: Resource, steps: Steps, old: Any, new: Any) -> Difference:
    """`old` and `new`, at `steps` of the objects, are known to differ; they say where, the objects say what."""
    found = _first(old, new, steps)
    return Difference(found, before.node.at(*found), after.node.at(*found))


def value_at(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _first(old: Any, new: Any, steps: Steps) -> Steps:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*new, *old)):
            if old.get(key) != new.get(key):
                return _first(old.get(key), new.get(key), (*steps, key))
    if isinstance(old, list) and isinstance(new, list):
        for index, (first, second) in enumerate(zip(old, new, strict=False)):
            if first != second:
                return _first(first, second, (*steps, index))
        return (*steps, min(len(old), len(new)))
    if old is None and isinstance(new, dict) and len(new) == 1:
        key, inner = next(iter(new.items()))
        return _first(None, inner, (*steps, key))
    return steps


def _shown(node: Node) -> str:
    """A short scalar; empty for anything else."""
    value = node.value
    if isinstance(value, (dict, list)) or value is None:
        return ""
    text = repr(value) if isinstance(value, str) else node.scalar_text
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
