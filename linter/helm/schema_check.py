"""Values against values.schema.json, as Helm checks them before it renders.

Schema and values may come from a stranger: patterns are matched by an engine
that cannot be made to run for ever, references are counted, and nothing is
fetched. What is not understood is not judged.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..dialects.go_regexp import finds
from ..dialects.phrases import and_more

_MOST_REFERENCES: Final = 20_000
_MOST: Final = 50
_SIMPLE: Final = frozenset(
    {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "const", "format"}
)
_TYPES: Final = {dict: "a mapping", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}


class Violation(NamedTuple):
    path: tuple[str | int, ...]
    keyword: str
    what: str
    """To stand behind the name of the value."""
    keys: tuple[str, ...] = ()
    """Of a mapping: the members that are too many, or that are missing."""


class _TooMuch(Exception):
    """More references than a schema of good faith follows."""


def violations(schema: Any, values: Any) -> list[Violation] | None:
    """What Helm refuses; None where nobody can tell."""
    from jsonschema import validators
    from jsonschema.exceptions import SchemaError, UnknownType
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    if not isinstance(schema, dict):
        return None
    base = validators.validator_for(schema, default=validators.Draft7Validator)
    left = _MOST_REFERENCES

    def counted(keyword: str) -> Any:
        original = base.VALIDATORS[keyword]

        def check(validator: Any, value: Any, instance: Any, whole: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise _TooMuch
            return original(validator, value, instance, whole)

        return check

    references = [one for one in ("$ref", "$dynamicRef", "$recursiveRef") if one in base.VALIDATORS]
    changed: dict[str, Any] = {one: counted(one) for one in references}
    changed |= {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "unevaluatedProperties": _not_judged,
    }
    # Numbers of Go's JSON have one type: 2.0 is an integer to Helm.
    checker = base.TYPE_CHECKER.redefine("integer", _is_integer)
    extend: Any = validators.extend
    kind = extend(base, changed, type_checker=checker)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, about regular expressions in the schema
            base.check_schema(schema)
        errors = kind(schema, registry=Registry()).iter_errors(values)
        found = [_violation(error) for _, error in zip(range(_MOST), errors, strict=False)]
    except (SchemaError, UnknownType, Unresolvable, RecursionError, _TooMuch):
        return None
    return sorted(found, key=lambda one: [str(step) for step in one.path])


def _is_integer(_: Any, value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def _pattern(_: Any, pattern: Any, instance: Any, whole: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and isinstance(pattern, str) and finds(pattern, instance) is False:
        yield ValidationError("does not match")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, whole: Any) -> Iterator[Any]:
    for pattern, schema in patterns.items() if isinstance(instance, dict) else ():
        for key, value in instance.items():
            if finds(pattern, key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, wanted: Any, instance: Any, whole: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    extra = _extra(instance, whole) if isinstance(instance, dict) else ()
    if isinstance(wanted, dict):
        for key in extra:
            yield from validator.descend(instance[key], wanted, path=key)
    elif wanted is False and extra:
        yield ValidationError("too many")


def _extra(instance: dict[str, Any], schema: Any) -> tuple[str, ...]:
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return tuple(
        key for key in instance if key not in known and not any(finds(one, key) is not False for one in patterns)
    )


def _not_judged(validator: Any, wanted: Any, instance: Any, whole: Any) -> Iterator[Any]:
    yield from ()


def _violation(error: Any) -> Violation:
    path, keyword, wanted, instance = tuple(error.absolute_path), error.validator, error.validator_value, error.instance
    if keyword == "type":
        wants = " or ".join(str(one) for one in (wanted if isinstance(wanted, list) else [wanted]))
        return Violation(path, keyword, f"is {_type_words(instance)}, and the schema wants {wants}")
    if keyword == "required":
        missing = tuple(key for key in wanted if key not in instance)
        return Violation(path, keyword, f"lacks {_named(missing)}", missing)
    if keyword == "additionalProperties" and wanted is False:
        extra = _extra(instance, error.schema)
        return Violation(path, keyword, f"has {_named(extra)}, which the schema does not know", extra)
    if keyword == "enum" and len(wanted) <= 8:
        return Violation(path, keyword, f"is none of {', '.join(json.dumps(one) for one in wanted)}"[:200])
    if keyword in _SIMPLE:
        return Violation(path, keyword, f"does not keep to {keyword} {json.dumps(wanted)[:80]} of the schema")
    return Violation(path, keyword, f"does not meet {keyword} of the schema")


def _type_words(value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "a number"
    return _TYPES.get(type(value), "something else")


def _named(keys: tuple[str, ...]) -> str:
    return f"{' and '.join(map(repr, keys[:3]))}{and_more(len(keys) - 3)}"
