"""The registry is this folder: every module in a topic folder is one rule. Packages of users can bring more."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import TYPE_CHECKING, Final

from ..linter.api import API_VERSION, regex
from ..linter.lint.rule import OUR_LETTERS, Rule
from ..linter.lint.rule_index import index_of, indexed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "gitops_lint.rules"
"""The entry point of packages that bring rules: each entry names a package whose modules are rules.

Such a package was installed by whoever runs us. Nothing in a linted repository is ever imported.
"""
WRITTEN_FOR: Final = "GITOPS_LINT_API"
"""What such a package may say: the `API_VERSION` that its rules are written for."""
_CODE: Final = regex(rf"(?!{OUR_LETTERS}\d)[A-Z]{{2,8}}[0-9]{{3}}")
INDEX: Final = Path(__file__).with_name("index.json")


class BadRule(Exception):
    """A package brings something that is no rule, or a rule that is there already."""


@cache
def load() -> tuple[Rule, ...]:
    """Every rule, in order of code."""
    rules = indexed(INDEX, __name__) or [*_rules_in(__name__, __path__)]
    for entry in _entries():
        try:
            rules += _brought(entry)
        except BadRule as reason:
            raise BadRule(f"{_shown(entry)}: {reason}; mend the package, or uninstall it") from None
        _demand_no_twins(entry, rules)
    return tuple(sorted(rules, key=lambda rule: rule.code))


def index() -> str:
    """What our rules declare, as it is kept."""
    return index_of(_rules_in(__name__, __path__), __name__)


def _rules_in(name: str, path: Iterable[str]) -> Iterator[Rule]:
    for module in _modules(name, path):
        yield import_module(module).check


def _modules(name: str, path: Iterable[str]) -> Iterator[str]:
    return (module.name for module in walk_packages(path, f"{name}.") if not module.ispkg)


# -- rules of others


def _entries() -> Iterable[EntryPoint]:
    if not any(map(_names_rules, sys.path)):
        return ()
    from importlib.metadata import entry_points  # takes as long as a fifth of our rules, and hardly anybody needs it

    return entry_points(group=GROUP)


def _names_rules(folder: str) -> bool:
    """Whether a package in a folder of Python's path may bring rules: what cannot be looked into may."""
    try:
        names = os.listdir(folder or ".")
    except FileNotFoundError:
        return False
    except OSError:
        return True
    described = (name for name in names if name.endswith((".dist-info", ".egg-info")))
    return any(_mentions_group(os.path.join(folder, name, "entry_points.txt")) for name in described)


def _mentions_group(path: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as text:
            return GROUP in text.read()
    except OSError:
        return False


def _shown(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else entry.value
    return f"rules of {package} (entry point {entry.name} = {entry.value})"


def _brought(entry: EntryPoint) -> list[Rule]:
    package = _imported(entry.value)
    if not hasattr(package, "__path__"):
        raise BadRule(f"{entry.value} is no package, and a rule is a module of one")
    wants = getattr(package, WRITTEN_FOR, API_VERSION)
    if wants != API_VERSION:
        raise BadRule(f"they are written for version {wants!r} of gitops_lint.linter.api, and this is {API_VERSION}")
    return [_sound(name, getattr(_imported(name), "check", None)) for name in _modules(entry.value, package.__path__)]


def _imported(name: str) -> ModuleType:
    try:
        return import_module(name)
    except Exception as error:  # it is not our code, and may raise whatever it likes
        raise BadRule(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def _sound(name: str, check: object) -> Rule:
    if not isinstance(check, Rule):
        raise BadRule(f"{name} has no rule called check")
    if not _CODE.fullmatch(check.code):
        raise BadRule(f"{name} has the code {check.code!r}; three digits behind letters of your own, as SHOP001")
    if not (check.manual.summary and check.manual.fix):
        raise BadRule(f"{name} has no manual: a docstring with a summary and a part `Fix:`")
    return check


def _demand_no_twins(entry: EntryPoint, rules: Iterable[Rule]) -> None:
    for key in ("code", "name"):
        seen: dict[str, Rule] = {}
        for rule in rules:
            other = seen.setdefault(getattr(rule, key), rule)
            if other is not rule:
                twins = f"{rule.module} and {other.module} have the same {key}, {getattr(rule, key)}"
                raise BadRule(f"{_shown(entry)}: {twins}; one of them has to go")
