"""What the text around a place in a template tells of the object that it will be."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..source import SourceFile

_SEPARATOR: Final = re.compile(r"^---", re.MULTILINE)
_KIND: Final = re.compile(r"^kind:[ \t]*[\"']?(\w+)[\"']?[ \t]*$", re.MULTILINE)
_HOOK: Final = re.compile(
    r"^[^#\n]*(?:helm\.sh/hook|argocd\.argoproj\.io/hook)[\"']?[ \t]*:[ \t]*(?P<types>[^\n]*)", re.MULTILINE
)


class Around(NamedTuple):
    kinds: tuple[str, ...]
    """Of the objects that the document may be; one, unless an action chooses."""
    is_hook: bool
    is_test: bool
    """A test of Helm: Argo CD never applies it."""


def around(file: SourceFile, offset: int) -> Around:
    text = document_at(file.text, offset)
    hooks = [match["types"] for match in _HOOK.finditer(text)]
    return Around(tuple(dict.fromkeys(_KIND.findall(text))), bool(hooks), any("test" in one for one in hooks))


def document_at(text: str, offset: int) -> str:
    """The part between two separators that holds the place."""
    borders = [0, *(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    start = max(border for border in borders if border <= offset)
    end = min((border for border in borders if border > offset), default=len(text))
    return text[start:end]
