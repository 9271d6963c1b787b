"""The selector of a generator: which sets of parameters are kept.

The parameters are the labels, flattened: ``metadata.labels.env``, ``list.0``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..templates.values import StringList, StringMap, Value, plain

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_PREFIX: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


class BadSelector(ValueError):
    """Argo CD gives up on the whole set."""


def flattened(parameters: Mapping[str, Value]) -> dict[str, str]:
    """Maps and lists opened up; Go's map[string]string and []string are neither of the two and stay whole."""
    flat: dict[str, str] = {}
    stack: list[tuple[str, Value]] = list(parameters.items())
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict) and not isinstance(value, StringMap):
            stack += ((f"{name}.{key}", item) for key, item in value.items())
        elif isinstance(value, list) and not isinstance(value, StringList):
            stack += ((f"{name}.{index}", item) for index, item in enumerate(value))
        else:
            flat[name] = plain(value)
    return flat


def selects(selector: Value, parameters: Mapping[str, Value]) -> bool:
    """Whether a set of parameters is kept. No selector keeps everything."""
    if not isinstance(selector, dict):
        return True
    labels = flattened(parameters)
    return all(_holds(*requirement, labels) for requirement in _requirements(selector))


def _requirements(selector: dict[str, Value]) -> list[tuple[str, str, list[str]]]:
    found: list[tuple[str, str, list[str]]] = []
    exact, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    for key, value in exact.items() if isinstance(exact, dict) else ():
        found.append((key, "In", [plain(value)]))
    for expression in expressions if isinstance(expressions, list) else ():
        if isinstance(expression, dict):
            values = expression.get("values")
            wanted = [plain(value) for value in values] if isinstance(values, list) else []
            found.append((plain(expression.get("key")), plain(expression.get("operator")), wanted))
    for key, operator, wanted in found:
        _check(key, operator, wanted)
    return found


def _check(key: str, operator: str, values: list[str]) -> None:
    prefix, slash, name = key.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not (_PREFIX.fullmatch(prefix) and len(prefix) <= 253)):
        raise BadSelector(f"{key!r} is not a valid label key")
    if operator not in _OPERATORS:
        raise BadSelector(f'"{operator}" is not a valid label selector operator')
    if operator in ("In", "NotIn") and not values:
        raise BadSelector("for 'in', 'notin' operators, values set can't be empty")
    if operator in ("Exists", "DoesNotExist") and values:
        raise BadSelector("values set must be empty for exists and does not exist")


def _holds(key: str, operator: str, values: list[str], labels: dict[str, str]) -> bool:
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    return (key in labels) is (operator == "Exists")
