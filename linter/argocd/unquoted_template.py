"""A parameter of an ApplicationSet that was written without quotes: YAML takes its braces for a mapping."""

from __future__ import annotations

import re
from typing import Final

from ..facts.regexes import regex
from ..yaml.source import Problem, SourceFile, Span

_SET: Final = regex(r"^kind:[ \t]+['\"]?ApplicationSet\b", re.MULTILINE)
_PARAMETER: Final = regex(r"\{\{-?[ \t]*(?!\.(?:Values|Release|Chart)\b)[^\s{}][^{}\n]*\}\}")
_LINE_VALUE: Final = regex(r"(?::[ \t]+|-[ \t]+)$")


def unquoted_template(file: SourceFile) -> Problem | None:
    """What is wrong with a set that is no YAML because of it; None for anything else."""
    if not file.problems or not _SET.search(file.text):
        return None
    for match in _PARAMETER.finditer(file.text):
        line = file.text[file.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        near = any(abs(problem.span.start - match.start()) <= len(match[0]) for problem in file.problems)
        if near and _LINE_VALUE.search(line):
            return Problem(Span(match.start(), match.end()), f"{match[0]} needs quotes around its value")
    return None
