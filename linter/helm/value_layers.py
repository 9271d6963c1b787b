"""The values that a render had, layer over layer, and where each of them is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.compose import PLAIN, RawScalar
from ..yaml.scalars import NULLS
from ..yaml.source import Node

_STEP: Final = regex(r"((?:\\.|[^.\[\]\\])+)|\[(\d+)\]")
_KEYS: Final = regex(r"(?:\\.|[^\[\]{},=\\.])+(?:\.(?:\\.|[^\[\]{},=\\.])+)*", re.DOTALL)
_GLOBAL: Final = "global"


class Layer(NamedTuple):
    """One file of values, or what an Application says inline."""

    root: Node
    chart: tuple[str, ...] = ()
    """Whose values these are: nothing for the chart itself, the names of the charts on the way to a subchart."""
    is_own: bool = False
    """From the values.yaml of that chart, where a null is a value."""


class Parameter(NamedTuple):
    """One value by its name, as with ``--set``."""

    name: str
    value: Any
    at: Node
    """The entry with name and value."""

    @property
    def path(self) -> tuple[str, ...]:
        r"""``a.b\.c[0]`` is the first item of ``b.c`` in ``a``."""
        return tuple(found[2] or re.sub(r"\\(.)", r"\1", found[1]) for found in _STEP.finditer(self.name))

    @property
    def steps(self) -> tuple[str, ...] | None:
        """The keys that the name leads through; None where it is a list's, or more than that."""
        return self.path if _KEYS.fullmatch(self.name) else None


def typed(text: str) -> Any:
    """The value of a parameter: words for booleans and null, whole numbers, else text."""
    if text in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[text]
    digits = text.removeprefix("-")
    if digits.isdecimal() and digits.isascii() and len(digits) < 19 and (digits == "0" or not digits.startswith("0")):
        return int(text)
    return text


@dataclass(frozen=True)
class Layers:
    """What a request came to, the lowest layer first, and the parameters, that stand above all of them."""

    layers: Sequence[Layer]
    parameters: Sequence[Parameter] = ()

    @property
    def of_the_chart(self) -> list[Layer]:
        """Without those of subcharts."""
        return [layer for layer in self.layers if not layer.chart]

    @property
    def over(self) -> list[Node]:
        """What is laid over the chart's own values, the lowest first."""
        return [layer.root for layer in self.of_the_chart if not layer.is_own]

    def lookup(self, path: Sequence[str], chart: Sequence[str] = ()) -> Node | None:
        """Where ``.Values`` with this path is decided, for the templates of a chart; None if nothing has it."""
        for absolute in _absolute(path, chart):
            found = self._decided(absolute)
            if found is not None:
                return found
        return None

    def _decided(self, path: tuple[str, ...]) -> Node | None:
        for given in reversed(self.parameters):
            if given.path == path:
                decided: Node = given.at["value"]
                return decided
            if path[: len(given.path)] == given.path:
                return None  # a scalar stands where more would have to be
        for layer in reversed(self.layers):
            depth = len(layer.chart)
            if path[:depth] != layer.chart:
                continue
            node = layer.root
            for key in path[depth:]:
                node = node[int(key)] if node.is_sequence and key.isdecimal() else node[key]
                if node.absent or not (node.is_mapping or node.is_sequence):
                    break
            if node.present:
                is_whole = node.parent is None or _steps(node, layer.root) == len(path) - depth
                return node if is_whole and not _is_null(node) else None
            if node.parent is not None and node.parent.is_sequence:
                return None  # a list takes the place of the list below it
        return None


def _absolute(path: Sequence[str], chart: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The paths in the values of the chart itself; what is global counts from the top down."""
    if list(path[:1]) == [_GLOBAL]:
        for depth in range(len(chart)):
            yield (*chart[:depth], *path)
    yield (*chart, *path)


def _steps(node: Node, root: Node) -> int:
    steps = 0
    while node.raw is not root.raw and node.parent is not None:
        node, steps = node.parent, steps + 1
    return steps


def _is_null(node: Node) -> bool:
    """A null takes away what lower layers have."""
    return isinstance(node.raw, RawScalar) and node.raw.tag == PLAIN and node.raw.value in NULLS
