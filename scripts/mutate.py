"""Makes rules wrong, one small change at a time, and says which changes no example and no case page notices.

    make mutate                          a sample of all rules, the same one every time
    make mutate ONLY=hook-without-deadline ALL=1

A mutant is a rule's module with one condition turned round, one comparison or number off, one `and` made
`or`, or one sentence bent: a «not» lost, «never» for «always», a part of a message left out. It is killed
when the rule then finds something else, says something else or crashes on its own pages. It runs in a
process of its own, so one that never ends costs seconds.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import re
import signal
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from gitops_lint.linter.lint.rule import Rule, Scope  # noqa: E402
from gitops_lint.rules import load  # noqa: E402

SECONDS = 60
"""A mutant that takes longer never ends: that is noticed, too."""

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
WORDS = [
    (re.compile(r"\bnot \b"), ""), (re.compile(r"\bnever\b"), "always"), (re.compile(r"\balways\b"), "never"),
    (re.compile(r"\bno\b"), "any"), (re.compile(r"\bonly\b"), "also"), (re.compile(r"\bwithout\b"), "with"),
    (re.compile(r"\bfails\b"), "succeeds"), (re.compile(r"\bdeletes\b"), "keeps"), (re.compile(r"\bbefore\b"), "after"),
]  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    line: int
    what: str
    tree: ast.Module


def mutants(source: str) -> Iterator[Mutant]:
    tree = ast.parse(source)
    spoken = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}  # docstrings are not run
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in spoken:
            continue
        for what, change in _changes(node):
            made = copy.deepcopy(tree)
            twin = next(one for number, one in enumerate(ast.walk(made)) if number == index)
            change(twin)
            yield Mutant(getattr(node, "lineno", 0), what, ast.fix_missing_locations(made))


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    if isinstance(node, ast.If | ast.IfExp) and ast.unparse(node.test) != "TYPE_CHECKING":
        yield f"if not ({ast.unparse(node.test)})", _negate
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES:
        yield f"comparison turned: {ast.unparse(node)}", _turn
    if isinstance(node, ast.BoolOp):
        yield f"and/or swapped: {ast.unparse(node)}", _swap
    if isinstance(node, ast.JoinedStr):
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


def changed_rule(rule: Rule, mutant: Mutant) -> Rule:
    """The rule that the changed module declares."""
    original = sys.modules[rule.module]
    module = types.ModuleType(rule.module, original.__doc__)
    module.__package__ = original.__package__
    module.__file__ = original.__file__
    sys.modules[rule.module] = module
    try:
        exec(compile(mutant.tree, original.__file__ or rule.module, "exec"), module.__dict__)
    finally:
        sys.modules[rule.module] = original
    return next(one for one in vars(module).values() if isinstance(one, Rule))


def survives(rule: Rule, mutant: Mutant, notices: Callable[[Rule], bool]) -> bool:
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            noticed = notices(changed_rule(rule, mutant))
        except BaseException:
            noticed = True
        os._exit(1 if noticed else 0)
    return os.waitpid(child, 0)[1] == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="rules whose name holds this word")
    parser.add_argument("--sample", type=int, default=600, help="how many mutants to try; 0 for all")
    parser.add_argument("--at-most", type=float, default=5.0, help="percent that may survive")
    wanted = parser.parse_args()
    from rule_pages import notices

    rules = [rule for rule in load() if wanted.only in rule.name and rule.scope is not Scope.CRASH]
    made = [
        (rule, mutant)
        for rule in rules
        for mutant in mutants(Path(sys.modules[rule.module].__file__ or "").read_text("utf-8"))
    ]
    if wanted.sample and len(made) > wanted.sample:
        made = random.Random(20).sample(made, wanted.sample)
    alive = []
    for rule, mutant in sorted(made, key=lambda one: (one[0].code, one[1].line)):
        if survives(rule, mutant, notices):
            alive.append(mutant)
            print(f"{rule.code} {rule.name}:{mutant.line}: {mutant.what[:160]}", flush=True)
    share = 100 * len(alive) / max(1, len(made))
    print(f"{len(made)} mutants, {len(alive)} survive ({share:.1f} %)")
    return 1 if share > wanted.at_most else 0


if __name__ == "__main__":
    sys.exit(main())
