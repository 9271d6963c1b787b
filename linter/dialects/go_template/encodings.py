"""JSON and YAML as Go writes and reads them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Final

import yaml

from ...yaml.compose import documents
from ...yaml.scalars import resolve
from ...yaml.values import json_value
from .go_values import Int64, Value, from_json, size_of
from .template_errors import CannotEvaluate, TemplateError

_LINE_ENDS: Final = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029"})
_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def to_json(value: Value, indent: int | None = None, escape_html: bool = True) -> str:
    """Keys sorted, whole numbers without a point, and < > & escaped unless told otherwise."""
    size_of(value)
    separators = (",", ": " if indent else ":")
    text = json.dumps(_writable(value), ensure_ascii=False, sort_keys=True, indent=indent, separators=separators)
    text = text.translate(_LINE_ENDS)
    return text.translate(_HTML) if escape_html else text


def _writable(value: Value) -> Value:
    if isinstance(value, float):
        if value != value or not (value == 0 or 1e-4 <= abs(value) < 1e21):
            raise CannotEvaluate("a number that JSON writes with an exponent")
        return int(Decimal(repr(value))) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _writable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    return int(value) if isinstance(value, Int64) else value


def read_json(text: str) -> Value:
    try:
        return from_json(json.loads(text, parse_constant=_refuse))
    except (ValueError, RecursionError):
        raise TemplateError("invalid JSON") from None


def _refuse(constant: str) -> Value:
    raise ValueError(constant)


def read_yaml(text: str) -> Value:
    """The first document, as Kubernetes reads it; numbers as they are, ints and floats."""
    roots, errors = documents(text)
    if errors and (not roots or errors[0].offset <= roots[0].end_mark.index):
        line = text.count("\n", 0, errors[0].offset) + 1
        raise TemplateError(f"error converting YAML to JSON: yaml: line {line}: {errors[0].message}")
    value: Value = json_value(roots[0]) if roots else None
    return value


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if not text or not isinstance(resolve(text), str):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def to_yaml(value: Value) -> str:
    """The same value as Go's text; quotes may stand otherwise."""
    size_of(value)
    text: str = yaml.dump(
        _writable(value), Dumper=_Dumper, default_flow_style=False, sort_keys=True, width=10**6, allow_unicode=True
    )
    return text.removesuffix("...\n").removesuffix("\n")
