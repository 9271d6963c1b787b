"""What Helm says on its standard error, read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from ...facts.regexes import regex
from ..answer import MissingDependency

MAX_MESSAGE: Final = 1000
MAX_WARNINGS: Final = 20

_ERROR: Final = regex(r"^Error: ", re.MULTILINE)
_TAIL: Final = "Use --debug flag to render out invalid YAML"
_HERE: Final = regex(r"(?<![\w./\\-])\./(?=[\w.])")
"""Paths are given to Helm in this form."""
_NOT_IN_CHARTS: Final = regex(r"missing in charts/ directory: (.+)")
_PLACE: Final = regex(r"[^\s():<>\"]+/templates/[^\s():<>\"]+(?=:\d+)")
_UNDEFINED: Final = regex(r'no template "[^"]*"|template "[^"]*" not defined')
_NO_MEMORY: Final = regex(r"^(?:fatal error|runtime): .*(?:out of memory|cannot allocate)", re.MULTILINE)


def message(complained: str, scratch: str) -> str:
    """Its error in one line, without the paths of this machine; empty if it names none."""
    found = _ERROR.search(complained)
    if found is None:
        return ""
    text = " ".join(_cleaned(complained[found.end() :], scratch).replace(_TAIL, "").split())
    if len(text) <= MAX_MESSAGE:
        return text
    half = MAX_MESSAGE // 2  # the place stands at the beginning, the reason at the end
    return f"{text[:half]} … {text[-half:]}"


def warnings(complained: str, scratch: str) -> tuple[str, ...]:
    lines = (" ".join(line.split())[:MAX_MESSAGE] for line in _cleaned(complained, scratch).splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_WARNINGS]


def _cleaned(text: str, scratch: str) -> str:
    for folder in (os.path.realpath(scratch), scratch):
        text = text.replace(f"{folder}{os.sep}repository{os.sep}", "").replace(f"{folder}{os.sep}", "")
    return _HERE.sub("", text.replace("../values.yaml", "the inline values"))


def out_of_memory(complained: str) -> bool:
    return _NO_MEMORY.search(complained) is not None


def not_in_charts(complained: str) -> tuple[str, ...]:
    """The dependencies that Helm asks for."""
    found = _NOT_IN_CHARTS.search(complained)
    return tuple(name.strip() for name in found[1].split(",")) if found else ()


def blames_missing(complained: str, missing: Iterable[MissingDependency]) -> str:
    """The template, by Helm's name for it, that fails for want of a missing chart; empty if that is not the reason."""
    names = "|".join(re.escape(name) for one in missing for name in {one.alias or one.name, one.name})
    if not names:
        return ""
    of_its_values = re.compile(rf"at <[^>]*\.(?:Values|Subcharts)\.(?:{names})\b")
    place = _PLACE.search(complained)
    blamed = _UNDEFINED.search(complained) or of_its_values.search(complained)
    return place[0] if place and blamed else ""
