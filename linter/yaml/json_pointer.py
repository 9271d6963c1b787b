"""JSON Pointers (RFC 6901): the steps of a path, and how a key is written in one.

The library jsonpointer looks places up in plain values; here they are looked up
in nodes and raw trees, so that no more than the spelling is needed.
"""

from __future__ import annotations

from typing import Final

_ESCAPES: Final = str.maketrans({"~": "~0", "/": "~1"})


def escaped(key: str) -> str:
    return key.translate(_ESCAPES)


def unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~") if "~" in step else step


def steps(pointer: str) -> list[str]:
    """The keys that a pointer goes through; none for the empty one, which means the whole."""
    return [unescaped(step) for step in pointer.split("/")[1:]]
