"""Many paths into a document, walked together.

Paths that begin alike share their first steps, so a container's `env` is
visited once however many rows look into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Generic, TypeVar

from ...yaml.compose import Mapping, RawScalar
from ...yaml.source import Node

Leaf = TypeVar("Leaf")

EACH: Final = "[]"
DEEP: Final = "**"


def steps(path: str | Sequence[str]) -> tuple[str, ...]:
    """``a.b[].c`` → a, b, [], c. A list is taken as it is: its keys may hold dots."""
    return _split(path) if isinstance(path, str) else tuple(path)


@cache
def _split(path: str) -> tuple[str, ...]:
    found: list[str] = []
    for part in path.split(".") if path else ():
        key = part.rstrip("[]")
        found += [key, *[EACH] * part.count(EACH)]
    return tuple(found)


class PathTree(Generic[Leaf]):
    """Leaves by the path that leads to them."""

    __slots__ = ("deep", "each", "endings", "keys", "leaves")

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.keys: dict[str, PathTree[Leaf]] = {}
        self.endings: dict[str, PathTree[Leaf]] = {}
        """By how the key ends: ``*Ref``, and ``*`` for any key."""
        self.each: PathTree[Leaf] | None = None
        self.deep: PathTree[Leaf] | None = None

    def add(self, path: Iterable[str], leaf: Leaf) -> None:
        tree = self
        for step in path:
            tree = tree._below(step)
        tree.leaves.append(leaf)

    def _below(self, step: str) -> PathTree[Leaf]:
        if step == EACH:
            self.each = self.each or PathTree()
            return self.each
        if step == DEEP:
            self.deep = self.deep or PathTree()
            return self.deep
        if step.startswith("*"):
            return self.endings.setdefault(step[1:], PathTree())
        return self.keys.setdefault(step, PathTree())

    def find(self, node: Node, found: list[tuple[Leaf, Node]]) -> None:
        """Adds every scalar that a path leads to, with the leaves of that path."""
        raw = node.raw
        if raw.__class__ is Mapping:
            if self.keys:
                self._find_by_key(node, raw, found)
            if self.endings:
                self._find_by_ending(node, found)
        elif self.leaves and isinstance(raw, RawScalar):
            found += [(leaf, node) for leaf in self.leaves]
        elif self.each is not None:
            for item in node:
                self.each.find(item, found)
        if self.deep is not None:
            for below in node.walk():
                self.deep.find(below, found)

    def _find_by_key(self, node: Node, raw: Mapping, found: list[tuple[Leaf, Node]]) -> None:
        """One pass over the mapping, since most mappings have none of our keys."""
        keys = self.keys
        own = {}
        merges = False
        for key, value in raw.value:
            name = key.value
            if name.__class__ is str:
                if name in keys:
                    own[name] = (key, value)
                elif name == "<<":
                    merges = True
        for name, (key, value) in own.items():
            keys[name].find(Node(node.document, node, name, value, key), found)
        if merges:
            for name, child in node.items():
                if name in keys and name not in own:
                    keys[name].find(child, found)

    def _find_by_ending(self, node: Node, found: list[tuple[Leaf, Node]]) -> None:
        for key, child in node.items():
            for ending, tree in self.endings.items():
                if key.endswith(ending):
                    tree.find(child, found)


def nodes_at(node: Node, path: tuple[str, ...]) -> list[Node]:
    """The scalars at one path."""
    found: list[tuple[None, Node]] = []
    _alone(path).find(node, found)
    return [at for _, at in found]


@cache
def _alone(path: tuple[str, ...]) -> PathTree[None]:
    tree: PathTree[None] = PathTree()
    tree.add(path, None)
    return tree
