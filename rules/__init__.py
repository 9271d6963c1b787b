"""The registry is this folder: every module in a topic folder is one rule."""

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from ..linter.rule import Rule


@cache
def load() -> tuple[Rule, ...]:
    """Every rule, in order of code."""
    modules = [module.name for module in walk_packages(__path__, f"{__name__}.") if not module.ispkg]
    rules = sorted((import_module(name).check for name in modules), key=lambda rule: rule.code)
    return tuple(rules)
