"""``$ARGOCD_APP_NAME`` and the like: what Argo CD puts for variables in paths and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..facts.regexes import regex

_VARIABLE: Final = regex(r"\$(?:\{(?P<braced>[^}]*)\}|(?P<special>[*#$@!?0-9-])|(?P<name>[A-Za-z0-9_]+))")
_OF_THE_COMMIT: Final = ("ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8")


class NotKnown(Exception):
    """A variable whose value only the sync itself has."""


def substituted(text: str, variables: Mapping[str, str]) -> str:
    """Variables that are not set come to nothing, ``$$`` to a dollar sign. Raises NotKnown."""
    return _VARIABLE.sub(lambda found: _value(found, variables), text)


def _value(found: re.Match[str], variables: Mapping[str, str]) -> str:
    name = found["braced"] or found["special"] or found["name"] or ""
    if name == "$":
        return "$"
    if name in _OF_THE_COMMIT:
        raise NotKnown(name)
    return variables.get(name, "")
