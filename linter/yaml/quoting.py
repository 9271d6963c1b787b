"""Values that YAML does not read as text, where Kubernetes takes nothing but text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .source import Node, Patch

TYPE_NAMES: Final = {bool: "a boolean", int: "a number", float: "a number", dict: "a mapping", list: "a list"}


def not_texts(mapping: Node) -> Iterator[Node]:
    """The members of a mapping that are no strings; an empty value is one of them."""
    if mapping.holds_only_text:
        return
    for _, value in mapping.items():
        if not is_text(value):
            yield value


def is_text(value: Node) -> bool:
    return isinstance(value.value, str) or _is_template(value)


def _is_template(value: Node) -> bool:
    """An unquoted ``{{ x }}`` reads as a mapping in a mapping; whatever renders it comes first."""
    return value.is_mapping and value.raw is not None and value.file.text.startswith("{{", value.raw.start_mark.index)


def type_words(value: Node) -> str:
    """``a number`` and the like; empty for no value at all."""
    return TYPE_NAMES.get(type(value.value), "")


def quoted(value: Node) -> Patch | None:
    """The value as a string: the token of the source, so that 0644 becomes "0644" and never "420"."""
    if value.is_mapping or value.is_sequence:
        return None
    return value.set(value.scalar_text if type_words(value) else "")
