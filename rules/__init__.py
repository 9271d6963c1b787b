"""The registry is this folder: every module in a topic folder is one rule. Packages of users can bring more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import walk_packages

from ..linter.lint.rule import Rule

GROUP = "gitops_lint.rules"
"""The entry point of packages that bring rules: each entry names a package whose modules are rules.

Such a package was installed by whoever runs us. Nothing in a linted repository is ever imported.
"""


class BadRule(Exception):
    """A package brings something that is no rule, or a rule that is there already."""


@cache
def load() -> tuple[Rule, ...]:
    """Every rule, in order of code."""
    ours = [rule for name in _modules(__name__, __path__) if (rule := import_module(name).check)]
    rules = [*ours, *_brought()]
    for key in ("code", "name"):
        seen: dict[str, Rule] = {}
        for rule in rules:
            other = seen.setdefault(getattr(rule, key), rule)
            if other is not rule:
                raise BadRule(f"{rule.module}: {other.module} has the {key} {getattr(rule, key)} already")
    return tuple(sorted(rules, key=lambda rule: rule.code))


def _brought() -> Iterator[Rule]:
    for entry in entry_points(group=GROUP):
        package = entry.load()
        for name in _modules(package.__name__, package.__path__):
            check = getattr(import_module(name), "check", None)
            if not isinstance(check, Rule):
                raise BadRule(f"{name}, which the entry point {entry.name} of {GROUP} brings, has no rule called check")
            yield check


def _modules(name: str, path: list[str]) -> Iterator[str]:
    return (module.name for module in walk_packages(path, f"{name}.") if not module.ispkg)
