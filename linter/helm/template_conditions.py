"""Under which conditions a place of a template is printed, as far as the blocks around it tell."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..facts.regexes import regex
from .template_file import TemplateFile

_CONDITIONAL: Final = frozenset(("if", "with", "range"))
_CLUSTER: Final = regex(r"capabilities|kubeversion|semver", re.IGNORECASE)


class Conditions(NamedTuple):
    """What stands around a place."""

    any: bool = False
    """Values decide whether it is printed at all."""
    of_the_cluster: bool = False
    """It depends on what the cluster is or serves."""


class _Open(NamedTuple):
    word: str
    body: str


def conditions_at(file: TemplateFile, offset: int) -> Conditions:
    around: list[_Open] = []
    for action in file.actions:
        if action.span.start >= offset:
            break
        if action.opens:
            around.append(_Open(action.word, action.body))
        elif action.closes and around:
            around.pop()
        elif action.word == "else" and around:
            # Behind it the first condition counts, too: it does not hold.
            around[-1] = around[-1]._replace(body=f"{around[-1].body} {action.body}")
    guards = [one for one in around if one.word in _CONDITIONAL]
    return Conditions(bool(guards), any(_CLUSTER.search(one.body) for one in guards))
