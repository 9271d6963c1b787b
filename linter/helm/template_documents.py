"""What the text around a place in a template tells of the object that it will be."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Final, NamedTuple

from ..facts.regexes import regex
from .template_file import TemplateFile

_SEPARATOR: Final = regex(r"^---", re.MULTILINE)
_KIND: Final = regex(r"^kind:[ \t]*[\"']?(\w+)[\"']?[ \t]*$", re.MULTILINE)
_HOOK: Final = regex(
    r"^[^#\n]*(?:helm\.sh/hook|argocd\.argoproj\.io/hook)[\"']?[ \t]*:[ \t]*(?P<types>[^\n]*)", re.MULTILINE
)


class Around(NamedTuple):
    kinds: tuple[str, ...]
    """Of the objects that the document may be; one, unless an action chooses."""
    is_hook: bool
    is_test: bool
    """A test of Helm: Argo CD never applies it."""


def around(file: TemplateFile, offset: int) -> Around:
    """Of the document, between two separators, that holds the place."""
    return _around(file, bisect_right(_starts(file), offset) - 1)


@lru_cache(maxsize=256)
def _starts(file: TemplateFile) -> list[int]:
    """Where documents begin, the first at 0."""
    return [0, *(match.start() for match in _SEPARATOR.finditer(file.text))]


@lru_cache(maxsize=256)
def _around(file: TemplateFile, number: int) -> Around:
    starts = _starts(file)
    end = starts[number + 1] if number + 1 < len(starts) else len(file.text)
    text = file.text[starts[number] : end]
    hooks = [match["types"] for match in _HOOK.finditer(text)]
    return Around(tuple(dict.fromkeys(_KIND.findall(text))), bool(hooks), any("test" in one for one in hooks))
