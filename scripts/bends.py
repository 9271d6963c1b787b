"""Small changes that make a module wrong: one condition, one comparison, one sentence at a time.

A bend is a module with one condition turned round, one comparison off, one `and` made `or`, or one sentence
bent: a «not» lost, «never» for «always», a part of a message left out. `mutate.py` asks the tests about them.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from gitops_lint.linter.lint.rule import Rule

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
WORDS = [
    (re.compile(r"\bnot \b"), ""), (re.compile(r"\bnever\b"), "always"), (re.compile(r"\balways\b"), "never"),
    (re.compile(r"\bno\b"), "any"), (re.compile(r"\bonly\b"), "also"), (re.compile(r"\bwithout\b"), "with"),
    (re.compile(r"\bfails\b"), "succeeds"), (re.compile(r"\bdeletes\b"), "keeps"), (re.compile(r"\bbefore\b"), "after"),
]  # fmt: skip
STRAIGHT = -1
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class Bend:
    line: int
    what: str
    source: str
    number: int
    """Of the place in the tree, in the order of `ast.walk`."""
    which: int
    """Of the changes that are possible there."""
    run_at: range | None
    """The lines of its statement, or those of a compound statement's head; None where only an import runs them."""
    sets: frozenset[str] = frozenset()
    """The names that such a statement of the module gives a value to."""

    @property
    def tree(self) -> ast.Module:
        tree = ast.parse(self.source)
        if self.number == STRAIGHT:
            return tree
        node = next(one for number, one in enumerate(ast.walk(tree)) if number == self.number)
        _, change = list(_changes(node))[self.which]
        change(node)
        return ast.fix_missing_locations(tree)

    @property
    def straight(self) -> Bend:
        """The same module put in its own place, unchanged: whoever notices that notices nothing."""
        return replace(self, line=0, what="nothing changed", number=STRAIGHT, which=0, run_at=None)


def bends(source: str) -> Iterator[Bend]:
    tree = ast.parse(source)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    spoken = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}  # docstrings are not run
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in spoken:
            for which, (what, _) in enumerate(_changes(node)):
                run_at, sets = _where_it_runs(node, above)
                yield Bend(getattr(node, "lineno", 0), what, source, number, which, run_at, sets)


def _where_it_runs(node: ast.AST, above: Mapping[ast.AST, ast.AST]) -> tuple[range | None, frozenset[str]]:
    statement = node
    while not isinstance(statement, ast.stmt):
        statement = above[statement]
    head = above.get(statement)
    while head is not None and not isinstance(head, _FUNCTIONS):
        head = above.get(head)
    if head is None or isinstance(statement, _FUNCTIONS):
        names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        return None, frozenset(names)
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1), frozenset()


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    if isinstance(node, ast.If | ast.IfExp) and ast.unparse(node.test) != "TYPE_CHECKING":
        yield f"if not ({ast.unparse(node.test)})", _negate
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES:
        yield f"comparison turned: {ast.unparse(node)}", _turn
    if isinstance(node, ast.BoolOp):
        yield f"and/or swapped: {ast.unparse(node)}", _swap
    if isinstance(node, ast.JoinedStr) and len(node.values) > 1:
        yield f"sentence cut: {ast.unparse(node)}", _cut
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value and "\n" not in node.value:
        for pattern, word in WORDS:
            if pattern.search(node.value):
                yield f"{pattern.pattern} → {word!r}: {node.value!r}", _bend(pattern, word)


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _turn(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = OPPOSITES[type(node.ops[0])]()


def _swap(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _cut(node: ast.AST) -> None:
    assert isinstance(node, ast.JoinedStr)
    node.values = node.values[: max(1, len(node.values) // 2)]


def _bend(pattern: re.Pattern[str], word: str) -> Callable[[ast.AST], None]:
    def bend(node: ast.AST) -> None:
        assert isinstance(node, ast.Constant)
        node.value = pattern.sub(word, node.value, count=1)

    return bend


# -- a module becomes the bent one, for everybody who has imported it


def become(name: str, bend: Bend) -> None:
    """What the bent source declares takes the place of what is there: functions, values, and a rule."""
    original = sys.modules[name]
    bent = _declared(name, bend)
    for path, old in _functions(vars(original), name):
        new = dict(_functions(vars(bent), name)).get(path)
        if new is not None:
            old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    for word in bend.sets & vars(bent).keys() & vars(original).keys():
        _give(word, vars(original)[word], vars(bent)[word])
    for word, value in vars(original).items():
        if isinstance(value, Rule) and value.module == name:
            for each in fields(Rule):
                object.__setattr__(value, each.name, getattr(vars(bent)[word], each.name))


def _declared(name: str, bend: Bend) -> types.ModuleType:
    original = sys.modules[name]
    module = types.ModuleType(name, original.__doc__)
    module.__package__, module.__file__ = original.__package__, original.__file__
    sys.modules[name] = module
    try:
        exec(compile(bend.tree, original.__file__ or name, "exec"), module.__dict__)
    finally:
        sys.modules[name] = original
    return module


def _give(word: str, old: object, new: object) -> None:
    """A value of the module, wherever it was imported by its name."""
    for name, module in list(sys.modules.items()):
        if name.startswith("gitops_lint.") and vars(module).get(word) is old:
            setattr(module, word, new)


def _functions(namespace: Mapping[str, Any], module: str) -> Iterator[tuple[str, Any]]:
    for word, value in namespace.items():
        for each in ("__func__", "fget", "func", "compute", "__wrapped__"):
            value = getattr(value, each, value)
        if isinstance(value, types.FunctionType) and value.__module__ == module:
            yield value.__qualname__, value
        elif isinstance(value, type) and value.__module__ == module and not word.startswith("__"):
            yield from _functions(vars(value), module)
