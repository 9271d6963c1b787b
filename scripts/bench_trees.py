"""What a run costs on real repositories: a ratio for each tree, its phases, its dearest rules, its memory.

    python scripts/bench_trees.py FOLDER [--keep]

FOLDER holds repositories. Each is composed by bare libyaml and checked without Helm, in turn,
each in a process of its own on one core; the best processor time of several rounds counts, and only the ratio
of the two is kept, since machines differ. `ratio` is of a run that looks at everything (`--no-cache`),
`again` of one over files that have not changed since the one before. `--keep` writes them to
`bench/results.json`; without it they are held against that file, and a tree that got more than 15 % dearer fails.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import COMPOSE, _run

ROUNDS = 5
SLACK = 1.15
RULES = 10
RESULTS = Path(__file__).parents[1] / "bench" / "results.json"
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


def main() -> int:
    folder, keep = Path(sys.argv[1]), "--keep" in sys.argv
    kept: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    found: dict[str, Any] = {}
    dearer: list[str] = []
    for tree in sorted(path for path in folder.iterdir() if path.is_dir()):
        found[tree.name] = one = measure(tree)
        before = kept.get(tree.name, {}).get("ratio")
        print(
            f"{tree.name:50} {one['ratio']:5.2f}  (kept {before})  again {one['again']:.2f}"
            f"  {one['memory']} MB  {one['objects']} objects"
        )
        print("   ", ", ".join(f"{name} {share:.0%}" for name, share in one["phases"].items()))
        print("   ", ", ".join(f"{code} {share:.1%}" for code, share in one["rules"].items()))
        if before is not None and one["ratio"] > before * SLACK:
            dearer.append(f"{tree.name}: {one['ratio']:.2f}, and {before:.2f} is kept")
    if keep:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(kept | found, indent=2) + "\n", "utf-8")
        return 0
    for line in dearer:
        print(f"dearer than before: {line}", file=sys.stderr)
    return 1 if dearer else 0


def measure(tree: Path) -> dict[str, Any]:
    command = str(Path(sys.executable).with_name("gitops-lint"))
    check = [command, "check", str(tree), "--helm", "off", "--isolated", "--output-format", "concise"]
    composing, checking, again, memory = [], [], [], 0
    with tempfile.TemporaryDirectory() as scratch:
        cached = [*check, "--cache-dir", scratch]
        _run([sys.executable, "-c", WHOLE, *cached])
        for _ in range(ROUNDS):
            composing.append(float(_run([sys.executable, "-c", COMPOSE, str(tree)]).split()[1]))
            seconds, peak = _run([sys.executable, "-c", WHOLE, *check, "--no-cache"]).split()
            checking.append(float(seconds))
            memory = max(memory, int(peak))
            again.append(float(_run([sys.executable, "-c", WHOLE, *cached]).split()[0]))
    detail = json.loads(_run([sys.executable, "-c", PHASES, str(tree)]))
    total = sum(detail["phases"].values())
    ruling = sum(seconds for _, seconds in detail["rules"]) or 1.0
    return {
        "ratio": round(min(checking) / min(composing), 2),
        "again": round(min(again) / min(composing), 2),
        "memory": memory,
        "objects": detail["objects"],
        "phases": {name: round(seconds / total, 3) for name, seconds in detail["phases"].items()},
        "rules": {code: round(seconds / ruling, 3) for code, seconds in detail["rules"][:RULES]},
    }


if __name__ == "__main__":
    sys.exit(main())
