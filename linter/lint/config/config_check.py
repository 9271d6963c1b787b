"""Whether a config file is valid.

The judge is schemas/config.schema.json, the same file that editors use, so
there is no second description of the options. Patterns are judged here: a
schema cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from ...facts.tables import table
from ...files.path_globs import glob_problem
from ..selection import did_you_mean
from .config_file import ConfigError, Keys, Settings

_MOST_PROBLEMS: Final = 50
"""The first of them is told; a stranger's file may have any number, and each is looked for in its text."""
_TYPES: Final = {
    "array": "a list",
    "boolean": "true or false",
    "object": "a mapping",
    "string": "a text",
    "integer": "a whole number",
}


def check(settings: Settings) -> None:
    """Raise what is wrong first in the file."""
    # Patterns can be looked at only where the schema holds.
    problems = list(islice(_schema_problems(settings), _MOST_PROBLEMS)) or list(_glob_problems(settings))
    if problems:
        raise min(problems, key=lambda error: error.line)


class _Fault(NamedTuple):
    """Where the schema does not hold, and by which of its keywords."""

    path: Keys
    keyword: str
    expected: Any
    value: Any
    schema: Mapping[str, Any]


def _schema_faults(values: Mapping[str, Any]) -> Iterator[_Fault]:
    from jsonschema import Draft202012Validator  # 0.05 s, which a run without a config file need not pay

    for error in Draft202012Validator(table("config.schema.json")).iter_errors(values):
        schema = error.schema if isinstance(error.schema, Mapping) else {}
        yield _Fault(tuple(error.absolute_path), str(error.validator), error.validator_value, error.instance, schema)


def _schema_problems(settings: Settings) -> Iterator[ConfigError]:
    for fault in _schema_faults(settings.values):
        if fault.keyword != "additionalProperties":
            yield settings.error(_explain(fault), *fault.path)
            continue
        known = fault.schema["properties"]
        inside = f" in {_name(fault.path)}" if fault.path else ""
        for key in (key for key in fault.value if key not in known):
            yield settings.error(f"unknown option {_shown(key)}{inside}{did_you_mean(key, known)}", *fault.path, key)


def _explain(fault: _Fault) -> str:
    name, shown, expected = _name(fault.path), _shown(fault.value), fault.expected
    if fault.value is None:
        return f"{name} has no value"
    if fault.keyword == "enum":
        meant = did_you_mean(str(fault.value), expected)
        return f"{name} must be one of {', '.join(expected)}, not {shown}{meant}"
    if fault.keyword == "required":
        missing = next(key for key in expected if key not in fault.value)
        return f"{name} needs {missing!r}"
    if fault.keyword == "type":
        quotes = "; put it in quotes" if expected == "string" and isinstance(fault.value, int | float) else ""
        return f"{name} must be {_TYPES[expected]}, not {shown}{quotes}"
    if fault.keyword == "pattern":
        return f"{name}: {shown} is not written like {fault.schema['examples'][0]!r}"
    if fault.keyword in ("minimum", "maxLength"):
        least = f"at least {expected}" if fault.keyword == "minimum" else f"at most {expected} characters"
        return f"{name} must be {least}, not {shown}"
    return f"{name} must not be empty"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _name(path: Keys) -> str:
    """``ignores[0].until``: how messages name a place in the config."""
    words = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return words.removeprefix(".") or "the config"


def _glob_problems(settings: Settings) -> Iterator[ConfigError]:
    for pattern, keys in _globs(settings.values):
        problem = glob_problem(pattern)
        if problem:
            yield settings.error(f"{_name(keys)}: {_shown(pattern)}: {problem}", *keys)


def _globs(values: Mapping[str, Any]) -> Iterator[tuple[str, Keys]]:
    for index, pattern in enumerate(values.get("exclude", ())):
        yield pattern, ("exclude", index)
    for pattern in values.get("per-file-ignores", {}):
        yield pattern, ("per-file-ignores", pattern)
    for index, entry in enumerate(values.get("per-path", ())):
        yield entry["path"], ("per-path", index, "path")
    for index, entry in enumerate(values.get("ignores", ())):
        if "path" in entry:
            yield entry["path"], ("ignores", index, "path")
