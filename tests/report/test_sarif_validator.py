"""Microsoft's own validator, with its rules for GitHub, finds no error. Skipped where it cannot be installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from gitops_lint.linter.lint.result import Result
from gitops_lint.linter.report import ReportOptions
from gitops_lint.linter.report.sarif import render
from report_samples import OPTIONS, hostile, result_of, sample

PACKAGE = "@microsoft/sarif-multitool"
BY_DESIGN = {
    "SARIF2002",  # messages by id and arguments
    "SARIF2003",  # the revision that was looked at: GitHub knows it from the upload
    "SARIF2006",  # it tries to fetch every address
    "SARIF2012",  # rule names in Pascal case: ours are the ones that people write
}


@pytest.fixture(scope="session")
def installed() -> Path:
    """Where npm put the validator: in a cache that outlives the run."""
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        pytest.skip("no node and npm here to install the SARIF validator")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "gitops-lint-tests" / "sarif-multitool"
    if not any(folder.glob("node_modules/@microsoft/sarif-multitool-*/sarif-2.1.0.json")):
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            pytest.skip(f"npm could not install the SARIF validator: {done.stderr.strip()[-300:]}")
    return folder / "node_modules" / "@microsoft"


def binary(installed: Path) -> Path:
    names = ("Sarif.Multitool", "Sarif.Multitool.exe")
    found = [path for name in names for path in installed.glob(f"sarif-multitool-*/{name}")]
    if not found:
        pytest.skip("the SARIF validator has no program for this platform")
    if not os.access(found[0], os.X_OK):
        pytest.skip("the SARIF validator was installed without the right to run")
    return found[0]


def validate(installed: Path, text: str, folder: Path) -> list[tuple[str, str]]:
    """Level and rule of everything that the validator says."""
    report, log = folder / "report.sarif", folder / "log.sarif"
    report.write_text(text, "utf-8")
    command = [str(binary(installed)), "validate", str(report), "--output", str(log)]
    command += ["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert log.exists(), done.stdout + done.stderr
    results: list[Any] = json.loads(log.read_text("utf-8-sig"))["runs"][0]["results"]
    return [(item.get("level", "warning"), item["ruleId"]) for item in results]


@pytest.mark.parametrize(
    ("result", "options"),
    [
        (sample(), OPTIONS),
        (hostile(), OPTIONS),
        (result_of([]), OPTIONS),
        (sample(), ReportOptions(sarif_category="gitops-lint", uri_prefix="a b/ä")),
    ],
    ids=["sample", "hostile", "clean", "bare"],
)
def test_no_errors(installed: Path, result: Result, options: ReportOptions, tmp_path: Path) -> None:
    said = validate(installed, render(result, options), tmp_path)
    assert [item for item in said if item[0] == "error"] == []
    if options is OPTIONS:
        assert {rule for _, rule in said} <= BY_DESIGN


def test_the_validator_is_awake(installed: Path, tmp_path: Path) -> None:
    log = json.loads(render(sample(), OPTIONS))
    del log["runs"][0]["results"][0]["locations"]
    assert "error" in {level for level, _ in validate(installed, json.dumps(log), tmp_path)}


@pytest.mark.parametrize("result", [sample(), hostile(), result_of([])], ids=["sample", "hostile", "clean"])
def test_the_schema_of_the_standard(installed: Path, result: Result) -> None:
    schema = json.loads(next(installed.glob("sarif-multitool-*/sarif-2.1.0.json")).read_text("utf-8-sig"))
    validator = jsonschema.validators.validator_for(schema)
    assert [error.message for error in validator(schema).iter_errors(json.loads(render(result, OPTIONS)))] == []
