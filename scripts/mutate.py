"""Makes rules and the engine wrong, one small change at a time, and says which changes no test notices.

    make mutate                          a sample of all rules and of the engine
    make mutate SEED=7                   another one
    make mutate ONLY=hook-without-deadline ALL=1

Tests and modules are read once. In a first round the tests of the rule's own page, or of the module's own room,
are run as everything is, and it is written down which come to which line. Then each bend (`bends.py`) is tried in
a process of its own, a copy of this one, which asks only the tests that come to the changed statement, until one
fails. What is left is asked of others in a second round: of a rule's the test files that name it, of the engine's the
pages of all rules.
A module that cannot even be replaced by itself without a test failing is not tried.
Who survives both is told; that figure is an upper bound, since a test that was not asked might have noticed.

Tests that start the program in another process never see a bend and are not asked.
What changes nothing that anybody could see is listed, with the reason, in `tests/data/equal_mutants.txt`.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from bends import Bend, become, bends  # noqa: E402
from gitops_lint.linter.lint.rule import Rule, Scope  # noqa: E402
from gitops_lint.rules import load  # noqa: E402

SECONDS = 10.0
"""Of computing that one bend may cost in each of the two rounds."""
SECONDS_STRAIGHT = 1.0
"""Of computing that goes into seeing that a module can take its own place."""
OTHERS = 600
"""How many tests in files that name a rule are asked in the second round at the most."""
ENDLESS = 60.0
"""A test that computes so much longer than it did never ends, and that is noticed, too."""
EQUAL = ROOT / "tests" / "data" / "equal_mutants.txt"
TESTS = ROOT / "tests"
NOT_BENT = frozenset(("cli", "server", "fetch", "programs"))
"""Rooms that are tested from outside: a program that a test starts never sees the bend."""
_FROM_OUTSIDE = re.compile(r"^(from|import) (command_line|browser|checkout|action_runner|subprocess|consumers)\b", re.M)
NOTICED, SURVIVED, NOT_TRIED = 1, 0, 3


@dataclass(frozen=True)
class Bent:
    where: str
    module: str
    path: Path
    bend: Bend
    room: str
    rule: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.bend.what}"

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.bend.line}"


def bent_rules(only: str) -> Iterator[Bent]:
    for rule in load():
        if any(word in rule.name for word in only.split(",")) and rule.scope is not Scope.CRASH:
            path = path_of(rule.module)
            for bend in bends(path.read_text("utf-8")):
                yield Bent(rule.name, rule.module, path, bend, "rules", rule.name)


def bent_engine(only: str) -> Iterator[Bent]:
    words = only.split(",")
    rooms = {word for word in words if (ROOT / "linter" / word).is_dir()}

    def is_chosen(room: str, stem: str) -> bool:
        return room in rooms or any(word in stem for word in words if word not in rooms)

    for path in sorted((ROOT / "linter").glob("*/**/*.py")):
        room = path.relative_to(ROOT / "linter").parts[0]
        if room not in NOT_BENT and is_chosen(room, path.stem):
            name = ".".join(("gitops_lint", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
            for bend in bends(path.read_text("utf-8")):
                yield Bent(path.stem if path.stem != "__init__" else path.parent.name, name, path, bend, room)


def path_of(module: str) -> Path:
    return Path(import_module(module).__file__ or "")


def known_equal() -> set[str]:
    """`where: what`, each with the reason in the line above."""
    return {line for line in EQUAL.read_text("utf-8").splitlines() if line and not line.startswith("#")}


# -- which tests come where


@dataclass
class Visits:
    seconds: dict[int, float]
    """Of each test that passes as everything is, by its number."""
    lines: dict[tuple[Path, int], list[int]]

    def of(self, bent: Bent) -> list[int]:
        at = bent.bend.run_at
        found = (
            [tests for (path, _), tests in self.lines.items() if path == bent.path]
            if at is None
            else [self.lines.get((bent.path, line), []) for line in at]
        )
        return sorted({test for tests in found for test in tests if test in self.seconds})


def visits(items: list[pytest.Item], paths: Iterable[Path]) -> Visits:
    """Seen in a copy of this process, so that nothing which a test makes and keeps is here when bends are tried."""
    with tempfile.NamedTemporaryFile() as answer:
        child = os.fork()
        if not child:
            try:
                kept = os.dup(2)
                _be_quiet()
                Path(answer.name).write_bytes(pickle.dumps(_walk(items, list(paths))))
                os._exit(0)
            except BaseException:
                os.write(kept, traceback.format_exc().encode())
                os._exit(1)
        if os.waitpid(child, 0)[1]:
            raise SystemExit("the tests do not run as everything is")
        return Visits(*pickle.loads(Path(answer.name).read_bytes()))


def _walk(items: list[pytest.Item], paths: list[Path]) -> tuple[dict[int, float], dict[tuple[Path, int], list[int]]]:
    coverage = Coverage(data_file=None, include=[str(path) for path in paths], config_file=False, messages=False)
    seconds = {}
    coverage.start()
    for number, item in enumerate(items):
        coverage.switch_context(str(number))
        begun = time.process_time()
        if _passes(item, items[number + 1] if number + 1 < len(items) else None):
            seconds[number] = time.process_time() - begun
    coverage.stop()
    lines: dict[tuple[Path, int], list[int]] = {}
    data = coverage.get_data()
    for measured in data.measured_files():
        for line, contexts in data.contexts_by_lineno(measured).items():
            lines[Path(measured), line] = [int(one) for one in contexts if one]
    return seconds, lines


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=following)
    return any(one.passed for one in reports if one.when == "call") and not any(one.failed for one in reports)


def _be_quiet() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


# -- who notices


def outcome(bent: Bent, items: list[pytest.Item], known: Visits) -> int:
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return NOTICED if code < 0 else code
    _be_quiet()
    try:
        os._exit(_tried(bent, items, known))
    except BaseException:
        os._exit(NOTICED)


def _tried(bent: Bent, items: list[pytest.Item], known: Visits) -> int:
    try:
        become(bent.module, bent.bend)
    except ValueError:  # its code cannot take the place of the other: it closes over fewer names
        return NOT_TRIED
    begun = time.process_time()
    asked = _in_order(bent, items, known)
    for at, number in enumerate(asked):
        if time.process_time() - begun > (SECONDS if bent.bend.line else SECONDS_STRAIGHT):
            break
        signal.setitimer(signal.ITIMER_PROF, ENDLESS + 10 * known.seconds[number])
        if not _passes(items[number], items[asked[at + 1]] if at + 1 < len(asked) else None):
            return NOTICED
    return SURVIVED


def _in_order(bent: Bent, items: list[pytest.Item], known: Visits) -> list[int]:
    """Tests of its own as long as they take, the cheap first; others as they come."""
    tests = known.of(bent)
    others = [one for one in tests if not is_own(items[one], bent)]
    own = sorted(set(tests) - set(others), key=known.seconds.__getitem__)
    return own + random.Random(str(bent)).sample(others, len(others))


def is_own(item: pytest.Item, bent: Bent) -> bool:
    """A rule's are its cases and examples; what no page can show, a file shows that names the rule."""
    return rule_of(item) == bent.rule if bent.rule else item.path.parent.name == bent.room


def rule_of(item: pytest.Item) -> str:
    """Of a page's case or an example."""
    values = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    for value in values:
        if isinstance(value, Rule):
            return value.name
        if isinstance(getattr(value, "rule", None), str):
            return str(value.rule)
    return ""


@cache
def is_from_outside(path: Path) -> bool:
    return bool(_FROM_OUTSIDE.search(path.read_text("utf-8")))


@cache
def names_in(path: Path) -> frozenset[str]:
    own = path.stem.removeprefix("test_").replace("_", "-")
    return frozenset((own, *re.findall('"([a-z0-9-]+)"', path.read_text("utf-8"))))


# -- the run


class Mutation:
    """Takes the place of pytest's loop over what it has collected."""

    def __init__(self, run: Callable[[list[pytest.Item]], bool]) -> None:
        self.run, self.is_good = run, False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.is_good = self.run(session.items)
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="rooms, or words in the names of rules or modules, with commas")
    parser.add_argument("--of", choices=("rules", "engine", "both"), default="both")
    parser.add_argument("--sample", type=int, default=300, help="how many bends of rules to try; 0 for all")
    parser.add_argument("--engine", type=int, default=150, help="how many of the engine; 0 for all")
    parser.add_argument("--seed", type=int, default=20, help="which sample")
    parser.add_argument("--quick", action="store_true", help="only the first round: a rule's pages, a room's tests")
    parser.add_argument("--at-most", type=float, default=5.0, help="percent that may survive")
    wanted = parser.parse_args()
    chosen: dict[str, list[Bent]] = {}
    if wanted.of != "engine":
        chosen["rules"] = drawn(list(bent_rules(wanted.only)), wanted.sample, wanted.seed)
    if wanted.of != "rules":
        chosen["the engine"] = drawn(list(bent_engine(wanted.only)), wanted.engine, wanted.seed)

    def run(items: list[pytest.Item]) -> bool:
        shares = [survivors(what, bent, items, wanted.seed, wanted.quick) for what, bent in chosen.items() if bent]
        return max(shares, default=0) <= wanted.at_most

    os.chdir(ROOT)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp()
    mutation = Mutation(run)
    folders = [str(one) for one in sorted(TESTS.iterdir()) if one.name not in {*NOT_BENT, "project", "lab"}]
    words = ["-s", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
    pytest.main([*words, *(one for one in folders if list(Path(one).glob("test_*.py")))], [mutation])
    return 0 if mutation.is_good else 1


def drawn(bent: list[Bent], number: int, seed: int) -> list[Bent]:
    return random.Random(seed).sample(bent, number) if 0 < number < len(bent) else bent


def survivors(what: str, chosen: list[Bent], collected: list[pytest.Item], seed: int, quick: bool) -> float:
    """How many of a hundred no test notices; each is printed when it is known."""
    equal = known_equal()
    tried = sorted((one for one in chosen if str(one) not in equal), key=lambda one: (one.place, one.bend.line))
    print(f"{what}, seed {seed}: {len(tried)} bends", flush=True)
    able = [item for item in collected if not is_from_outside(item.path)]
    rooms, rules = {one.room for one in tried}, {one.rule for one in tried}
    own = [item for item in able if (rule_of(item) or item.path.parent.name) in rooms | rules]
    left, not_tried = unnoticed(tried, own)
    rules = {one.rule for one in left if one.rule}
    others = [item for item in able if rule_of(item)]
    if rules:
        named = [item for item in able if not rule_of(item) and names_in(item.path) & rules]
        others = random.Random(seed).sample(named, min(len(named), OTHERS))
    alive = dict.fromkeys(left, 0) if quick or not left else unnoticed(left, others)[0]
    for one, tests in alive.items():
        print(f"{one.place}: {one.bend.what} [{left[one] + tests} tests come here]")
    every = Counter(one.room for one in tried) - Counter(one.room for one in not_tried)
    lost = Counter(one.room for one in alive)
    for room in sorted(every) if len(every) > 1 else ():
        print(f"  {room}: {lost[room]} of {every[room]}")
    share = 100 * len(alive) / max(1, every.total())
    print(f"{what}, seed {seed}: {len(alive)} of {every.total()} survive ({share:.1f} %)", end="; ")
    print(f"{len(chosen) - len(tried)} are known to be equal, {len(not_tried)} could not be tried", flush=True)
    return share


def unnoticed(tried: Iterable[Bent], items: list[pytest.Item]) -> tuple[dict[Bent, int], list[Bent]]:
    """Those that survive, with how many tests were there to be asked, and those that could not be tried."""
    tried = list(tried)
    begun = time.monotonic()
    known = visits(items, {one.path for one in tried})
    print(f"  {len(tried)} bends, {len(items)} tests, {sum(known.seconds.values()):.0f} s of computing", flush=True)
    left, not_tried = {}, []
    straight = {one: replace(one, bend=one.bend.straight) for one in tried}
    sound = {one: outcome(one, items, known) == SURVIVED for one in set(straight.values())}
    for one in tried:
        end = outcome(one, items, known) if sound[straight[one]] else NOT_TRIED
        if end == SURVIVED:
            left[one] = len(known.of(one))
            print(f"  left: {one.place}: {one.bend.what} [{left[one]} tests come here]", flush=True)
        elif end == NOT_TRIED:
            not_tried.append(one)
    print(f"  {time.monotonic() - begun:.0f} s later {len(left)} are left", flush=True)
    return left, not_tried


if __name__ == "__main__":
    sys.exit(main())
