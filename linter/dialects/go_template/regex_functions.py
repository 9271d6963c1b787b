"""Sprig's functions with regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..go_regexp import BadPattern, NotJudged, Regexp, Slots
from .budget import Budget
from .function_types import Function, Type
from .go_values import StringList, Value, check_text
from .template_errors import CannotEvaluate, TemplateError

_S: Final = Type.STRING


def _regexp(pattern: str, budget: Budget) -> Regexp:
    budget.spend(1 + len(pattern) // 10)
    try:
        return Regexp(pattern, budget.spend)
    except BadPattern as error:
        raise TemplateError(f"regexp: Compile(`{pattern}`): error parsing regexp: {error}") from None
    except NotJudged as error:
        raise CannotEvaluate(str(error)) from None


def _replaced(regexp: Regexp, text: str, put: Callable[[Slots], str]) -> str:
    parts: list[str] = []
    done, length = 0, len(text)
    for slots in regexp.find_all(text):
        start, end = slots[0] or 0, slots[1] or 0
        parts += [text[done:start], put(slots)]
        done, length = end, length + len(parts[-1])
        check_text(length)
    return "".join([*parts, text[done:]])


def _matches(budget: Budget, pattern: str, text: str) -> bool:
    return _regexp(pattern, budget).search(text, 0) is not None


def _matches_or_not(budget: Budget, pattern: str, text: str) -> bool:
    try:
        return _matches(budget, pattern, text)
    except TemplateError:
        return False


def _find(budget: Budget, pattern: str, text: str) -> str:
    slots = _regexp(pattern, budget).search(text, 0)
    return text[slots[0] : slots[1]] if slots else ""


def _find_all(budget: Budget, pattern: str, text: str, most: int) -> Value:
    return StringList(text[slots[0] : slots[1]] for slots in _regexp(pattern, budget).find_all(text, most))


def _replace(budget: Budget, pattern: str, text: str, replacement: str) -> str:
    regexp = _regexp(pattern, budget)
    return _replaced(regexp, text, lambda slots: regexp.expanded(replacement, text, slots))


def _replace_literally(budget: Budget, pattern: str, text: str, replacement: str) -> str:
    return _replaced(_regexp(pattern, budget), text, lambda slots: replacement)


def _split(budget: Budget, pattern: str, text: str, most: int) -> Value:
    """Go's Split: at most so many parts, and no empty one where the pattern matches nothing at the start."""
    if most == 0:
        return None
    parts: StringList = StringList()
    begin = end = 0
    for slots in _regexp(pattern, budget).find_all(text, most):
        if most > 0 and len(parts) == most - 1:
            break
        end = slots[0] or 0
        if slots[1]:
            parts.append(text[begin:end])
        begin = slots[1] or 0
    if end != len(text) or not text:
        parts.append(text[begin:])
    return parts


def _quote_meta(text: str) -> str:
    return re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", text)


def _metered(call: Callable[..., Value], *parameters: Type) -> Function:
    return Function(call, parameters, metered=call)


_ALSO_MUST: Final = {
    "Find": _metered(_find, _S, _S),
    "FindAll": _metered(_find_all, _S, _S, Type.INT),
    "ReplaceAll": _metered(_replace, _S, _S, _S),
    "ReplaceAllLiteral": _metered(_replace_literally, _S, _S, _S),
    "Split": _metered(_split, _S, _S, Type.INT),
}
FUNCTIONS: Final = {
    **{f"regex{name}": function for name, function in _ALSO_MUST.items()},
    **{f"mustRegex{name}": function for name, function in _ALSO_MUST.items()},
    "regexMatch": _metered(_matches_or_not, _S, _S),
    "mustRegexMatch": _metered(_matches, _S, _S),
    "regexQuoteMeta": Function(_quote_meta, (_S,)),
}
