"""A parsed template. Every node knows its place in the text, for the messages."""

from __future__ import annotations

from dataclasses import dataclass

from .go_values import Value


@dataclass(frozen=True)
class Literal:
    at: int
    source: str
    value: Value


@dataclass(frozen=True)
class Nil:
    at: int
    source: str = "nil"


@dataclass(frozen=True)
class Dot:
    at: int
    source: str = "."


@dataclass(frozen=True)
class Field:
    at: int
    source: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Variable:
    at: int
    source: str
    name: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Name:
    """A function."""

    at: int
    source: str


@dataclass(frozen=True)
class Chain:
    """``(pipeline).a.b``"""

    at: int
    source: str
    inner: Operand
    names: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    at: int
    source: str
    words: tuple[Operand, ...]


@dataclass(frozen=True)
class Pipe:
    at: int
    source: str
    variables: tuple[str, ...]
    assigns: bool
    commands: tuple[Command, ...]


Operand = Literal | Nil | Dot | Field | Variable | Name | Chain | Pipe


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Action:
    pipe: Pipe


@dataclass(frozen=True)
class Branch:
    """if and with; with also sets the dot."""

    pipe: Pipe
    then: Block
    otherwise: Block
    sets_dot: bool


@dataclass(frozen=True)
class Range:
    pipe: Pipe
    body: Block
    otherwise: Block


@dataclass(frozen=True)
class Call:
    """{{template "name" pipeline}}"""

    at: int
    source: str
    name: str
    pipe: Pipe | None


@dataclass(frozen=True)
class Leave:
    """break, or continue"""

    loop: bool


Node = Text | Action | Branch | Range | Call | Leave
Block = tuple[Node, ...]


@dataclass(frozen=True)
class Template:
    source: str
    root: Block
    defined: dict[str, Block]
