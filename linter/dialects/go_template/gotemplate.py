"""Go templates with the functions of ApplicationSets."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from ...facts.tables import table
from . import (
    builtin_functions,
    data_functions,
    dict_functions,
    list_functions,
    number_functions,
    regex_functions,
    string_functions,
)
from .budget import Budget
from .dict_functions import MUTATING
from .evaluate import MissingKey, execute
from .function_types import Function, Type
from .go_values import Value
from .lexer import LEFT
from .mergo import copied
from .parser import parse
from .template_errors import CannotEvaluate, TemplateError
from .template_nodes import Template


@cache
def functions() -> dict[str, Function]:
    """By name: what can be evaluated, and what is known but depends on more than its arguments."""
    known = {name: _refusing(name, reason) for name, reason in table("template-functions.json")["notEvaluated"].items()}
    for module in (
        builtin_functions,
        string_functions,
        number_functions,
        list_functions,
        dict_functions,
        data_functions,
        regex_functions,
    ):
        known |= module.FUNCTIONS
    return known


def _refusing(name: str, reason: str) -> Function:
    def refuse(*arguments: Value) -> Value:
        raise CannotEvaluate(f"{name}: {reason}")

    return Function(refuse, (), Type.ANY)


@lru_cache(maxsize=2048)
def parsed(text: str) -> Template:
    return parse(text, functions())


def check(text: str) -> None:
    """Raises ParseError for what is no template, whatever the parameters will be."""
    parsed(text)


def missing_key(options: Iterable[str]) -> MissingKey:
    """What the goTemplateOptions come to; Argo CD panics on one that Go does not know."""
    mode = MissingKey.DEFAULT
    for option in options:
        name, _, value = option.partition("=")
        modes = {"invalid": MissingKey.DEFAULT, **{one.value: one for one in MissingKey}}
        if not option:
            raise TemplateError("empty option string")
        if name != "missingkey" or value not in modes:
            raise TemplateError(f"unrecognized option: {option}")
        mode = modes[value]
    return mode


def render(
    text: str, parameters: dict[str, Value], mode: MissingKey = MissingKey.DEFAULT, budget: Budget | None = None
) -> str:
    """Raises TemplateError where Argo CD fails, CannotEvaluate where only Argo CD can know.

    Where a function changes a map of the parameters, other fields do not see the change.
    """
    if LEFT not in text:
        return text
    template = parsed(text)
    data: Value = copied(parameters) if any(name in text for name in MUTATING) else parameters
    return execute(template, data, functions(), mode, budget or Budget())
