"""What is not known when a template runs: it stands for itself, between braces, wherever it goes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ...facts.regexes import regex
from .go_values import Value
from .template_errors import CannotEvaluate

_BLANK: Final = regex(r"\{\{(.*?)\}\}", re.DOTALL)
_WORD: Final = regex(r"[A-Za-z0-9][\w-]*")
_QUOTED: Final = regex(r'"[^"]*"|`[^`]*`')


class Blank(str):
    """A text, or more, that somebody fills in later. Whether it is empty cannot be asked."""

    expression: str
    known: Mapping[str, Value]
    """Of a map: the members that are known all the same."""

    def __new__(cls, expression: str, known: Mapping[str, Value] | None = None, text: str = "") -> Blank:
        """`text` is how it is printed, where more than a blank is in it."""
        blank = super().__new__(cls, text or f"{{{{{expression}}}}}")
        blank.expression = expression
        blank.known = known or {}
        return blank

    def field(self, name: str) -> Value:
        return self.known[name] if name in self.known else Blank(f"{self.expression}.{name}")


class BlankTexts(Blank):
    """A map of texts to texts of which only this is known."""


class OpenMap(dict[str, Value]):
    """Parameters of which only some are known: what it lacks is a blank."""

    def blank(self, name: str) -> Blank:
        return Blank(f".{name}")


def is_blank(text: str) -> bool:
    return _BLANK.search(text) is not None


def blanks_of(text: str) -> list[str]:
    """What is to be filled in, without the braces."""
    return [" ".join(expression.split()) for expression in _BLANK.findall(text)]


def refuse_blank(value: object) -> None:
    """Where a template would have to look into it."""
    if isinstance(value, Blank):
        raise CannotEvaluate(f"{value.expression}, which only a cluster or a service knows")


def stand_in(text: str) -> str:
    """The text with a plain word for each blank: its own last name, so that a reader knows what is meant."""
    return _BLANK.sub(lambda blank: _last_name(blank[1]), text)


def _last_name(expression: str) -> str:
    words = _WORD.findall(_QUOTED.sub("", expression).partition("|")[0])
    return words[-1].replace("_", "-").lower().strip("-") or "unknown" if words else "unknown"
