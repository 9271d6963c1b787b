"""Sync options: which strings Argo CD looks for, at which level, since when.

Argo CD compares whole strings. What is not in its list, letter by letter, it
passes over without a word.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Final

from ..dialects.spelling import nearest
from ..facts.tables import table
from ..facts.versions import Version, Versions

_OPPOSITE: Final = "disable"
_OTHER_WAY_ROUND: Final = {"true": "false", "false": "true"}


class Level(Enum):
    APPLICATION = "application"
    """An item of spec.syncPolicy.syncOptions."""
    RESOURCE = "resource"
    """An item of the sync-options annotation of one object."""


@cache
def _levels() -> dict[str, dict[str, str]]:
    options: dict[str, dict[str, str]] = table("sync-options.json")["options"]
    return options


@cache
def _restating(level: Level) -> frozenset[str]:
    return frozenset(table("sync-options.json")["restating"][level.value])


def name_of(option: str) -> str:
    return option.partition("=")[0]


def since(option: str, level: Level) -> str | None:
    """The first version with an effect at the level, empty when all have it; None when none has."""
    return _levels().get(option, {}).get(level.value)


def has_an_effect_somewhere(option: str) -> bool:
    return option in _levels()


def restates_the_default(option: str, level: Level) -> bool:
    """Changes nothing, and promises nothing else: not worth a word."""
    return option in _restating(level)


def is_compare_option(option: str) -> bool:
    """Known to Argo CD, but in the compare-options annotation."""
    return option in table("sync-options.json")["compareOptions"]


def is_unknown(option: str, level: Level) -> bool:
    """Means nothing to any version of Argo CD, wherever it stands."""
    return not (has_an_effect_somewhere(option) or restates_the_default(option, level) or is_compare_option(option))


def values_of(name: str, level: Level) -> list[str]:
    """What may stand after ``NAME=`` at the level."""
    return [
        option.partition("=")[2]
        for option, levels in _levels().items()
        if name_of(option) == name and level.value in levels
    ]


def meant(option: str, level: Level) -> str | None:
    """The option that was probably meant: first the name, then one of the values that the name can have.

    Values without an effect count, too: else `=flase` would become `=true`.
    """
    written, _, value = option.replace(":", "=", 1).partition("=")
    if written.lower().startswith(_OPPOSITE) and value in _OTHER_WAY_ROUND:  # no option of Argo CD's begins with it
        written, value = written[len(_OPPOSITE) :], _OTHER_WAY_ROUND[value]
    effective = [one for one, levels in _levels().items() if level.value in levels]
    name = nearest(written, [name_of(one) for one in effective])
    if name is None:
        return None
    values = values_of(name, level)
    if not value:
        return f"{name}={values[0]}" if len(values) == 1 else None
    restating = [one.partition("=")[2] for one in _restating(level) if name_of(one) == name]
    guess = nearest(value, [*values, *restating])
    return f"{name}={guess}" if guess else None


def is_harmless(option: str) -> bool:
    """Whether it may be switched on unasked where somebody plainly meant to."""
    return name_of(option) in table("sync-options.json")["harmless"]


def newest_known_version() -> str:
    version: str = table("sync-options.json")["newest"]
    return version


def is_too_new(option: str, level: Level, versions: Versions) -> bool:
    """The declared Argo CD is known to be older than the option's effect at the level."""
    first = since(option, level)
    return bool(first) and first is not None and versions.argocd_before(first)


def may_be_too_new(option: str, level: Level, versions: Versions) -> bool:
    """No version is declared, and releases that are still maintained lack the option at the level."""
    first = since(option, level)
    if not first or versions.argocd is not None or versions.argocd_at_least(first):
        return False
    return Version.parse(first) > Version.parse(table("sync-options.json")["oldestMaintained"])
