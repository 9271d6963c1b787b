"""A quick look at custom resources that most of them pass, before anything is copied, pruned or defaulted.

As in `quick`, false means that somebody has to look, not that something is wrong.
"""

from __future__ import annotations

from typing import Any, Final

from ..crds import SchemaView
from ..defaulting import EMBEDDED, INT_OR_STRING, META, PRESERVE, Schema
from .structural import Effort, TooMuch, combined_problems, length_problems, number_problems, text_problems

_FORM: Final = frozenset(("allOf", "anyOf", "oneOf", "not", "minProperties", "maxProperties"))
_RARE: Final = _FORM | {EMBEDDED, "enum"}
_OF_TEXT: Final = frozenset(("pattern", "minLength", "maxLength"))
_OF_NUMBERS: Final = frozenset(("minimum", "maximum", "multipleOf"))
_OF_LISTS: Final = frozenset(("minItems", "maxItems"))


def is_surely_valid(value: Any, schema: Schema) -> bool:
    """A whole object; its apiVersion, kind and metadata are not looked at."""
    keywords = _keywords(schema)
    if value.__class__ is not dict or not _RARE.isdisjoint(keywords):
        return False
    own = {name: member for name, member in value.items() if name not in META}
    try:
        return _is_valid_object(own, keywords, Effort(), META)
    except TooMuch:
        return False


def _keywords(schema: Schema) -> Schema:
    return schema.keywords if schema.__class__ is SchemaView else schema


def _is_valid(value: Any, schema: Schema, effort: Effort) -> bool:
    keywords = _keywords(schema)
    kind = value.__class__
    if INT_OR_STRING in keywords:
        return (kind is str or kind is int) and "pattern" not in keywords and "enum" not in keywords
    if not _RARE.isdisjoint(keywords) and not _has_valid_form(value, keywords, effort):
        return False
    expected = keywords.get("type")
    if kind is str:
        return expected == "string" and (_OF_TEXT.isdisjoint(keywords) or not [*text_problems(value, keywords, ())])
    if kind is dict:
        return expected == "object" and _is_valid_object(value, keywords, effort)
    if kind is list:
        return expected == "array" and _is_valid_list(value, keywords, effort)
    if kind is bool:
        return expected == "boolean"
    if kind is not int or expected not in ("integer", "number"):
        return False
    return _OF_NUMBERS.isdisjoint(keywords) or not [*number_problems(value, keywords, ())]


def _has_valid_form(value: Any, keywords: Schema, effort: Effort) -> bool:
    """By its enum and by what is combined, unless a default may come in between."""
    if EMBEDDED in keywords or ("enum" in keywords and value not in keywords["enum"]):
        return False
    if _FORM.isdisjoint(keywords):
        return True
    declared = keywords.get("properties") or {}
    if any("default" in _keywords(inner) for inner in declared.values()):
        return False
    if value.__class__ is dict and [*length_problems(len(value), "Properties", "fields", keywords, ())]:
        return False
    return not [*combined_problems(value, keywords, (), effort)]


def _is_valid_list(items: list[Any], keywords: Schema, effort: Effort) -> bool:
    if not _OF_LISTS.isdisjoint(keywords) and [*length_problems(len(items), "Items", "items", keywords, ())]:
        return False
    schema = keywords.get("items")
    return schema is not None and all(_is_valid(item, schema, effort) for item in items)


def _is_valid_object(
    value: dict[str, Any], keywords: Schema, effort: Effort, given: frozenset[str] = frozenset()
) -> bool:
    declared, others = keywords.get("properties") or {}, keywords.get("additionalProperties")
    for name, member in value.items():
        inner = declared.get(name, others)
        if inner is None and keywords.get(PRESERVE):
            continue
        if inner is None or inner.__class__ is bool or not _is_valid(member, inner, effort):
            return False
    for name in keywords.get("required", ()):
        if name not in value and name not in given:
            inner = declared.get(name)
            if inner is None or _keywords(inner).get("default") is None:
                return False
    return True
