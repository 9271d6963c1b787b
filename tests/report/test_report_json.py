"""The findings as data follow their schema."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from gitops_lint.linter.facts.tables import table
from gitops_lint.linter.lint.result import Result
from gitops_lint.linter.lint.rule import Cause, Fix
from gitops_lint.linter.report.findings_json import render
from gitops_lint.linter.yaml.source import SourceFile
from report_samples import JOB, OPTIONS, hostile, job_finding, reported, result_of, sample, spot


def data(result: Result) -> Any:
    return json.loads(render(result, OPTIONS))


@pytest.mark.parametrize("result", [sample(), hostile(), result_of([]), result_of([], crashed=True)])
def test_every_report_follows_the_schema(result: Result) -> None:
    schema = table("findings.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(data(result), schema, jsonschema.Draft202012Validator)


def test_a_comparison_is_told_in_numbers_and_of_each_finding() -> None:
    found = [replace(job_finding(), is_new=True), replace(reported(spot("b.yaml", JOB, "PreSync")), is_new=False)]
    result = replace(result_of(found), left_out=(job_finding(),), changed_apps=2)
    report = data(result)
    jsonschema.validate(report, table("findings.schema.json"), jsonschema.Draft202012Validator)
    assert [one["new"] for one in report["findings"]] == [True, False]
    summary = report["summary"]
    assert (summary["new"], summary["notNew"], summary["changedApplications"]) == (1, 1, 2)
    assert "new" not in data(sample())["summary"]
    assert "new" not in data(sample())["findings"][0]


def test_a_property_that_the_schema_does_not_name_is_refused() -> None:
    report = data(sample())
    report["findings"][0]["extra"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, table("findings.schema.json"), jsonschema.Draft202012Validator)


def test_a_finding_says_where_what_and_how() -> None:
    finding = data(result_of([job_finding()]))["findings"][0]
    assert finding["code"] == "GL102"
    assert finding["name"] == "hook-without-deadline"
    assert finding["range"] == {"start": {"line": 6, "column": 30}, "end": {"line": 6, "column": 37}}
    assert finding["pointer"] == "/metadata/annotations/argocd.argoproj.io~1hook"
    assert finding["object"] == {"group": "batch", "version": "v1", "kind": "Job", "namespace": "", "name": "migrate"}
    assert finding["related"][0]["range"]["start"] == {"line": 2, "column": 7}
    assert finding["url"] == "https://example.org/gitops-lint/rules/hook-without-deadline"


def test_a_fix_is_a_patch_and_the_edits_that_do_the_same() -> None:
    fix = data(result_of([job_finding()]))["findings"][0]["fixes"][0]
    assert fix["patch"] == [{"op": "add", "path": "/spec/activeDeadlineSeconds", "value": 600}]
    assert (fix["path"], fix["document"], fix["safe"]) == ("apps/job.yaml", 0, False)
    assert [edit["newText"].strip() for edit in fix["edits"]] == ["activeDeadlineSeconds: 600"]


def test_columns_count_code_points() -> None:
    finding = data(result_of([reported(spot("a.yaml", "a: 😀 b", "b"))]))["findings"][0]
    assert finding["range"]["start"]["column"] == 6


def test_a_fix_that_json_cannot_hold_is_left_out() -> None:
    root = SourceFile("a.yaml", JOB).documents[0].root
    fix = Fix("endless", root["spec"]["backoffLimit"].set(float("inf")))
    assert data(result_of([reported(root["kind"], fixes=(fix,))]))["findings"][0]["fixes"] == []


def test_the_summary_counts() -> None:
    summary = data(sample())["summary"]
    assert {key: summary[key] for key in ("errors", "warnings", "notes", "suppressed", "files", "complete")} == {
        "errors": 1,
        "warnings": 1,
        "notes": 1,
        "suppressed": 2,
        "files": 3,
        "complete": False,
    }
    assert summary["fixable"] == {"safe": 0, "unsafe": 1}
    assert (summary["argocdVersion"], summary["kubernetesVersion"]) == ("3.3", None)
    assert data(result_of([], crashed=True))["summary"]["complete"] is False
    assert data(result_of([]))["summary"]["complete"] is True


def test_findings_are_tied_to_their_causes() -> None:
    cause = Cause("Application shop", "{count} hooks of 'shop' have no deadline", spot("apps/shop.yaml", JOB, "kind"))
    items = [reported(spot(f"{name}.yaml", JOB, "PreSync"), f"hook {name}") for name in "ab"]
    items = [replace(item, finding=replace(item.finding, cause=cause), applications=("shop",)) for item in items]
    report = data(result_of([*items, job_finding()]))
    first, second = report["causes"]
    assert (first["what"], first["headline"]) == ("Application shop", "2 hooks of 'shop' have no deadline")
    assert first["at"]["path"] == "apps/shop.yaml"
    assert [place["path"] for place in first["places"]] == ["a.yaml", "b.yaml"]
    assert {one["path"]: one["cause"] for one in report["findings"]} == {
        "a.yaml": first["fingerprint"],
        "b.yaml": first["fingerprint"],
        "apps/job.yaml": second["fingerprint"],
    }
    assert (report["summary"]["warnings"], report["summary"]["places"]) == (2, 3)
    assert second["do"] == "set a deadline of ten minutes (--fix --unsafe-fixes applies it)"
