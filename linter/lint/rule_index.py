"""What rules declare, kept as data: a rule's module is imported when there is something that it looks at.

`make docs` writes the index. Where it does not name the modules that are there, as in a checkout with a
new rule, it is not used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from ..facts.severity import Severity
from .rule import Finding, Moment, Rule, Scope


class _Late:
    """A check whose module is imported when it is first called."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._check: Callable[[Any], Iterator[Finding]] | None = None

    def __call__(self, subject: Any) -> Iterator[Finding]:
        if self._check is None:
            self._check = import_module(self._module).check.check
        return self._check(subject)


def index_of(rules: Iterable[Rule], package: str) -> str:
    lines = (json.dumps(_declared(rule, package)) for rule in sorted(rules, key=lambda rule: rule.code))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _declared(rule: Rule, package: str) -> dict[str, Any]:
    return {
        "module": rule.module.removeprefix(f"{package}."),
        "code": rule.code,
        "severity": rule.severity.name,
        "scope": rule.scope.name,
        "moment": rule.moment.name,
        "kinds": sorted(rule.kinds),
        "annotated": sorted(rule.annotated),
        "literal": rule.literal,
        "default": rule.default,
        "any_file": rule.any_file,
        "any_tool": rule.any_tool,
        "of_fetched": rule.of_fetched,
        "has_options": rule.options is not None,
    }


def indexed(index: Path, package: str) -> list[Rule]:
    """The rules of a package whose folder the index lies in; none where it does not name the modules there."""
    try:
        entries = json.loads(index.read_text("utf-8"))
    except FileNotFoundError:
        return []
    if {entry["module"] for entry in entries} != set(_modules_in(index.parent)):
        return []
    return [_rule(package, **entry) for entry in entries]


def _rule(
    package: str,
    module: str,
    code: str,
    severity: str,
    scope: str,
    moment: str,
    kinds: list[str],
    annotated: list[str],
    has_options: bool,
    **flags: Any,
) -> Rule:
    name = f"{package}.{module}"
    if has_options:  # they are a type of its module
        own: Rule = import_module(name).check
        return own
    return Rule(
        code=code,
        severity=Severity[severity],
        check=_Late(name),
        module=name,
        scope=Scope[scope],
        moment=Moment[moment],
        kinds=frozenset(kinds),
        annotated=frozenset(annotated),
        **flags,
    )


def _modules_in(folder: Path) -> Iterator[str]:
    """Those in its topic folders, without a look into them."""
    for topic in os.listdir(folder):
        if not topic.startswith("_") and "." not in topic:
            for name in os.listdir(folder / topic):
                if name.endswith(".py") and not name.startswith("__"):
                    yield f"{topic}.{name.removesuffix('.py')}"
