"""Whole runs over small repositories, recorded: text, JSON, SARIF and the fixed tree.

`make golden` records them anew; the difference is to be read before it is committed. What a run tells of
its rules is not recorded but held against the rules themselves: a new rule or another text changes nothing here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.lint.rule import Rule, Scope
from gitops_lint.linter.report.report_options import ReportOptions
from gitops_lint.linter.report.sarif_rules import descriptor
from gitops_lint.rules import load

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parents[1] / "golden"
COMMAND = Path(sys.executable).with_name("gitops-lint")
REPOSITORIES = {
    "shop": ROOT / "examples" / "shop",
    **{path.name: path / "in" for path in GOLDEN.glob("*") if (path / "in").is_dir()},
}
OUTPUTS = {"full": "out.txt", "concise": "out.concise.txt", "json": "out.json", "sarif": "out.sarif"}


def run(cwd: Path, *args: str) -> str:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(cwd)}
    done = subprocess.run([str(COMMAND), ".", *args], cwd=cwd, capture_output=True, text=True, env=env)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def declared() -> list[Rule]:
    """The rules that look at one revision."""
    return sorted(
        (rule for rule in load() if rule.default and rule.scope is not Scope.CHANGE), key=lambda rule: rule.code
    )


def without_count(printed: str) -> str:
    """The same JSON, but for the number of rules that ran."""
    count = f'"rules": {len(declared())},'
    assert printed.count(count) == 1
    return printed.replace(count, '"rules": "all",')


def without_rules(log: Any) -> str:
    """The same log, a line a value: its rules are all that look at one revision, and every result names its own."""
    driver = log["runs"][0]["tool"]["driver"]
    rules = driver.pop("rules")
    assert rules == [descriptor(rule, ReportOptions()) for rule in declared()]
    for result in log["runs"][0]["results"]:
        assert rules[result.pop("ruleIndex")]["id"] == result["ruleId"]
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


@pytest.fixture(params=sorted(REPOSITORIES))
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    copy = tmp_path / "repo"
    shutil.copytree(REPOSITORIES[request.param], copy)
    (copy / ".git").mkdir()
    return request.param, copy


@pytest.mark.parametrize("format", OUTPUTS)
def test_output(repository: tuple[str, Path], format: str, pytestconfig: pytest.Config) -> None:
    name, copy = repository
    recorded = GOLDEN / name / OUTPUTS[format]
    printed = run(copy, "--output-format", format)
    if format == "sarif":
        printed = without_rules(json.loads(printed))
    elif format == "json":
        printed = without_count(printed)
    if pytestconfig.getoption("--update"):
        recorded.parent.mkdir(parents=True, exist_ok=True)
        recorded.write_text(printed)
    assert printed == recorded.read_text()


def test_fixed(repository: tuple[str, Path], pytestconfig: pytest.Config) -> None:
    name, copy = repository
    run(copy, "--fix", "--unsafe-fixes")
    fixed = {path.relative_to(copy): path.read_text() for path in sorted(copy.rglob("*.yaml"))}
    recorded = GOLDEN / name / "fixed"
    if pytestconfig.getoption("--update"):
        shutil.rmtree(recorded, ignore_errors=True)
        for path, text in fixed.items():
            (recorded / path).parent.mkdir(parents=True, exist_ok=True)
            (recorded / path).write_text(text)
    assert fixed == {path.relative_to(recorded): path.read_text() for path in sorted(recorded.rglob("*.yaml"))}
    before = dict(fixed)
    run(copy, "--fix", "--unsafe-fixes")
    assert {path.relative_to(copy): path.read_text() for path in copy.rglob("*.yaml")} == before


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    """The same objects in files of other names: the same findings, by object."""
    source = REPOSITORIES["shop"] / "shop"
    found = []
    for folder, rename in (("a", lambda name: name), ("b", lambda name: f"{99 - len(name)}-{name[::-1]}")):
        for path in source.glob("*.yaml"):
            target = tmp_path / folder / f"{rename(path.stem)}.yaml"
            target.parent.mkdir(exist_ok=True)
            target.write_text(path.read_text())
        printed = run(tmp_path / folder, "--output-format", "concise")
        found.append(sorted(line.split(": ", 1)[1] for line in printed.splitlines() if " GL" in line))
    assert found[0] == found[1]
