"""What depends on ``lookup``, which finds nothing where there is no cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..yaml.lazy import lazy
from .expressions import Call, Expression, Literal, Path, Unknown, walk
from .statements import Statement
from .templates import Templates

_ROUNDS: Final = 6


class Lookups:
    """Which variables and named templates of a chart hold what was looked up."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    @lazy
    def _tainted(self) -> tuple[frozenset[tuple[int, str, str]], frozenset[str]]:
        variables: set[tuple[int, str, str]] = set()
        defines = {
            statement.define
            for statement in self._templates.statements
            if statement.define and _calls_lookup(statement)
        }
        for _ in range(_ROUNDS):
            before = len(variables) + len(defines)
            for key, written in self._templates.by_variable.items():
                if any(self._depends(one.expression, one, variables, defines) for one in written):
                    variables.add(key)
            if len(variables) + len(defines) == before:
                break
        return frozenset(variables), frozenset(defines)

    def depends(self, expression: Expression, statement: Statement) -> bool:
        """Whether an expression is made of something that was looked up."""
        return self._depends(expression, statement, *self._tainted)

    def _depends(
        self,
        expression: Expression,
        statement: Statement,
        variables: set[tuple[int, str, str]] | frozenset[tuple[int, str, str]],
        defines: set[str] | frozenset[str],
    ) -> bool:
        for one in walk(expression):
            if isinstance(one, Call) and (one.name == "lookup" or (one.name == "include" and _named(one) in defines)):
                return True
            if isinstance(one, Path) and (id(statement.file), statement.define, one.base) in variables:
                return True
        return False

    def keeps(self, statement: Statement, part: Expression) -> bool:
        """Whether a part of an action is used only where nothing was looked up."""
        if any(self.depends(guard.condition, statement) for guard in statement.guards):
            return True
        return any(self.depends(one, statement) for one in _alternatives(statement.expression, part))


def _calls_lookup(statement: Statement) -> bool:
    return any(call.name == "lookup" for call in statement.calls)


def _named(call: Call) -> str:
    first = call.arguments[0] if call.arguments else None
    return first.value if isinstance(first, Literal) and isinstance(first.value, str) else ""


def _alternatives(whole: Expression, part: Expression) -> Iterator[Expression]:
    """What ``default``, ``coalesce`` and the like take before they take the part."""
    if whole is part or isinstance(whole, (Literal, Path)):
        return
    inside = whole.inside if isinstance(whole, Unknown) else whole.arguments
    at = next((number for number, one in enumerate(inside) if any(below is part for below in walk(one))), None)
    if at is None:
        return
    if isinstance(whole, Call) and whole.name in ("default", "coalesce", "or", "ternary", "dig", "get"):
        yield from (one for number, one in enumerate(inside) if number != at)
    yield from _alternatives(inside[at], part)
