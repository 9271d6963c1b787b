"""Many paths into a document, walked together.

Paths that begin alike share their first steps, so a container's `env` is
visited once however many rows look into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, TypeVar

from ..compose import Mapping, RawScalar
from ..source import Node

Leaf = TypeVar("Leaf")

EACH: Final = "[]"
DEEP: Final = "**"


def steps(path: str | Sequence[str]) -> tuple[str, ...]:
    """``a.b[].c`` → a, b, [], c. A list is taken as it is: its keys may hold dots."""
    if not isinstance(path, str):
        return tuple(path)
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
        if isinstance(raw, Mapping):
            for key in self._present(raw):
                self.keys[key].find(node[key], found)
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

    def _present(self, raw: Mapping) -> Iterable[str]:
        """Of our keys those that the mapping may have; one pass, since most mappings have none of them."""
        keys = self.keys
        names = [key.value for key, _ in raw.value if type(key.value) is str]
        if "<<" in names:
            return keys
        return dict.fromkeys(name for name in names if name in keys)

    def _find_by_ending(self, node: Node, found: list[tuple[Leaf, Node]]) -> None:
        for key, child in node.items():
            for ending, tree in self.endings.items():
                if key.endswith(ending):
                    tree.find(child, found)


def nodes_at(node: Node, path: str | Sequence[str]) -> list[Node]:
    """The scalars at one path."""
    tree: PathTree[None] = PathTree()
    tree.add(steps(path), None)
    found: list[tuple[None, Node]] = []
    tree.find(node, found)
    return [at for _, at in found]
