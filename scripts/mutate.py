"""Makes rules and the engine wrong, one small change at a time, and says which changes no test notices.

    make mutate                          a sample of all rules and of the engine
    make mutate SEED=7                   another one
    make mutate ONLY=hook-without-deadline ALL=1

A mutant is a module with one condition turned round, one comparison off, one `and` made `or`, or one
sentence bent: a «not» lost, «never» for «always», a part of a message left out. One of a rule is killed
when the rule then finds something else, says something else or crashes on its own pages, or when a
test file fails that names it. One of the engine is killed by the tests of its room that are named in `ENGINE`.
Each runs in a process of its own, so one that never ends costs seconds.

What changes nothing that anybody could see is listed, with the reason, in `tests/data/equal_mutants.txt`.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import signal
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from gitops_lint.linter.lint.rule import Rule, Scope  # noqa: E402
from gitops_lint.rules import load  # noqa: E402
from rule_pages import cases, notices  # noqa: E402

SECONDS = 60
"""Of computing: a mutant that takes longer never ends, and that is noticed, too."""
EQUAL = ROOT / "tests" / "data" / "equal_mutants.txt"
TESTS = ROOT / "tests"
_EVERYWHERE = ("rules/test_rule_examples.py", "lint/test_sight.py", "lint/test_triage.py")
"""Those that lint in this process: a program that a test starts never sees the bend."""
ENGINE = {
    "engine": (
        "lint/test_engine.py", "yaml/test_unreadable_file.py", "repo/test_ownership.py", "repo/test_reach.py",
        "project/test_limits.py", *_EVERYWHERE,
    ),
    "grading": ("lint/test_grading.py", *_EVERYWHERE),
    "causes": ("lint/test_causes.py", *_EVERYWHERE),
    "selection": ("lint/test_selection.py", "lint/test_config.py"),
    "wording": ("lint/test_wording.py", *_EVERYWHERE),
    "sight": ("lint/test_sight.py", "report/test_report_text.py", "argocd/test_unknown_clusters.py"),
    "origins": ("repo/test_tracing.py", "kustomize/test_kustomize_rules.py", *_EVERYWHERE),
    "result": ("lint/test_result.py", "lint/test_causes.py", "report/test_report_text.py", *_EVERYWHERE),
}  # fmt: skip
"""Modules of `linter/lint/` that every finding goes through, and the tests that are to notice."""

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
    source: str
    number: int
    """Of the place in the tree, in the order of `ast.walk`."""
    which: int
    """Of the changes that are possible there."""

    @property
    def tree(self) -> ast.Module:
        tree = ast.parse(self.source)
        node = next(one for number, one in enumerate(ast.walk(tree)) if number == self.number)
        _, change = list(_changes(node))[self.which]
        change(node)
        return ast.fix_missing_locations(tree)


def mutants(source: str) -> Iterator[Mutant]:
    tree = ast.parse(source)
    spoken = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}  # docstrings are not run
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in spoken:
            for which, (what, _) in enumerate(_changes(node)):
                yield Mutant(getattr(node, "lineno", 0), what, source, number, which)


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


def changed_module(name: str, mutant: Mutant) -> types.ModuleType:
    """What the changed source declares, beside the module that everybody has imported."""
    original = sys.modules[name]
    module = types.ModuleType(name, original.__doc__)
    module.__package__ = original.__package__
    module.__file__ = original.__file__
    sys.modules[name] = module
    try:
        exec(compile(mutant.tree, original.__file__ or name, "exec"), module.__dict__)
    finally:
        sys.modules[name] = original
    return module


def become_changed_rule(rule: Rule, mutant: Mutant) -> None:
    """The one object that everybody knows as this rule."""
    changed = next(one for one in vars(changed_module(rule.module, mutant)).values() if isinstance(one, Rule))
    for each in fields(Rule):
        object.__setattr__(rule, each.name, getattr(changed, each.name))


def become_changed_module(name: str, mutant: Mutant) -> None:
    """Its functions do what the changed ones do, whoever imported them."""
    changed = changed_module(name, mutant)
    for path, old in _functions(vars(sys.modules[name]), name):
        new = dict(_functions(vars(changed), name)).get(path)
        if new is not None:
            old.__code__, old.__defaults__ = new.__code__, new.__defaults__
    for word, value in vars(changed).items():
        if isinstance(value, str | int | float | tuple | frozenset | dict | re.Pattern) and not word.startswith("__"):
            setattr(sys.modules[name], word, value)


def _functions(namespace: Mapping[str, Any], module: str) -> Iterator[tuple[str, Any]]:
    for word, value in namespace.items():
        for each in ("__func__", "fget", "func", "__wrapped__"):
            value = getattr(value, each, value)
        if isinstance(value, types.FunctionType) and value.__module__ == module:
            yield value.__qualname__, value
        elif isinstance(value, type) and value.__module__ == module and not word.startswith("__"):
            yield from _functions(vars(value), module)


# -- who notices


def survives(become: Callable[[], None], notices: Callable[[], bool], seconds: float = SECONDS) -> bool:
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            become()
            noticed = notices()
        except BaseException:
            noticed = True
        os._exit(1 if noticed else 0)
    return os.waitpid(child, 0)[1] == 0


def tests_fail(path: str) -> bool:
    words = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"]
    return pytest.main([*words, path]) not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


@cache
def tests_of(rule: str) -> tuple[str, ...]:
    """What no page can show, a test file shows: with Helm, with two checkouts, with a file that is no YAML."""
    return passing(str(path) for path in sorted(TESTS.glob("*/test_*.py")) if _names(path, rule))


def _names(path: Path, rule: str) -> bool:
    own = path.stem == f"test_{rule.replace('-', '_')}"
    return own or (path.parent.name != "project" and f'"{rule}"' in path.read_text("utf-8"))


def passing(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that pass as everything is, in half the time: what fails anyway, or nearly, notices nothing."""
    return tuple(path for path in paths if passes(path))


@cache
def passes(path: str) -> bool:
    return survives(lambda: None, lambda: tests_fail(path), SECONDS / 2)


def is_missed(rule: Rule, mutant: Mutant) -> bool:
    def become() -> None:
        become_changed_rule(rule, mutant)

    if pages_pass(rule.name) and not survives(become, lambda: notices(rule)):
        return False
    return is_missed_by(tests_of(rule.name), become)


@cache
def pages_pass(name: str) -> bool:
    """Rules about ignores and the baseline have pages that only a whole run can show."""
    return survives(lambda: None, lambda: notices(next(rule for rule in load() if rule.name == name)))


def is_missed_in_engine(module: str, mutant: Mutant) -> bool:
    name = f"gitops_lint.linter.lint.{module}"
    tests = passing(str(TESTS / path) for path in ENGINE[module])
    return is_missed_by(tests, lambda: become_changed_module(name, mutant))


def is_missed_by(tests: Iterable[str], become: Callable[[], None]) -> bool:
    return all(survives(become, partial(tests_fail, path)) for path in tests)


# -- the run


@dataclass(frozen=True)
class Bent:
    where: str
    mutant: Mutant
    is_missed: Callable[[], bool]

    def __str__(self) -> str:
        return f"{self.where}: {self.mutant.what}"


def bent_rules(only: str) -> Iterator[Bent]:
    for rule in load():
        if only in rule.name and rule.scope is not Scope.CRASH:
            for mutant in mutants(source_of(rule.module)):
                yield Bent(rule.name, mutant, partial(is_missed, rule, mutant))


def bent_engine(only: str) -> Iterator[Bent]:
    for module in ENGINE:
        if only in module:
            name = f"gitops_lint.linter.lint.{module}"
            for mutant in mutants(source_of(name)):
                yield Bent(module, mutant, partial(is_missed_in_engine, module, mutant))


def source_of(module: str) -> str:
    return Path(import_module(module).__file__ or "").read_text("utf-8")


def known_equal() -> set[str]:
    """`where: what`, each with the reason in the line above."""
    return {line for line in EQUAL.read_text("utf-8").splitlines() if line and not line.startswith("#")}


def drawn(bent: list[Bent], number: int, seed: int) -> list[Bent]:
    return random.Random(seed).sample(bent, number) if 0 < number < len(bent) else bent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="rules, or modules of the engine, whose name holds this word")
    parser.add_argument("--sample", type=int, default=400, help="how many mutants of rules to try; 0 for all")
    parser.add_argument("--engine", type=int, default=60, help="how many of the engine; 0 for all")
    parser.add_argument("--seed", type=int, default=20, help="which sample")
    parser.add_argument("--at-most", type=float, default=5.0, help="percent that may survive")
    wanted = parser.parse_args()
    cases()  # read once, not once a bend
    shares = [
        survivors("rules", list(bent_rules(wanted.only)), wanted.sample, wanted.seed),
        survivors("the engine", list(bent_engine(wanted.only)), wanted.engine, wanted.seed),
    ]
    return 1 if max(shares) > wanted.at_most else 0


def survivors(what: str, bent: list[Bent], number: int, seed: int) -> float:
    """How many of a hundred no test notices; each is printed when it is known."""
    equal = known_equal()
    chosen = drawn(bent, number, seed)
    tried = sorted((one for one in chosen if str(one) not in equal), key=lambda one: (one.where, one.mutant.line))
    if not tried:
        return 0
    print(f"{what}, seed {seed}: {len(tried)} of {len(bent)} bends", flush=True)
    alive = 0
    for one in tried:
        if one.is_missed():
            alive += 1
            print(f"{one.where}:{one.mutant.line}: {one.mutant.what}", flush=True)
    share = 100 * alive / len(tried)
    print(f"{what}: {alive} of {len(tried)} survive ({share:.1f} %); {len(chosen) - len(tried)} are known to be equal")
    return share


if __name__ == "__main__":
    sys.exit(main())
