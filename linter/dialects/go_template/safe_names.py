"""Names that Argo CD makes of any text."""

from __future__ import annotations

import re
from typing import Final

from .go_values import Value, type_name
from .template_errors import CannotEvaluate, TemplateError

_LONGEST: Final = 253


def normalized(text: str) -> str:
    """Small letters, digits, dashes and dots; no more than 253 of them."""
    return re.sub(r"[^-a-z0-9.]", "-", text.lower())[:_LONGEST].strip("-.")


def slugified(*arguments: Value) -> str:
    """``slugify [longest [cut at a word]] text``"""
    longest: Value = 50
    at_word: Value = True
    text: Value = ""
    if arguments:
        text = arguments[-1]
    if len(arguments) > 1:
        longest = arguments[0]
    if len(arguments) > 2:
        at_word = arguments[1]
    for value, wanted in ((text, "string"), (longest, "int"), (at_word, "bool")):
        if type_name(value) != wanted:
            raise TemplateError(f"interface conversion: interface {{}} is {type_name(value)}, not {wanted}")
    return _slug(str(text), longest if isinstance(longest, int) else 0, bool(at_word))


def _slug(text: str, longest: int, at_word: bool) -> str:
    if longest <= 0:
        raise CannotEvaluate("slugify with no length")
    slug = normalized(text)
    if not at_word:
        slug = slug[:longest]
    slug = re.sub(r"-+", "-", re.sub(r"[^a-z0-9_-]", "-", slug)).strip("-_")
    if not at_word or len(slug) <= longest:
        return slug
    dash = slug.rfind("-", 0, longest + 1)
    return slug[:dash] if dash > 0 else slug[:longest]
