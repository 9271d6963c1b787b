"""SARIF that GitHub code scanning takes, point by point."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from gitops_lint.linter.lint.result import Result
from gitops_lint.linter.lint.rule import Fix, Moment, Note, Severity
from gitops_lint.linter.report import ReportOptions
from gitops_lint.linter.report.sarif import render
from gitops_lint.linter.report.sarif_places import line_hashes
from gitops_lint.linter.yaml.source import Problem, SourceFile, Span, Spot
from report_samples import JOB, OPTIONS, RULE, hostile, job_finding, make_rule, reported, result_of, sample, spot

LONG = make_rule("GL900", Severity.NOTE, "long", "Short.\n\n" + "A long sentence, again. " * 100)


def run_of(result: Result, options: ReportOptions = OPTIONS) -> Any:
    return json.loads(render(result, options))["runs"][0]


def only_result(result: Result, options: ReportOptions = OPTIONS) -> Any:
    return run_of(result, options)["results"][0]


def objects(value: Any) -> Any:
    """Every object in a report."""
    if isinstance(value, dict):
        yield value
        for child in value.values():
            yield from objects(child)
    elif isinstance(value, list):
        for child in value:
            yield from objects(child)


def check_for_github(text: str) -> None:
    """What GitHub demands or silently goes wrong without; see its page on SARIF support."""
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].startswith("https://")
    (run,) = log["runs"]
    assert run["columnKind"] == "utf16CodeUnits"
    assert len(run["results"]) <= 5000
    assert run["originalUriBaseIds"].keys() == {"%SRCROOT%"}
    assert "uri" not in run["originalUriBaseIds"]["%SRCROOT%"]
    check_rules(run["tool"]["driver"])
    for result in run["results"]:
        check_result(result, run["tool"]["driver"]["rules"])
    for item in objects(log):
        if "artifactLocation" in item:
            check_uri(item["artifactLocation"])


def check_rules(driver: Any) -> None:
    assert driver["name"] == "gitops-lint"
    assert driver["semanticVersion"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert 0 < len(rule["name"]) <= 255
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert rule.get("helpUri", "https://").startswith("https://")
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        properties = rule["properties"]
        assert properties["problem.severity"] in ("error", "warning", "recommendation")
        assert properties["precision"] in ("very-high", "high", "medium", "low")
        assert 0 < len(properties["tags"]) <= 10
        assert "security-severity" not in properties


def check_result(result: Any, rules: Any) -> None:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in ("error", "warning", "note")
    assert "kind" not in result
    assert "suppressions" not in result
    assert result["message"]["text"]
    assert result["partialFingerprints"]["gitops-lint/v1"]
    (location,) = result["locations"]
    region = location["physicalLocation"]["region"]
    assert min(region[key] for key in ("startLine", "startColumn", "endLine", "endColumn")) >= 1
    assert region["startLine"] == region["endLine"]
    assert region["startColumn"] <= region["endColumn"]
    ids = [related["id"] for related in result.get("relatedLocations", [])]
    assert len(ids) == len(set(ids))
    links = re.findall(r"(?<!\\)\]\((\d+)\)", result["message"]["text"])
    assert set(map(int, links)) <= set(ids)


def check_uri(location: Any) -> None:
    assert location["uriBaseId"] == "%SRCROOT%"
    assert re.fullmatch(r"([\w.~/-]|%[0-9A-F]{2})+", location["uri"], re.ASCII)
    assert not location["uri"].startswith("/")


@pytest.mark.parametrize(
    "result",
    [
        sample(),
        hostile(),
        result_of([]),
        result_of([], crashed=True),
        result_of([reported(spot("a.yaml", JOB, "Job"), rule=LONG)]),
    ],
)
@pytest.mark.parametrize("options", [OPTIONS, ReportOptions(), replace(OPTIONS, uri_prefix="sub/dir ä")])
def test_github_takes_it(result: Result, options: ReportOptions) -> None:
    check_for_github(render(result, options))


def test_clean_is_an_empty_list() -> None:
    assert run_of(result_of([]))["results"] == []


def test_rules_that_found_nothing_are_listed_too() -> None:
    assert [rule["id"] for rule in run_of(result_of([]))["tool"]["driver"]["rules"]] == ["GL102"]


def test_a_rule_is_described_by_its_manual() -> None:
    rule = run_of(result_of([]))["tool"]["driver"]["rules"][0]
    assert rule["name"] == "hook-without-deadline"
    assert rule["shortDescription"]["text"] == "A hook Job without a deadline can hold its sync open for ever."
    assert "\n\nFix: set a deadline." in rule["help"]["text"]
    assert "[argo-cd#4979](https://github.com/argoproj/argo-cd/issues/4979)" in rule["help"]["markdown"]
    assert "```yaml\nkind: Job\ndeadline: 600\n```" in rule["help"]["markdown"]
    assert rule["helpUri"] == "https://example.org/gitops-lint/rules/hook-without-deadline"


def test_without_a_page_the_evidence_helps() -> None:
    rule = run_of(result_of([]), ReportOptions(rule_page=""))["tool"]["driver"]["rules"][0]
    assert rule["helpUri"] == "https://github.com/argoproj/argo-cd/issues/4979"


def test_descriptions_are_cut_at_a_sentence() -> None:
    run = run_of(result_of([reported(spot("a.yaml", JOB, "Job"), rule=LONG)]))
    text = next(rule for rule in run["tool"]["driver"]["rules"] if rule["id"] == "GL900")["fullDescription"]["text"]
    assert 900 < len(text) <= 1024
    assert text.endswith("again.")


def test_level_is_the_finding_s_own() -> None:
    run = run_of(result_of([reported(spot("a.yaml", JOB, "Job"), severity=Severity.ERROR)]))
    assert run["results"][0]["level"] == "error"
    assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"] == "warning"


def test_columns_are_utf16() -> None:
    result = only_result(result_of([reported(spot("a.yaml", "😀: 1\na: 😀é b😀c\n", "b😀c"))]))
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 8, 12)
    assert region["snippet"]["text"] == "b😀c"


def test_the_line_hash_is_that_of_the_line() -> None:
    result = only_result(result_of([job_finding()]))
    assert result["partialFingerprints"]["primaryLocationLineHash"] == line_hashes(JOB)[5]


def test_a_file_that_was_not_read_has_no_line_hash() -> None:
    file = SourceFile("a.yaml", "", Problem(Span(0, 0), "too large", unreadable=True))
    fingerprints = only_result(result_of([reported(Spot(file, Span(0, 0)))]))["partialFingerprints"]
    assert fingerprints.keys() == {"gitops-lint/v1", "gitops-lint/cause/v1"}


@pytest.mark.parametrize("path", ["a b/c#d?.yaml", "ä/100%.yaml", "x:y.yaml", "a\udcff.yaml"])
def test_uris_are_encoded_and_lead_from_the_top_of_the_repository(path: str) -> None:
    options = replace(OPTIONS, uri_prefix="deploy/prod")
    location = only_result(result_of([reported(spot(path, JOB, "Job"))]), options)["locations"][0]
    uri = location["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri, errors="surrogateescape") == f"deploy/prod/{path}"


def test_related_places_are_linked_from_the_message() -> None:
    result = only_result(result_of([job_finding()]))
    assert result["message"]["text"].endswith("blocks every later sync. See [the Job is here](1).")
    related = result["relatedLocations"][0]
    assert (related["id"], related["message"]["text"]) == (1, "the Job is here.")
    assert related["physicalLocation"]["region"]["startLine"] == 2


def test_a_message_holds_no_links_or_placeholders_but_ours() -> None:
    at = spot("a.yaml", JOB, "Job")
    item = reported(at, "see [x](9) {0} [y]", related=(Note(at, "a [b] \\"),))
    assert only_result(result_of([item]))["message"]["text"] == "see \\[x](9) {{0}} [y]. See [a \\[b\\] \\\\](1)."


def test_the_object_is_the_logical_location() -> None:
    logical = only_result(result_of([job_finding()]))["locations"][0]["logicalLocations"]
    assert logical == [{"name": "migrate", "fullyQualifiedName": "batch/Job/migrate", "kind": "resource"}]


def test_fixes_are_replacements() -> None:
    fix = only_result(result_of([job_finding()]))["fixes"][0]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "apps/job.yaml"
    assert applied(JOB, change["replacements"]).splitlines()[-2:] in (
        ["  backoffLimit: 2", "  activeDeadlineSeconds: 600"],
        ["  activeDeadlineSeconds: 600", "  backoffLimit: 2"],
    )


def applied(text: str, replacements: Any) -> str:
    """As a viewer does it, for text without astral characters."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    for replacement in reversed(replacements):
        region = replacement["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    return text


def test_a_fix_that_is_no_text_edit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitops_lint.linter.fix.text_edits", lambda fix: None)
    assert "fixes" not in only_result(result_of([job_finding()]))


def test_a_report_does_not_spend_its_time_on_fixes() -> None:
    text = JOB + "  filler: " + "x" * 40_000 + "\n"
    found = []
    for number in range(4):
        root = SourceFile(f"{number}.yaml", text).documents[0].root
        found.append(reported(root["kind"], fixes=(Fix("ten", root["spec"]["backoffLimit"].set(10)),)))
    assert ["fixes" in item for item in run_of(result_of(found))["results"]] == [True, True, False, False]


def test_files_that_do_not_parse_are_told_twice() -> None:
    run = run_of(sample())
    notification = run["invocations"][0]["toolExecutionNotifications"][0]
    assert notification["descriptor"]["id"] == "unparsable-file"
    assert notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.yaml"
    assert run["results"][0]["ruleId"] == "GL001"


def test_what_was_not_analysed_is_told() -> None:
    told = run_of(sample())["invocations"][0]["toolExecutionNotifications"]
    texts = [item["message"]["text"] for item in told if item["descriptor"]["id"] == "not-analysed"]
    assert texts[1] == "Not analysed (1): a remote base (base)."


def test_findings_are_no_failure_of_the_tool() -> None:
    assert run_of(sample())["invocations"][0]["executionSuccessful"] is True
    assert run_of(result_of([], crashed=True))["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize("category", ["gitops-lint", "gitops-lint/"])
def test_a_category_only_when_asked(category: str) -> None:
    assert "automationDetails" not in run_of(sample())
    assert run_of(sample(), replace(OPTIONS, sarif_category=category))["automationDetails"] == {"id": "gitops-lint/"}


def test_the_worst_five_thousand_are_kept() -> None:
    file = SourceFile("a.yaml", "kind: x\n" * 6_000)
    found = [
        reported(Spot(file, Span(8 * n, 8 * n + 4)), severity=Severity.ERROR if n % 10 == 0 else Severity.NOTE)
        for n in range(6_000)
    ]
    run = run_of(result_of(found))
    levels = [result["level"] for result in run["results"]]
    assert levels == ["error"] * 600 + ["note"] * 4_400
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"] == "1000 of 6000 findings were left out, the least severe ones."


def test_of_too_many_those_that_a_change_brings_are_kept() -> None:
    file = SourceFile("a.yaml", "kind: x\n" * 6_000)
    found = [replace(reported(Spot(file, Span(8 * n, 8 * n + 4))), is_new=n == 5_998) for n in range(6_000)]
    result = replace(result_of(found), changed_lines=lambda _: frozenset({6_000}))
    run = run_of(result)
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in run["results"]]
    assert lines == [6_000, 5_999, *range(1, 4_999)]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"] == "1000 of 6000 findings were left out, those that concern the change least."


def test_findings_that_are_not_new_stay_in_the_report() -> None:
    """GitHub would take them for mended."""
    new, old = (reported(spot(f"{name}.yaml", JOB, "PreSync")) for name in ("new", "old"))
    alone = [
        (one["baselineState"], one["ruleIndex"]) for one in run_of(result_of([replace(new, is_new=True)]))["results"]
    ]
    assert alone == [("new", 0)]
    result = replace(result_of([replace(new, is_new=True)]), left_out=(replace(old, is_new=False),))
    results = run_of(result)["results"]
    assert [(one["baselineState"], place_of(one)) for one in results] == [
        ("new", "new.yaml"),
        ("unchanged", "old.yaml"),
    ]
    assert len(results[0]["partialFingerprints"]) == 3
    assert "baselineState" not in run_of(result_of([new]))["results"][0]


def place_of(result: Any) -> Any:
    return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def test_long_lines_are_not_copied_into_every_result() -> None:
    line = "😀" + "a: [" + "x," * 100_000 + "]"
    file = SourceFile("a.yaml", line)
    found = [reported(Spot(file, Span(n, n + 1))) for n in range(5, 1_005)]
    assert len(render(result_of(found), OPTIONS)) < 2_000_000


def test_time_grows_with_the_findings_and_no_faster() -> None:
    def seconds(number: int) -> float:
        file = SourceFile("a.yaml", "kind: é😀\n" * number)
        result = result_of([reported(Spot(file, Span(9 * n, 9 * n + 4))) for n in range(number)])
        start = time.process_time()
        render(result, OPTIONS)
        return time.process_time() - start

    # Eight times the findings: 8 when it is linear, 64 when every finding looks at the whole file.
    assert min(seconds(4_000) for _ in range(3)) < 24 * min(seconds(500) for _ in range(3))


def test_a_fix_may_touch_another_file() -> None:
    other = SourceFile("other.yaml", JOB).documents[0].root
    fix = Fix("there", other["spec"]["backoffLimit"].set(3))
    result = only_result(result_of([reported(spot("a.yaml", JOB, "Job"), fixes=(fix,))]))
    assert result["fixes"][0]["artifactChanges"][0]["artifactLocation"]["uri"] == "other.yaml"


def test_every_place_is_a_result_and_the_cause_ties_them() -> None:
    trouble = replace(RULE, moment=Moment.TROUBLE)
    items = [reported(spot(f"{name}.yaml", JOB, "PreSync"), "hook Job 'x' hangs", rule=trouble) for name in "abcde"]
    run = run_of(result_of(items))
    assert len(run["results"]) == 5
    assert len({one["partialFingerprints"]["gitops-lint/cause/v1"] for one in run["results"]}) == 1
    assert all(one["properties"]["tags"] == ["trouble"] for one in run["results"])
    assert run["results"][0]["properties"]["cause"] == "the same in 5 files"
    assert "trouble" in run["tool"]["driver"]["rules"][0]["properties"]["tags"]


def test_folded_a_cause_is_one_result_with_the_other_places_beside_it() -> None:
    items = [reported(spot(f"{name}.yaml", JOB, "PreSync"), "hook Job 'x' hangs") for name in "abcde"]
    result = only_result(result_of(items), replace(OPTIONS, sarif_fold=True))
    places = [one["physicalLocation"]["artifactLocation"]["uri"] for one in result["relatedLocations"]]
    assert places == ["b.yaml", "c.yaml", "d.yaml", "e.yaml"]
    assert result["properties"]["places"] == 5
