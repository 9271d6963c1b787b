"""Label selectors of Kubernetes, as texts (``app in (web, api), !legacy, tier != test``) and as fields.

Who uses them: targets of patches and replacements, generators of
ApplicationSets, and objects that find others by their labels. Kubernetes' client for
Python sends selectors to the server and reads none itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..facts.regexes import regex

_TOKEN: Final = regex(r"==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+")
_NAME: Final = regex(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX: Final = regex(r"(?=.{1,253}\Z)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_AS_FIELDS: Final = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_OPERATORS: Final = frozenset(("=", "==", "!=", "in", "notin", ">", "<"))
_SYMBOLS: Final = frozenset(("==", "!=", "=", "!", "(", ")", ",", "<", ">", ""))
_END: Final = ""


@dataclass(frozen=True)
class Requirement:
    key: str
    operator: str
    """One of those that a selector is written with; `exists` and `!` for a key alone."""
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        found = labels.get(self.key)
        if self.operator in ("!", "exists"):
            return (found is None) == (self.operator == "!")
        if self.operator in ("!=", "notin"):
            return found is None or found not in self.values
        if self.operator in ("<", ">"):
            return self._compares(found)
        return found in self.values

    @property
    def is_over_nothing(self) -> bool:
        """Whether values are missing, or too many, for what it asks: the API server takes no such selector."""
        asks_for_key = self.operator in ("!", "exists")
        return asks_for_key is bool(self.values)

    def _compares(self, found: str | None) -> bool:
        if found is None or not re.fullmatch(r"[+-]?[0-9]{1,19}", found):
            return False
        (limit,) = map(int, self.values)
        return int(found) > limit if self.operator == ">" else int(found) < limit


def all_met(wanted: Iterable[Requirement], labels: Mapping[str, str]) -> bool:
    return all(one.matches(labels) for one in wanted)


def expressed(key: str, operator: str, values: Iterable[str]) -> Requirement | None:
    """An item of `matchExpressions`; None if the operator is none."""
    known = _AS_FIELDS.get(operator)
    return Requirement(key, known, frozenset(values)) if known else None


def labelled(key: str, value: str) -> Requirement:
    """A pair of `matchLabels`, or of a plain selector."""
    return Requirement(key, "=", frozenset((value,)))


def is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return _NAME.fullmatch(name) is not None and (not slash or _PREFIX.fullmatch(prefix) is not None)


@lru_cache(maxsize=512)
def parse(selector: str) -> tuple[Requirement, ...]:
    """All of them must be met; none for an empty selector. Raises ValueError for what is no selector."""
    tokens = [*_TOKEN.findall(selector), _END]
    tokens.reverse()
    found: list[Requirement] = []
    while tokens[-1] != _END:
        found.append(_requirement(tokens))
        separator = tokens.pop()
        if separator == _END:
            break
        if separator != ",":
            raise ValueError(f"a comma must stand before {separator}")
        if tokens[-1] in _SYMBOLS - {"!"}:
            raise ValueError("something must follow the comma")
    return tuple(found)


def _requirement(tokens: list[str]) -> Requirement:
    is_negated = tokens[-1] == "!"
    if is_negated:
        tokens.pop()
    key = tokens.pop()
    if not is_key(key):
        raise ValueError(f"{key or 'nothing'} is no key of a label")
    if is_negated or tokens[-1] in (",", _END):
        return Requirement(key, "!" if is_negated else "exists")
    operator = tokens.pop()
    if operator not in _OPERATORS:
        raise ValueError(f"{operator} is no operator")
    values = _set(tokens) if operator in ("in", "notin") else {_single(tokens)}
    for value in values:
        if value and not _NAME.fullmatch(value):
            raise ValueError(f"{value} is no value of a label")
    if operator in ("<", ">") and not re.fullmatch(r"[+-]?[0-9]{1,19}", "".join(values)):
        raise ValueError(f"{operator} needs a whole number")
    return Requirement(key, operator, frozenset(values))


def _single(tokens: list[str]) -> str:
    if tokens[-1] in (",", _END):
        return ""
    value = tokens.pop()
    if value in _SYMBOLS:
        raise ValueError(f"a value must stand where {value} is")
    return value


def _set(tokens: list[str]) -> set[str]:
    """(a, b), where any of them may be empty."""
    if tokens.pop() != "(":
        raise ValueError("values in parentheses must follow")
    values: set[str] = set()
    last = ","
    commas = 0
    while (token := tokens.pop()) != ")":
        if token == _END or (token in _SYMBOLS and token != ",") or (token != "," and last != ","):
            raise ValueError("values must be separated by commas, and a parenthesis must close them")
        if token != ",":
            values.add(token)
        elif last == ",":
            values.add("")
        commas = commas + 1 if token == "," else 0
        last = token
    if commas and commas % 2 == 0:
        raise ValueError("two commas before the parenthesis, which Kubernetes cannot read")
    if last == ",":
        values.add("")
    return values
