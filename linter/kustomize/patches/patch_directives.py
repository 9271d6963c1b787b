"""The words in a strategic merge patch that are no fields, and what goes wrong inside such a patch.

Of the directives of the API server Kustomize knows `$patch` alone; the others
($retainKeys, $setElementOrder, $deleteFromPrimitiveList) come out as fields.
"""

from __future__ import annotations

from typing import Final

from ...yaml.compose import PLAIN, Mapping, Raw, RawScalar
from ...yaml.scalars import NULLS
from ..trees import Blank, member, text

DIRECTIVE: Final = "$patch"
DIRECTIVES: Final = ("delete", "replace", "merge")


class Unmergeable(Exception):
    """Raised where nobody knows yet which file the patch is in."""

    def __init__(self, at: Raw, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


def directive_of(patch: Raw, *, strict: bool = True) -> str:
    """Empty if there is none, or, unless `strict`, if nobody knows it."""
    value = member(patch, DIRECTIVE)
    if value is None:
        return ""
    word = text(value)
    if word in DIRECTIVES:
        return word
    if strict:
        raise Unmergeable(value, f"{DIRECTIVE}: {word} is none of {', '.join(DIRECTIVES)}")
    return ""


def is_null(raw: Raw) -> bool:
    return isinstance(raw, RawScalar) and ((raw.tag == PLAIN and raw.value in NULLS) or raw.__class__ is Blank)


def shape(raw: Raw) -> str:
    if isinstance(raw, RawScalar):
        return "a scalar"
    return "a mapping" if isinstance(raw, Mapping) else "a list"
