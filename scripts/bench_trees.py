"""What a run costs on real repositories: a ratio for each tree, its phases, its dearest rules, its memory.

    python scripts/bench_trees.py FOLDER [--keep]
    python scripts/bench_trees.py --quick [--keep]

FOLDER holds repositories. A copy of each is composed by bare libyaml and checked without Helm, in turn,
each in a process of its own on one core; the best processor time of several rounds counts, and only the ratio
of the two is kept, since machines differ. `ratio` is of a run that looks at everything (`--no-cache`),
`again` of one over files that have not changed since the one before, `changed` of one after a line was added to
one file, `revisions` of one that compares with the revision before that, `charts` of the first one with Helm, where
there is a Helm. `helm` is the time of plain `helm template` for the charts of a tree, one after the other.

`--quick` takes one generated tree and counts instructions (valgrind), which no busy machine changes; without
valgrind it takes the best of several rounds, and only tells.

`--keep` writes what was found to `bench/results.json`; without it that is what it is held against, and a tree
that got more than 15 % dearer fails.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import COMPOSE, _run, generate, generate_overlays

ROUNDS = 5
SLACK = 1.15
RULES = 10
RESULTS = Path(__file__).parents[1] / "bench" / "results.json"
ENOUGH = 1.0
"""Seconds of a run from which on a ratio tells more of it than of its start."""
QUICK = "generated"
QUICK_APPS = 60
PYTHON = ".".join(platform.python_version_tuple()[:2])
"""Another one runs other instructions."""
PHASES = """
import gc, json, pathlib, resource, sys, time
from datetime import date
gc.disable()  # as the command does
marks = [("start", time.process_time())]
def mark(name): marks.append((name, time.process_time()))
from gitops_lint.linter.cli.main import main  # as the command does
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.load_revisions import read_repo
from gitops_lint.linter.lint.run import lint
from gitops_lint.linter.lint.rule import Scope
from gitops_lint.rules import load
rules = load()
mark("imports")
found = discover([pathlib.Path(sys.argv[1])])
mark("discover")
for file in found.files:
    file.documents
mark("parse")
repo = read_repo(found, Config())
mark("build")
for app in repo.apps:
    app.graph
mark("graph")
run = Run(repo)
run.check([rule for rule in rules if rule.scope is not Scope.CHANGE])
mark("rules")
fixes = sum(len(item.finding.fixes) for item in run.reported)
seconds = {name: now - before for (_, before), (name, now) in zip(marks, marks[1:])}
dearest = sorted(run.seconds.items(), key=lambda pair: -pair[1])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"phases": seconds, "rules": dearest, "memory": memory, "objects": len(repo.resources)}))
"""
WHOLE = """
import resource, subprocess, sys
before = resource.getrusage(resource.RUSAGE_CHILDREN)
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
after = resource.getrusage(resource.RUSAGE_CHILDREN)
print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss // 1024)
"""


COMMAND = "import sys; from gitops_lint.linter.cli.main import main; sys.argv[0] = 'gitops-lint'; main()"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path)
    options.add_argument("--quick", action="store_true")
    options.add_argument("--keep", action="store_true")
    given = options.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        if given.quick or given.folder is None:
            found[QUICK] = quickly(Path(scratch))
        else:
            for tree in sorted(path for path in given.folder.iterdir() if path.is_dir()):
                found[tree.name] = one = measured(tree, Path(scratch))
                tell(tree.name, one, kept.get(tree.name, {}))
    if given.keep:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(dict(sorted((kept | found).items())), indent=2) + "\n", "utf-8")
        return 0
    dearer = [line for name, one in found.items() for line in compared(name, one, kept.get(name, {}))]
    for line in dearer:
        print(f"dearer than before: {line}", file=sys.stderr)
    return 1 if dearer else 0


def compared(name: str, now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """What got dearer. Times of a tree that is quickly done are mostly those of the start, and of the machine."""
    if now.get("python", PYTHON) != before.get("python", PYTHON):
        print(f"{name}: kept with Python {before['python']}, and this is {PYTHON}: not compared")
        return []
    if now.get("seconds", ENOUGH) < ENOUGH:
        return []
    watched = ("instructions",) if name == QUICK else ("ratio", "memory")
    there = [key for key in watched if key in now and key in before]
    return [f"{name}: {key} {now[key]}, and {before[key]} is kept" for key in there if now[key] > before[key] * SLACK]


def tell(name: str, one: dict[str, Any], before: dict[str, Any]) -> None:
    said = [f"{key} {value}" for key, value in one.items() if not isinstance(value, dict)]
    print(f"{name}: {', '.join(said)}  (kept: ratio {before.get('ratio')}, {before.get('memory')} MB)")
    for table in ("phases", "rules"):
        print("   ", ", ".join(f"{key} {share:.1%}" for key, share in one[table].items()), flush=True)


# -- one tree


def measured(source: Path, scratch: Path) -> dict[str, Any]:
    tree = scratch / "tree"
    shutil.copytree(source, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    try:
        _commit(tree, "before")
        return _measured(tree, scratch)
    finally:
        shutil.rmtree(tree)


def _measured(tree: Path, scratch: Path) -> dict[str, Any]:
    check = [_command(), "check", str(tree), "--isolated", "--output-format", "concise", "--helm"]
    found: dict[str, list[float]] = {}
    memory = 0
    fresh, cached = [*check, "off", "--no-cache"], [*check, "off", "--cache-dir", str(scratch / "cache")]
    changing = next(path for path in sorted(tree.rglob("*.yaml")) if path.is_file() and not path.is_symlink())

    def add(name: str, command: list[str]) -> None:
        nonlocal memory
        seconds, peak = _run([sys.executable, "-c", WHOLE, *command]).split()
        found.setdefault(name, []).append(float(seconds))
        memory = max(memory, int(peak)) if name == "ratio" else memory

    for number in range(ROUNDS):
        found.setdefault("compose", []).append(float(_run([sys.executable, "-c", COMPOSE, str(tree)]).split()[1]))
        add("ratio", fresh)
        if number == 0:
            _run([sys.executable, "-c", WHOLE, *cached])
        add("again", cached)
        with changing.open("a", encoding="utf-8") as file:
            file.write(f"# changed {number}\n")
        add("changed", cached)
        add("revisions", [*fresh, "--diff-base", "HEAD"])
    best = {name: min(times) for name, times in found.items()}
    detail = json.loads(_run([sys.executable, "-c", PHASES, str(tree)]))
    total = sum(detail["phases"].values())
    ruling = sum(seconds for _, seconds in detail["rules"]) or 1.0
    ratios = {name: round(best[name] / best["compose"], 2) for name in ("ratio", "again", "changed", "revisions")}
    return {
        **ratios,
        "seconds": round(best["ratio"], 2),
        **_with_helm(tree, [*check, "auto", "--no-cache"]),
        "memory": memory,
        "objects": detail["objects"],
        "phases": {name: round(seconds / total, 3) for name, seconds in detail["phases"].items()},
        "rules": {code: round(seconds / ruling, 3) for code, seconds in detail["rules"][:RULES]},
    }


def _with_helm(tree: Path, check: list[str]) -> dict[str, float]:
    """Seconds of the first run with Helm, beside those of `helm template` for each chart by itself."""
    helm = shutil.which("helm") or shutil.which("helm", path=str(Path(sys.executable).parent))
    charts = [path.parent for path in tree.rglob("Chart.yaml") if "charts" not in path.relative_to(tree).parts[:-2]]
    if helm is None or not charts:
        return {}
    checked = float(_run([sys.executable, "-c", WHOLE, *check]).split()[0])
    plain = sum(
        float(_run([sys.executable, "-c", WHOLE, helm, "template", "release-name", str(chart)]).split()[0])
        for chart in charts
    )
    return {"charts": round(checked, 2), "helm": round(plain, 2)}


def _commit(tree: Path, message: str) -> None:
    git = ["git", "-C", str(tree), "-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", message]):
        subprocess.run([*git, *words], check=True, capture_output=True)


def _command() -> str:
    return str(Path(sys.executable).with_name("gitops-lint"))


# -- quickly


def quickly(scratch: Path) -> dict[str, Any]:
    generate(scratch / "apps", QUICK_APPS)
    generate_overlays(scratch / "overlays")
    check = ["check", str(scratch), "--isolated", "--no-cache", "--helm", "off", "--output-format", "concise"]
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        composing = min(float(_run([sys.executable, "-c", COMPOSE, str(scratch)]).split()[1]) for _ in range(3))
        checking = min(float(_run([sys.executable, "-c", WHOLE, _command(), *check]).split()[0]) for _ in range(3))
        print(
            f"{QUICK}: {checking / composing:.2f} times bare libyaml; there is no valgrind to count instructions with"
        )
        return {"ratio": round(checking / composing, 2)}
    counts = {
        "start": _instructions(valgrind, [COMMAND, "--version"]),
        "compose": _instructions(valgrind, [COMPOSE, str(scratch)]) - _instructions(valgrind, ["import yaml, pathlib"]),
        "check": _instructions(valgrind, [COMMAND, *check]),
    }
    ratio = round(counts["check"] / counts["compose"], 2)
    print(f"{QUICK}: {ratio} times the instructions of bare libyaml ({counts['check'] / 1e6:,.0f} million)")
    millions = {name: round(count / 1e6) for name, count in counts.items()}
    return {"python": PYTHON, "instructions": ratio, "millions": millions}


def _instructions(valgrind: str, words: list[str]) -> int:
    """Of a Python program, the same whenever it is counted to some thousandths."""
    counting = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    done = subprocess.run(
        [*counting, sys.executable, "-c", *words],
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    said = re.search(rb"I +refs: +([\d,]+)", done.stderr)
    assert said, done.stderr.decode("utf-8", "replace")
    return int(said[1].replace(b",", b""))


if __name__ == "__main__":
    sys.exit(main())
