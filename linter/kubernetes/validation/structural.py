"""Values against the schema of a CRD, as the API server judges them after it has filled in defaults.

Types, required fields, enums, patterns, limits and the combinations of these; no formats, for which the API server has
code of its own; rules in CEL are in `cel_rules`. A schema may be written to take for ever, so there is an end to the
effort, and then nothing is said. jsonschema is used for charts; it cannot be here, since the server prunes and defaults
between its steps, and takes only some of JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...dialects.go_regexp import finds
from ..defaulting import EMBEDDED, INT_OR_STRING, META, Schema, Steps, below

_MOST_VALUES: Final = 200_000
_MOST_NAMED: Final = 8
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
}
_NAMES: Final = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "array": "a list",
}


class Problem(NamedTuple):
    steps: Steps
    """To the value at fault, or to the one that is missing."""
    text: str
    """What it should be, after the name of the field: ``must be a string``."""
    missing: bool = False


class Effort:
    """How many values may still be looked at."""

    def __init__(self) -> None:
        self.left = _MOST_VALUES

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooMuch


class TooMuch(Exception):
    pass


def problems(value: Any, schema: Schema) -> list[Problem]:
    """Of a whole object; its apiVersion, kind and metadata are the server's own business."""
    effort = Effort()
    try:
        return [*_object(value, schema, (), effort, skip=META), *combined_problems(value, schema, (), effort)]
    except TooMuch:
        return []


def _problems(value: Any, schema: Schema, at: Steps, effort: Effort) -> Iterator[Problem]:
    effort.spend()
    if value is None and schema.get("nullable"):
        return
    if not _has_type(value, schema):
        yield Problem(at, f"must be {_type_name(schema)}")
        return
    enum = schema.get("enum")
    if isinstance(enum, list) and not any(_same(value, one) for one in enum):
        yield Problem(at, f"must be {_one_of(enum)}")
    elif isinstance(value, str):
        yield from text_problems(value, schema, at)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from number_problems(value, schema, at)
    elif isinstance(value, list):
        yield from _list(value, schema, at, effort)
    elif isinstance(value, dict):
        yield from _object(value, schema, at, effort, skip=META if schema.get(EMBEDDED) else ())
    yield from combined_problems(value, schema, at, effort)


def _has_type(value: Any, schema: Schema) -> bool:
    if schema.get(INT_OR_STRING):
        return isinstance(value, str) or (_is_whole(value) and not isinstance(value, bool))
    expected = schema.get("type")
    if not isinstance(expected, str) or expected not in _TYPES:
        return True
    if isinstance(value, bool):
        return expected == "boolean"
    return isinstance(value, _TYPES[expected]) or (expected == "integer" and _is_whole(value))


def _is_whole(value: Any) -> bool:
    """1.0 is a whole number by the time it is JSON."""
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _type_name(schema: Schema) -> str:
    return "a whole number or a string" if schema.get(INT_OR_STRING) else _NAMES[schema["type"]]


def _same(value: Any, other: Any) -> bool:
    """To JSON true and 1 are different, 1 and 1.0 are not."""
    return isinstance(value, bool) is isinstance(other, bool) and bool(value == other)


def _one_of(values: Sequence[Any]) -> str:
    named = ", ".join(one if isinstance(one, str) and one else json.dumps(one) for one in values[:_MOST_NAMED])
    return f"one of {named}{', …' if len(values) > _MOST_NAMED else ''}" if len(values) > 1 else named


def text_problems(value: str, schema: Schema, at: Steps) -> Iterator[Problem]:
    yield from length_problems(len(value), "Length", "characters", schema, at)
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and finds(pattern, value) is False:
        yield Problem(at, f"must match {pattern}")


def number_problems(value: float, schema: Schema, at: Steps) -> Iterator[Problem]:
    least, most, step = (schema.get(keyword) for keyword in ("minimum", "maximum", "multipleOf"))
    if isinstance(least, int | float) and (value < least or (value == least and schema.get("exclusiveMinimum"))):
        yield Problem(at, f"must be {'more than' if schema.get('exclusiveMinimum') else 'at least'} {least}")
    if isinstance(most, int | float) and (value > most or (value == most and schema.get("exclusiveMaximum"))):
        yield Problem(at, f"must be {'less than' if schema.get('exclusiveMaximum') else 'at most'} {most}")
    if isinstance(step, int) and step > 0 and isinstance(value, int) and value % step:
        yield Problem(at, f"must be a multiple of {step}")


def _list(value: list[Any], schema: Schema, at: Steps, effort: Effort) -> Iterator[Problem]:
    yield from length_problems(len(value), "Items", "items", schema, at)
    items = below(schema, 0)
    for index, item in enumerate(value) if items is not None else ():
        yield from _problems(item, items or {}, (*at, index), effort)


def _object(
    value: Any, schema: Schema, at: Steps, effort: Effort, skip: frozenset[str] | tuple[str, ...]
) -> Iterator[Problem]:
    if not isinstance(value, dict):
        return
    yield from length_problems(len(value), "Properties", "fields", schema, at)
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in value and name not in skip:
            yield Problem((*at, name), "is required", missing=True)
    for name, member in value.items():
        inner = below(schema, name) if name not in skip else None
        if inner is not None:
            yield from _problems(member, inner, (*at, name), effort)


def length_problems(length: int, of: str, unit: str, schema: Schema, at: Steps) -> Iterator[Problem]:
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}")
    if isinstance(least, int) and length < least:
        yield Problem(at, f"must have at least {least} {unit}, not {length}")
    if isinstance(most, int) and length > most:
        yield Problem(at, f"must have at most {most} {unit}, not {length}")


def combined_problems(value: Any, schema: Schema, at: Steps, effort: Effort) -> Iterator[Problem]:
    for part in _parts(schema, "allOf"):
        yield from _problems(value, part, at, effort)
    any_of, one_of, forbidden = _parts(schema, "anyOf"), _parts(schema, "oneOf"), schema.get("not")
    if any_of and not any(_accepts(value, part, effort) for part in any_of):
        yield Problem(at, f"fits none of its alternatives{_alternatives(any_of)}")
    if one_of:
        fitting = sum(_accepts(value, part, effort) for part in one_of)
        if fitting != 1:
            how = "none" if not fitting else "more than one"
            yield Problem(at, f"fits {how} of its alternatives{_alternatives(one_of)}")
    if forbidden.__class__ is dict and _accepts(value, forbidden, effort):
        names = [name for name in forbidden.get("required", ()) if isinstance(name, str)]
        yield Problem(at, f"must not have {' and '.join(names)}" if names else "has a form that is forbidden")


def _parts(schema: Schema, keyword: str) -> list[Schema]:
    parts = schema.get(keyword)
    return [part for part in parts if isinstance(part, dict)] if parts.__class__ is list else []


def _accepts(value: Any, schema: Schema, effort: Effort) -> bool:
    return next(_problems(value, schema, (), effort), None) is None


def _alternatives(parts: Sequence[Schema]) -> str:
    """Named where each asks for fields of its own, which is the usual case."""
    if not all(set(part) == {"required"} and isinstance(part["required"], list) for part in parts):
        return ""
    named = [" and ".join(str(name) for name in part["required"]) for part in parts]
    return f" ({', '.join(named[:_MOST_NAMED])})"
