"""Values → text: the few lines that a fix inserts.

Strings are quoted when Kubernetes, or a reader of another YAML version, would
take the bare text for something else.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from ..yaml.scalars import resolve

_UNPRINTABLE: Final = regex("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_NOT_PLAIN: Final = regex(r"^[,\[\]{}#&*!|>'\"%@`\s]|^[-?:](?:\s|$)|^---|^\.\.\.|:\s|:$|\s#|\s$")
_NOT_PLAIN_IN_FLOW: Final = regex(r"[,\[\]{}]|^[?:]")
_OTHER_READERS: Final = regex(
    r"=|<<|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?.*"
)
"""Base 60 numbers and dates are strings to Kubernetes, and something else to other readers of YAML 1.1."""


class Habits(NamedTuple):
    """How the file indents."""

    step: int = 2
    """A mapping in a mapping."""
    dash: int = 2
    """A sequence in a mapping."""
    width: int = 2
    """From a dash to its item."""


# -- scalars


def is_plain(text: str, *, flow: bool = False) -> bool:
    """Whether the text means itself without quotes."""
    return (
        bool(text)
        and not _UNPRINTABLE.search(text)
        and not _NOT_PLAIN.search(text)
        and not (flow and _NOT_PLAIN_IN_FLOW.search(text))
        and isinstance(resolve(text), str)
        and not _OTHER_READERS.fullmatch(text)
    )


def double_quoted(text: str) -> str:
    return _UNPRINTABLE.sub(lambda bad: f"\\u{ord(bad[0]):04x}", json.dumps(text, ensure_ascii=False))


def scalar(value: str | int | float | bool | None, *, quote: str = "", flow: bool = False) -> str:
    """One line; `quote` is what a string gets where it can have it."""
    if isinstance(value, str):
        if quote == "'" and not _UNPRINTABLE.search(value):
            return "'" + value.replace("'", "''") + "'"
        return value if quote != '"' and is_plain(value, flow=flow) else double_quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value)


# -- flow style


def flow(value: Any, *, quote: str = "") -> str:
    """On one line, as YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key, flow=True)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value, quote=quote, flow=True)


def as_json(value: Any, *, indent: str | None, margin: str, line_break: str, compact: bool = False) -> str:
    """Spread over lines when there is an indent, each line after the first behind the margin."""
    separators = (",", ":") if compact else (",", ": ") if indent is not None else (", ", ": ")
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=False)
    return (line_break + margin).join(text.split("\n"))


# -- block style: lists of lines, not yet indented


def member(key: str, value: Any, habits: Habits) -> list[str]:
    head = scalar(key) + ":"
    if isinstance(value, dict | list) and value:
        depth = habits.step if isinstance(value, dict) else habits.dash
        return [head, *indented(block(value, habits), depth)]
    return _after(head, value, habits.step)


def item(value: Any, habits: Habits, *, quote: str = "") -> list[str]:
    width = habits.width
    if isinstance(value, dict | list) and value:
        first, *rest = block(value, habits._replace(width=2))
        return ["-".ljust(width) + first, *indented(rest, width)]
    return _after("-".ljust(width - 1), value, width, quote=quote)


def block(value: dict[str, Any] | list[Any], habits: Habits) -> list[str]:
    if isinstance(value, dict):
        return [line for key, inner in value.items() for line in member(key, inner, habits)]
    return [line for inner in value for line in item(inner, habits)]


def literal(text: str) -> list[str] | None:
    """The header and the lines of a block scalar, for the texts that need no care in one."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if len(lines) < 2 or not lines[0].strip() or not lines[-1].strip():
        return None
    if lines[0][0] == " " or any(_UNPRINTABLE.search(line) or (line and not line.strip()) for line in lines):
        return None
    return ["|" if text != body else "|-", *lines]


def _after(head: str, value: Any, depth: int, *, quote: str = "") -> list[str]:
    lines = literal(value) if isinstance(value, str) and not quote else None
    if lines:
        return [f"{head} {lines[0]}", *indented(lines[1:], depth)]
    return [f"{head} {inline(value, quote=quote)}"]


def inline(value: Any, *, quote: str = "") -> str:
    """A scalar, or an empty collection."""
    return flow(value) if isinstance(value, dict | list) else scalar(value, quote=quote)


def indented(lines: list[str], depth: int) -> list[str]:
    return [" " * depth + line if line else line for line in lines]
