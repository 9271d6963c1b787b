"""What a CEL expression is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Literal:
    value: Any


@dataclass(frozen=True)
class Name:
    name: str


@dataclass(frozen=True)
class Select:
    """`a.b`, `a.?b`, and `has(a.b)`, which asks only whether it is there."""

    operand: Node
    field: str
    optional: bool = False
    only_has: bool = False


@dataclass(frozen=True)
class Index:
    operand: Node
    key: Node
    optional: bool = False


@dataclass(frozen=True)
class Call:
    """A function, or an operator by its sign."""

    name: str
    receiver: Node | None
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Macro:
    name: str
    receiver: Node
    names: tuple[str, ...]
    bodies: tuple[Node, ...]


@dataclass(frozen=True)
class ListOf:
    items: tuple[tuple[Node, bool], ...]
    """Each with whether it is an optional one (`[?x]`)."""


@dataclass(frozen=True)
class MapOf:
    entries: tuple[tuple[Node, Node, bool], ...]


@dataclass(frozen=True)
class Message:
    """`Type{field: value}`: only policies that change objects write it."""

    name: str


@dataclass(frozen=True)
class AllOf:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class AnyOf:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    condition: Node
    then: Node
    otherwise: Node


Node = Literal | Name | Select | Index | Call | Macro | ListOf | MapOf | Message | AllOf | AnyOf | Choice
