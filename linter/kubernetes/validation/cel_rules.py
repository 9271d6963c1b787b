"""Rules in CEL that a CRD has for its objects (``x-kubernetes-validations``).

Asked of the object as the API server keeps it, pruned and with its defaults. Rules about a change (`oldSelf`) need the
object in the cluster and are passed over; so is what nobody can tell, and what another tool fills in later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...dialects.cel import BadExpression, Failed, NotJudged, Verdict, compile_cel
from ...dialects.spelling import is_placeholder
from ..defaulting import Schema, Steps, below
from .structural import Problem

RULES: Final = "x-kubernetes-validations"
_MOST_ASKED: Final = 500
"""Of one object; a list of a thousand items has its rules asked of the first ones."""
_STEPS: Final = 20_000


def has_rules(value: Any, schema: Schema | None) -> bool:
    """Whether a rule stands at a part of the schema that the value has."""
    if schema is None:
        return False
    return bool(schema.get(RULES)) or any(has_rules(member, below(schema, step)) for step, member in _members(value))


def broken_rules(value: Any, schema: Schema) -> Iterator[Problem]:
    left = _MOST_ASKED
    for at, part, rules in _with_rules(value, schema, ()):
        for rule in rules:
            left -= 1
            if left < 0:
                return
            said = _complaint(part, rule) if isinstance(rule, dict) else ""
            if said:
                yield Problem(at, f"breaks a rule of the CRD: {said}")


def _with_rules(value: Any, schema: Schema | None, at: Steps) -> Iterator[tuple[Steps, Any, list[Any]]]:
    if schema is None:
        return
    rules = schema.get(RULES)
    if isinstance(rules, list) and rules and value is not None and not _is_filled_in_later(value):
        yield at, value, rules
    for step, member in _members(value):
        yield from _with_rules(member, below(schema, step), (*at, step))


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def _complaint(value: Any, rule: dict[str, Any]) -> str:
    """What the server says; empty where the rule holds, or nobody can tell."""
    text = rule.get("rule")
    if not isinstance(text, str):
        return ""
    try:
        program = compile_cel(text)
    except (BadExpression, NotJudged):
        return ""
    if program.names != {"self"}:
        return ""
    answer = program.ask({"self": value}, _STEPS)
    if answer.verdict in (Verdict.YES, Verdict.UNKNOWN):
        return ""
    if answer.verdict is Verdict.ERROR:
        return answer.why
    return _message(value, rule) or f"failed rule: {' '.join(text.split())}"


def _message(value: Any, rule: dict[str, Any]) -> str:
    expression = rule.get("messageExpression")
    if isinstance(expression, str):
        try:
            said = compile_cel(expression).evaluate({"self": value}, _STEPS)
        except (BadExpression, Failed, NotJudged):
            said = None
        if isinstance(said, str) and said.strip():
            return " ".join(said.split())
    return " ".join(str(rule.get("message") or "").split())


def _is_filled_in_later(value: Any) -> bool:
    if isinstance(value, str):
        return is_placeholder(value)
    return any(_is_filled_in_later(member) for _, member in _members(value))
