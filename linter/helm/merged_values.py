"""The values of a chart as its templates see them, and where each of them is written.

Helm lays files over each other: mappings are merged, anything else is replaced,
and a null takes a key away. What a parent chart says of a subchart is laid over
the subchart's own values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Union

from ..yaml.source import Node
from .value_layers import Layers

MAX_ENTRIES: Final = 200_000
"""Aliases can make a small file stand for an endless one."""
_DEEPEST: Final = 100


class Leaf(NamedTuple):
    """Anything that is no mapping."""

    value: Any
    at: Node
    is_typed: bool = False
    """From a parameter: an integer stays one there, while files know only floating point numbers."""


Tree = dict[str, Union[Leaf, "Tree"]]


class TooLarge(Exception):
    """More values than any chart has."""


class _Count:
    def __init__(self) -> None:
        self.left = MAX_ENTRIES

    def one(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLarge


def overlay(tree: Tree, root: Node, *, keeps_null: bool = False) -> None:
    """Lay a file, or the values in an Application, over what is there. The chart's own nulls are values."""
    _lay(tree, root, keeps_null, _Count(), 0)


def _lay(tree: Tree, node: Node, keeps_null: bool, count: _Count, depth: int) -> None:
    if depth > _DEEPEST:
        raise TooLarge
    for key, child in node.items():
        count.one()
        if child.is_mapping:
            below = tree.get(key)
            if not isinstance(below, dict):
                below = tree[key] = {}
            _lay(below, child, keeps_null, count, depth + 1)
        elif child.is_sequence:
            for _ in child.walk():
                count.one()
            tree[key] = Leaf(child.value, child)
        else:
            value = child.value
            if value is None and not keeps_null:
                tree.pop(key, None)
            else:
                tree[key] = Leaf(value, child)


def overlay_tree(tree: Tree, over: Mapping[str, Leaf | Tree]) -> None:
    """Lay what a parent chart says over the values of a subchart."""
    for key, one in over.items():
        if isinstance(one, Leaf):
            if one.value is None:
                tree.pop(key, None)
            else:
                tree[key] = one
        else:
            below = tree.get(key)
            if not isinstance(below, dict):
                below = tree[key] = {}
            overlay_tree(below, one)


def put(tree: Tree, steps: Iterable[str], leaf: Leaf) -> None:
    """Set one value, as a parameter does."""
    *above, last = steps
    for step in above:
        below = tree.get(step)
        if not isinstance(below, dict):
            below = tree[step] = {}
        tree = below
    if leaf.value is None:
        tree.pop(last, None)
    else:
        tree[last] = leaf


def find(tree: Tree, names: Iterable[str]) -> Leaf | Tree | None:
    one: Leaf | Tree = tree
    for name in names:
        if not isinstance(one, dict) or name not in one:
            return None
        one = one[name]
    return one


def plain(one: Leaf | Tree) -> Any:
    """As JSON has it."""
    return one.value if isinstance(one, Leaf) else {key: plain(child) for key, child in one.items()}


def merged(layers: Layers) -> Tree:
    """All values of the chart itself; empty where they are too many to be true."""
    tree: Tree = {}
    try:
        for layer in layers.of_the_chart:
            overlay(tree, layer.root, keeps_null=layer.is_own)
    except TooLarge:
        return {}
    for parameter in layers.parameters:
        if parameter.steps is not None:
            put(tree, parameter.steps, Leaf(parameter.value, parameter.at, is_typed=True))
    return tree
