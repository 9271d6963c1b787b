"""The script that draws a sample of findings, asks for verdicts, and counts them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

SCRIPT = Path(__file__).parents[2] / "scripts" / "judge.py"
HOOK = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: hook{number}
  annotations:
    argocd.argoproj.io/hook: PreSync
spec:
  template: {{spec: {{restartPolicy: Never}}}}
"""


@pytest.fixture(scope="module")
def judge() -> Any:
    spec = importlib.util.spec_from_file_location("judge", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two repositories with as many findings of a rule."""
    for name in ("one", "two"):
        (tmp_path / "repos" / name).mkdir(parents=True)
        for number in range(6):
            (tmp_path / "repos" / name / f"{number}.yaml").write_text(HOOK.format(number=number))
    return tmp_path / "repos"


def run(judge: Any, *arguments: object, typed: str = "") -> str:
    done = CliRunner().invoke(judge.cli, [str(one) for one in arguments], input=typed, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_sample_is_drawn_by_rule_and_severity_from_all_repositories(judge: Any, folder: Path, tmp_path: Path) -> None:
    sample = tmp_path / "sample.jsonl"
    run(judge, "draw", folder, "-o", sample, "--each", 4, "--rule", "GL102", "--rule", "GL101")
    items = [json.loads(line) for line in sample.read_text().splitlines()]
    assert [(one["code"], one["severity"]) for one in items] == [("GL101", "note")] * 4 + [("GL102", "warning")] * 4
    assert {one["repo"] for one in items[:4]} == {one["repo"] for one in items[4:]} == {"one", "two"}
    again = tmp_path / "again.jsonl"
    run(judge, "draw", folder, "-o", again, "--each", 4, "--rule", "GL102", "--rule", "GL101")
    assert again.read_text() == sample.read_text()
    done = CliRunner().invoke(judge.cli, ["draw", str(folder), "-o", str(sample)])
    assert "verdicts in it would be lost" in done.output


def test_verdicts_are_kept_at_once_and_counted(judge: Any, folder: Path, tmp_path: Path) -> None:
    sample = tmp_path / "sample.jsonl"
    run(judge, "draw", folder, "-o", sample, "--each", 3, "--rule", "GL102")
    asked = run(judge, "ask", folder, sample, typed="t\na\nit hangs\nf\ns\n\nq\n")
    assert "has no activeDeadlineSeconds" in asked
    assert ">     6 |     argocd.argoproj.io/hook: PreSync" in asked
    items = [json.loads(line) for line in sample.read_text().splitlines()]
    assert [(one.get("verdict"), one.get("act")) for one in items] == [
        ("TRUE", "ACT"),
        ("FALSE", "SHRUG"),
        (None, None),
    ]
    assert "[1/1]" in run(judge, "ask", folder, sample, typed="u\ns\n\n")
    table = run(judge, "table", sample)
    assert "| warning | all | 3 | 1 (33 %) | 1 | 1 | 1 (33 %) |" in table
    assert "| warning | GL102 | 3 | 1 (33 %) | 1 | 1 | 1 (33 %) |" in table
