"""Which values the actions of a template line print, as far as the text tells it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from ..facts.regexes import regex
from .actions import Action, Kind
from .template_file import TemplateFile

Path = tuple[str, ...]
ANY: Final = "*"
"""One of the items or members, nobody knows which: inside of a ``range``."""

_STRINGS: Final = regex(r"\"(?:[^\"\\]|\\.)*\"|`[^`]*`")
_REFERENCE: Final = regex(r"(?<![\w.$)\"`])(\$\w*)?((?:\.[A-Za-z_]\w*)+|(?<=[$\w])|\.)(?![\w(\"])")
_INDEXED: Final = regex(r"\b(?:index|get)\s+(\$?\w*(?:\.\w+)*)((?:\s+\"[^\"\\]*\")+)")
_DECLARED: Final = regex(r"(\$\w+)(?:\s*,\s*(\$\w+))?\s*:?=\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Scope:
    """What the dot and the variables stand for."""

    dot: Path | None = ()
    """Below ``.Values``; empty at the root, where the dot is more than the values; None if nobody knows."""
    is_root: bool = True
    variables: dict[str, Path] = field(default_factory=dict)


def values_used(text: str, scope: Scope | None = None) -> list[Path]:
    """The paths below ``.Values`` that the text of an action names, in order."""
    here = scope or Scope()
    found: list[Path] = []
    for call in _INDEXED.finditer(text):
        base = _resolved(call[1], here)
        if base is not None:
            found.append((*base, *re.findall(r"\"([^\"\\]*)\"", call[2])))
    bare = _STRINGS.sub('""', _INDEXED.sub(" ", text))
    for reference in _REFERENCE.finditer(bare):
        path = _resolved(reference[0], here)
        if path:
            found.append(path)
    return list(dict.fromkeys(path for path in found if path))


def _resolved(reference: str, scope: Scope) -> Path | None:
    """What a reference stands for below ``.Values``; None if it is something else."""
    variable, *steps = reference.split(".")
    steps = [step for step in steps if step]
    if variable == "$" or (not variable and scope.is_root):
        return tuple(steps[1:]) if steps[:1] == ["Values"] else None
    base = scope.variables.get(variable) if variable else scope.dot
    if base is not None and not variable and steps[:1] == ["Values"]:
        return tuple(steps[1:])  # in a range over something that has values of its own: nobody does it
    return None if base is None else (*base, *steps)


def scope_at(file: TemplateFile, offset: int) -> Scope:
    """What the dot and the variables stand for at a place, by the actions before it."""
    scopes = [Scope()]
    for action in file.actions:
        if action.span.start >= offset:
            break
        if action.kind is Kind.ASSIGNMENT:
            _assign(action.body, scopes[-1])
        elif action.closes and len(scopes) > 1:
            scopes.pop()
        elif action.opens:
            scopes.append(_entered(action, scopes[-1]))
    return scopes[-1]


def _assign(body: str, scope: Scope) -> None:
    declared = _DECLARED.match(body)
    if declared:
        paths = values_used(declared[3], scope)
        scope.variables.pop(declared[1], None)
        if len(paths) == 1:
            scope.variables[declared[1]] = paths[0]


def _entered(action: Action, scope: Scope) -> Scope:
    variables = dict(scope.variables)
    if action.word == "define":
        return Scope()
    if action.word not in ("with", "range"):
        return Scope(scope.dot, scope.is_root, variables)
    subject = action.body[len(action.word) :].strip()
    declared = _DECLARED.match(subject)
    paths = values_used(declared[3] if declared else subject, scope)
    path = paths[0] if len(paths) == 1 else None
    if action.word == "range":
        path = None if path is None else (*path, ANY)
    if declared:
        name = declared[2] or declared[1]
        variables.pop(declared[1], None)
        variables.pop(name, None)
        if path is not None:
            variables[name] = path
    return Scope(path, is_root=False, variables=variables)
