"""Why a template has no result."""

from __future__ import annotations


class TemplateError(Exception):
    """Argo CD fails on it too, with (nearly) these words."""


class ParseError(TemplateError):
    """Not a template at all, whatever the parameters are."""


class WrongMap(TemplateError):
    """A function that wants a map of anything is given one of texts, whatever is in it."""


class CannotEvaluate(Exception):
    """Argo CD gets a result, but one that cannot be known here: reported, never guessed."""
