"""Which rules run: codes, prefixes, names and ALL, as ruff reads them.

The more exact word wins: ``--select GL1 --ignore GL102`` runs all of GL1 but
one, ``--ignore GL1 --select GL102`` runs that one. Between equals, ignoring wins.

A rule that is off by default runs as soon as any word selects it, be it a
prefix or ALL: whoever writes ALL means all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, TypeVar

from ..facts.regexes import regex
from .rule import Rule, Scope

ALL: Final = "ALL"
_EXACT: Final = 100
_LONGEST: Final = 80
_PREFIX: Final = regex(r"([A-Z]{2,8})\d{0,2}")
"""Letters are never a part of others: `SH` does not mean SHOP001."""
_Value = TypeVar("_Value")


class UnknownRule(ValueError):
    """A word that names no rule; the text says which, and what may have been meant."""


def select(
    rules: Sequence[Rule],
    select: Iterable[str] | None = None,
    extend_select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    insist: Iterable[str] = (),
) -> tuple[Rule, ...]:
    """The rules to run; without `select`, those that are on by default.

    `insist` holds the words of the command line that win over an equally exact `ignore` of the config.
    """
    wanted, added, ignored, insisted = tuple(select or ()), tuple(extend_select), tuple(ignore), tuple(insist)
    check_words((*wanted, *added, *ignored), rules)

    def runs(rule: Rule) -> bool:
        if rule.scope is Scope.CRASH:
            return True
        by_default = 0 if select is None and rule.default else -1
        on = max(by_default, exactness((*wanted, *added), rule))
        off = exactness(ignored, rule)
        return on > off or (on == off >= 0 and exactness(insisted, rule) == on)

    return tuple(rule for rule in rules if runs(rule))


def exactness(words: Iterable[str], rule: Rule) -> int:
    """How exactly the words name the rule: -1 not at all, 0 as one of ALL, more for longer prefixes."""
    return max((_exactness(word, rule) for word in words), default=-1)


def _exactness(word: str, rule: Rule) -> int:
    upper = word.upper()
    if upper == rule.code or word.lower() == rule.name:
        return _EXACT
    if upper == ALL:
        return 0
    prefix = _PREFIX.fullmatch(upper)
    return len(upper) if prefix and prefix[1] == rule.letters and rule.code.startswith(upper) else -1


def most_exact(values: Mapping[str, _Value], rule: Rule) -> _Value | None:
    """The value whose word names the rule most exactly."""
    best = max(values, key=lambda word: _exactness(word, rule), default=None)
    return values[best] if best is not None and _exactness(best, rule) >= 0 else None


def named(word: str, rules: Iterable[Rule]) -> Rule | None:
    """The one rule of this code or name."""
    return next((rule for rule in rules if _exactness(word, rule) == _EXACT), None)


def check_words(words: Iterable[str], rules: Sequence[Rule]) -> None:
    for word in words:
        if not any(_exactness(word, rule) >= 0 for rule in rules):
            raise UnknownRule(f"unknown rule {word[:_LONGEST]!r}{suggestion(word, rules)}")


def suggestion(word: str, rules: Sequence[Rule]) -> str:
    """``; did you mean …?`` when a rule is near, else nothing."""
    return did_you_mean(word.lower(), [rule.name for rule in rules]) or did_you_mean(
        word.upper(), [rule.code for rule in rules if word.upper().startswith(rule.letters)]
    )


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    # Comparing takes time in the square of the length, and the word may be anybody's.
    near = get_close_matches(word[:_LONGEST], sorted(candidates), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
