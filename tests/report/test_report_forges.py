"""The formats of other forges, read by those who read them there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from checkout import ROOT
from consumers import go_program, node, npm_package, python_package
from gitops_lint.linter.lint.result import Result
from gitops_lint.linter.lint.rule import Cause, Severity
from gitops_lint.linter.report import azure, concise, gitlab, grouped, junit, rdjson
from gitops_lint.linter.report.escape import terminal
from report_samples import JOB, OPTIONS, hostile, job_finding, reported, result_of, sample, spot

SAMPLES = {"sample": sample(), "hostile": hostile(), "clean": result_of([]), "crashed": result_of([], crashed=True)}
EACH_SAMPLE = pytest.mark.parametrize("result", SAMPLES.values(), ids=SAMPLES.keys())
PAGE = "https://example.org/gitops-lint/rules/hook-without-deadline"

# -- GitLab

CODE_QUALITY = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": "^\\./|^/"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""What GitLab's documentation asks of a report. Its own parser is Ruby and part of the server; no package brings it."""


@EACH_SAMPLE
def test_what_gitlab_asks_for(result: Result) -> None:
    entries = json.loads(gitlab.render(result, OPTIONS))
    jsonschema.validate(entries, CODE_QUALITY)
    assert len({entry["fingerprint"] for entry in entries}) == len(entries) == len(result.groups)


def test_a_cause_is_one_entry_that_outlives_its_places() -> None:
    def entries(*lines: str) -> list[dict[str, Any]]:
        cause = Cause("Application shop")
        items = [reported(spot("a.yaml", JOB, line), f"about {line}") for line in lines]
        named = [replace(item, finding=replace(item.finding, cause=cause)) for item in items]
        found: list[dict[str, Any]] = json.loads(gitlab.render(result_of(named), OPTIONS))
        return found

    (before,), (after,) = entries("kind", "spec"), entries("metadata")
    assert before["fingerprint"] == after["fingerprint"]
    assert (before["location"]["lines"]["begin"], after["location"]["lines"]["begin"]) == (2, 3)
    assert "Also: a.yaml&#58;7" in before["content"]["body"]
    assert f"[hook-without-deadline]({PAGE})" in before["content"]["body"]


def test_a_cause_of_two_severities_is_two_entries() -> None:
    cause = Cause("Application shop")
    items = [reported(spot("a.yaml", JOB, "kind"), "k", severity=severity) for severity in Severity]
    named = [replace(item, finding=replace(item.finding, cause=cause)) for item in items]
    entries = json.loads(gitlab.render(result_of(named), OPTIONS))
    assert [entry["severity"] for entry in entries] == ["critical", "major", "info"]
    assert len({entry["fingerprint"] for entry in entries}) == 3


# -- JUnit


@EACH_SAMPLE
def test_the_numbers_are_those_of_the_cases(result: Result) -> None:
    root = ET.fromstring(junit.render(result, OPTIONS))
    suites = [root, *root.iter("testsuite")]
    for suite in suites:
        for attribute, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(suite.attrib[attribute]) == len(list(suite.iter(tag))), (suite.attrib, tag)
    assert len(list(root.iter("error"))) == result.crashed


def test_what_fails_the_run_is_a_failure() -> None:
    def outcomes(threshold: Severity | None) -> list[str]:
        root = ET.fromstring(junit.render(sample(), replace(OPTIONS, threshold=threshold)))
        cases = [case for case in root.iter("testcase") if case.get("file")]
        return [child.tag for case in cases for child in case]

    assert sorted(outcomes(Severity.WARNING)) == ["failure", "failure", "skipped"]
    assert sorted(outcomes(Severity.NOTE)) == ["failure", "failure", "failure"]
    assert sorted(outcomes(None)) == ["skipped", "skipped", "skipped"]


@EACH_SAMPLE
def test_junitparser_reads_it(result: Result, tmp_path: Path) -> None:
    folder = python_package("junitparser==4.0.2")
    (tmp_path / "report.xml").write_text(junit.render(result, OPTIONS), "utf-8")
    script = (
        "import json, sys; from junitparser import JUnitXml, Failure\n"
        "xml = JUnitXml.fromfile(sys.argv[1]); xml.update_statistics()\n"
        "failed = [case.name for suite in xml for case in suite for one in case.result if isinstance(one, Failure)]\n"
        "print(json.dumps([xml.tests, xml.failures, xml.errors, xml.skipped, failed]))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "report.xml")]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(folder)}, timeout=60)
    assert done.returncode == 0, done.stderr
    tests, failures, errors, skipped, failed = json.loads(done.stdout)
    failing = [group for group in result.groups if group.severity >= Severity.WARNING]
    assert (failures, errors) == (len(failing), int(result.crashed))
    assert tests >= len(result.groups) + errors
    assert skipped >= len(result.groups) - len(failing)
    assert len(failed) == len(failing)


# -- reviewdog


PARSER = """package main

import (
	"encoding/json"
	"os"

	"github.com/reviewdog/reviewdog/parser"
)

func main() {
	found, err := parser.NewRDJSONParser().Parse(os.Stdin)
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}
"""
"""Reviewdog's own reader of the format; the whole program brings the clients of every forge."""


@EACH_SAMPLE
def test_reviewdog_reads_it(result: Result) -> None:
    program = go_program(PARSER, "github.com/reviewdog/reviewdog/parser@v0.20.1")
    report = rdjson.render(result, OPTIONS)
    done = subprocess.run([str(program)], input=report, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout) or []
    assert [(one["location"]["path"], one["location"]["range"]["start"]["line"], one["severity"]) for one in read] == [
        (item.file.path, item.start.line, 4 - item.severity) for item in result.nearest_first
    ]
    assert all(one["code"]["url"] == PAGE or "hook-without-deadline" not in one["code"]["value"] for one in read)
    assert [one["suggestions"][0]["text"] for one in read if "suggestions" in one] == [
        one["suggestions"][0]["text"] for one in json.loads(report)["diagnostics"] if "suggestions" in one
    ]


def test_columns_count_bytes() -> None:
    text = "äö𐐀: x\n"
    report = json.loads(rdjson.render(result_of([reported(spot("a.yaml", text, "x"))]), OPTIONS))
    position = report["diagnostics"][0]["location"]["range"]["start"]
    assert position == {"line": 1, "column": len("äö𐐀: ".encode()) + 1}


def test_a_fix_is_a_suggestion() -> None:
    (one,) = json.loads(rdjson.render(result_of([job_finding()]), OPTIONS))["diagnostics"]
    assert one["code"] == {"value": "GL102 hook-without-deadline", "url": PAGE}
    (suggestion,) = one["suggestions"]
    assert "activeDeadlineSeconds: 600" in suggestion["text"]
    lines = JOB.splitlines(keepends=True)
    start, end = suggestion["range"]["start"], suggestion["range"]["end"]
    first = sum(map(len, lines[: start["line"] - 1])) + start["column"] - 1
    last = sum(map(len, lines[: end["line"] - 1])) + end["column"] - 1
    assert JOB[:first] + suggestion["text"] + JOB[last:] == f"{JOB}  activeDeadlineSeconds: 600\n"


# -- Azure Pipelines

READ_COMMANDS = """
const { commandFromString } = require('azure-pipelines-task-lib/taskcommand');
const lines = require('fs').readFileSync(0, 'utf8').split('\\n').filter(line => line.startsWith('##vso['));
console.log(JSON.stringify(lines.map(commandFromString)));
"""


@EACH_SAMPLE
def test_azure_reads_the_commands(result: Result) -> None:
    said = node(READ_COMMANDS, npm_package("azure-pipelines-task-lib@4.17.3"), stdin=azure.render(result, OPTIONS))
    issues = json.loads(said)
    expected = [group for group in result.nearest_groups if group.severity > Severity.NOTE]
    assert [issue["command"] for issue in issues] == ["task.logissue"] * len(expected)
    for issue, group in zip(issues, expected, strict=True):
        properties = issue["properties"]
        assert properties["type"] == str(group.severity)
        assert properties["sourcepath"] == terminal(
            group.first.file.path.replace("%", "%AZP25").replace("\n", "%0A")
        ).replace("%AZP25", "%").replace("%0A", "\n")
        assert int(properties["linenumber"]) == group.first.start.line
        assert properties["code"] == group.rule.code
        assert group.headline.split("\x1b")[0] in issue["message"]


def test_nobody_elses_commands_are_in_it() -> None:
    evil = "##vso[task.setvariable variable=a]b ##VSO[c] ##teamcity[d] ##[section]e"
    found = result_of([reported(spot("a.yaml", f"kind: '{evil}'\n", "kind"), evil, severity=one) for one in Severity])
    for module in (azure, grouped, concise):
        lines = [line.removeprefix("##vso[task.logissue ") for line in module.render(found, OPTIONS).splitlines()]
        assert not [line for line in lines if re.search(r"##\w*\[", line)]


# -- grouped


def test_grouped_by_file() -> None:
    assert grouped.render(sample(), replace(OPTIONS, quiet=True)) == (
        "apps/b.yaml:\n"
        "  6:30  note  GL101  a finished Job stays (hook-without-delete-policy)\n"
        "\n"
        "apps/job.yaml:\n"
        "  6:30  warning  GL102  hook Job 'migrate' has no activeDeadlineSeconds; a hanging run blocks every later sync"
        " (hook-without-deadline)\n"
        "\n"
        "broken.yaml:\n"
        "  1:5  error  GL001  did not find expected ',' or ']', while parsing a flow sequence (unparsable-file)\n"
        "\n"
    )


# -- the problem matcher

MATCH = """
const { problemMatcher } = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
const lines = require('fs').readFileSync(0, 'utf8').split('\\n');
const found = [];
for (const line of lines) for (const { owner, severity, pattern: [p] } of problemMatcher) {
  const match = new RegExp(p.regexp).exec(line);
  if (match) found.push([match[p.file], +match[p.line], +match[p.column], severity ?? match[p.severity], match[p.code]]);
}
console.log(JSON.stringify(found));
"""


def test_the_problem_matcher_finds_every_line(tmp_path: Path) -> None:
    result = sample()
    said = node(MATCH, tmp_path, str(ROOT / "problem-matcher.json"), stdin=concise.render(result, OPTIONS))
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
    assert [tuple(one[:1] + one[3:]) for one in json.loads(said)] == [
        (item.file.path, words[item.severity], f"{item.rule.code} {item.rule.name}") for item in result.reported
    ]
