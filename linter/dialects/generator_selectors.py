"""The selector of a generator: which sets of parameters are kept.

The parameters are the labels, flattened: ``metadata.labels.env``, ``list.0``.
"""

from __future__ import annotations

from collections.abc import Mapping

from .go_template.go_values import StringList, StringMap, Value, plain
from .label_selectors import Requirement, all_met, expressed, is_key, labelled


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
    return all_met(_requirements(selector), flattened(parameters))


def _requirements(selector: dict[str, Value]) -> list[Requirement]:
    found: list[Requirement] = []
    exact, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    for key, value in exact.items() if isinstance(exact, dict) else ():
        found.append(_checked(labelled(key, plain(value))))
    for expression in expressions if isinstance(expressions, list) else ():
        if isinstance(expression, dict):
            values, operator = expression.get("values"), plain(expression.get("operator"))
            wanted = [plain(value) for value in values] if isinstance(values, list) else []
            requirement = expressed(plain(expression.get("key")), operator, wanted)
            if requirement is None:
                raise BadSelector(f'"{operator}" is not a valid label selector operator')
            found.append(_checked(requirement))
    return found


def _checked(requirement: Requirement) -> Requirement:
    if not is_key(requirement.key):
        raise BadSelector(f"{requirement.key!r} is not a valid label key")
    if requirement.is_over_nothing and requirement.values:
        raise BadSelector("values set must be empty for exists and does not exist")
    if requirement.is_over_nothing:
        raise BadSelector("for 'in', 'notin' operators, values set can't be empty")
    return requirement
