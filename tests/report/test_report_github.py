"""Workflow commands and the job summary, as GitHub reads them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from gitops_lint.linter.lint.result import Result
from gitops_lint.linter.lint.rule import Cause, Scope, Severity
from gitops_lint.linter.report import github, markdown
from gitops_lint.linter.report.escape import command_data, command_property
from gitops_lint.linter.report.escape import markdown as cell
from gitops_lint.linter.yaml.source import SourceFile
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, JOB, OPTIONS, RULE, hostile, job_finding, reported, result_of, sample, spot

COMMAND = re.compile(r"::(error|warning|notice) ([^:\n]*)::(.*)")


def test_a_finding_is_a_command() -> None:
    head = ["Read 1 file, 1 object, no Application.", "Judged for any version."]
    found = github.render(result_of([job_finding()]), replace(OPTIONS, uri_prefix="deploy/")).splitlines()
    assert found[:-1] == [*head, "Found 1 warning; 1 fixable with --fix --unsafe-fixes."]
    assert found[-1] == (
        "::warning file=deploy/apps/job.yaml,line=6,endLine=6,col=30,endColumn=37,"
        "title=gitops-lint%3A warning GL102 hook-without-deadline::"
        "hook Job 'migrate' has no activeDeadlineSeconds; a hanging run blocks every later sync"
        "%0ADo: set a deadline of ten minutes (--fix --unsafe-fixes applies it)"
        "%0Adeploy/apps/job.yaml:2: the Job is here"
        "%0ADocs: https://example.org/gitops-lint/rules/hook-without-deadline"
    )


def commands(result: Result) -> list[str]:
    """Without the lines above them that only the log shows."""
    lines = github.render(result, OPTIONS).splitlines()
    assert not any(line.startswith("::") for line in lines[:3])
    return lines[3:]


def decoded(text: str) -> str:
    """As the runner undoes the escapes, the percent sign last."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126) | st.sampled_from("\r\n")))
def test_the_runner_gets_back_what_was_written(text: str) -> None:
    assert decoded(command_data(text)) == decoded(command_property(text)) == text
    assert not re.search(r"[\r\n]", command_data(text))
    assert not re.search(r"[\r\n:,]", command_property(text))


def test_hostile_text_stays_inside_its_command() -> None:
    lines = commands(hostile())
    assert [COMMAND.fullmatch(line)[1] for line in lines] == ["error", "warning", "notice"]  # type: ignore[index]
    properties = dict(item.split("=", 1) for item in COMMAND.fullmatch(lines[0])[2].split(","))  # type: ignore[index]
    assert decoded(properties["file"]) == hostile().reported[0].file.path


def test_ten_of_a_level_worst_first_and_a_word_about_the_rest() -> None:
    severities = [Severity.NOTE] * 12 + [Severity.WARNING] * 11 + [Severity.ERROR] * 3
    found = [
        reported(spot(f"{number:02}.yaml", JOB, "PreSync"), chr(97 + number) * 5, severity=severity)
        for number, severity in enumerate(severities)
    ]
    lines = commands(result_of(found))
    levels = [re.match(r"::(\w+)", line)[1] for line in lines]  # type: ignore[index]
    assert levels == ["error"] * 3 + ["warning"] * 10 + ["notice"] * 10
    assert lines[-1] == "::notice title=gitops-lint::4 more findings are not shown as annotations"


def test_what_a_change_brings_comes_first_the_worst_of_each() -> None:
    about = replace(RULE, scope=Scope.CHANGE)
    at = {name: spot(f"{name}.yaml", JOB, "PreSync") for name in ("old", "new", "line", "note", "change")}
    found = [
        replace(reported(at["old"], severity=Severity.ERROR), is_new=False),
        replace(reported(at["new"], severity=Severity.WARNING), is_new=True),
        replace(reported(at["note"], severity=Severity.NOTE), is_new=False),
        replace(reported(at["line"], severity=Severity.ERROR), is_new=False),
        replace(reported(at["change"], severity=Severity.WARNING, rule=about), is_new=True),
    ]
    changed = {"line.yaml": frozenset({6}), "note.yaml": frozenset({6}), "new.yaml": frozenset({1})}
    result = replace(result_of(found), changed_lines=lambda path: changed.get(path, frozenset()))
    lines = commands(result)
    assert [re.search(r"file=(\w+)", line)[1] for line in lines] == ["line", "change", "note", "new", "old"]  # type: ignore[index]


def test_an_old_error_gives_way_to_a_new_one_where_there_is_room_for_ten() -> None:
    found = [
        replace(
            reported(spot(f"{number:02}.yaml", JOB, "PreSync"), chr(97 + number) * 5, severity=Severity.ERROR),
            is_new=number == 11,
        )
        for number in range(12)
    ]
    result = replace(result_of(found), changed_lines=lambda path: frozenset())
    lines = commands(result)
    shown = [int(line.split("file=")[1][:2]) for line in lines if "file=" in line]
    assert shown == [11, *range(9)]
    assert lines[-1] == "::notice title=gitops-lint::2 more findings are not shown as annotations"


def test_nothing_found_is_nothing_printed() -> None:
    assert github.render(result_of([]), OPTIONS) == ""


def test_the_summary_lists_findings_by_severity() -> None:
    page = markdown.render(sample(), OPTIONS)
    assert page.startswith("## gitops-lint: 1 error, 1 warning, 1 note\n")
    headings = re.findall(r"^### (.*)|<summary>(.*?)</summary>", page, re.M)
    assert [a or b for a, b in headings] == [
        "Errors (1)",
        "Warnings (1)",
        "Notes (1)",
        "Not analysed",
    ]
    assert "Judged for Argo CD 3.3" in page
    page_of_rule = "https://example.org/gitops-lint/rules/hook-without-deadline"
    assert f"| <code>apps/job.yaml&#58;6</code> | [GL102 hook-without-deadline]({page_of_rule})" in page
    assert "at the next sync | hook Job 'migrate' has no activeDeadlineSeconds" in page
    assert "- a Helm template (3): <code>charts/a/templates/x.yaml, charts/a/templates/y.yaml, …</code>" in page


def test_the_summary_of_a_clean_run() -> None:
    clean = result_of([], [SourceFile("a.yaml", JOB)])
    assert markdown.render(clean, OPTIONS).startswith("## gitops-lint: all checks passed\n")
    assert "passed" not in markdown.render(result_of([]), OPTIONS)
    assert "passed" not in markdown.render(result_of([], crashed=True), OPTIONS)


def test_hostile_text_is_no_markup() -> None:
    rows = [row for row in markdown.render(hostile(), OPTIONS).splitlines() if row.startswith("| <code>")]
    assert len(rows) == 3
    for row in rows:
        assert row.count("|") == 4
        assert set(re.findall(r"<[^>]*>", row)) == {"<code>", "</code>", "<br>"}
    assert not re.search(r"[\[\]<>`*_|\\]|https:", cell(HOSTILE))


@pytest.mark.parametrize("message", ["short", "long " * 500])
def test_the_summary_stays_below_its_limit_and_says_so(message: str) -> None:
    at = spot("apps/a.yaml", JOB, "PreSync")
    items = [reported(at, message, severity=severity) for severity in Severity for _ in range(6_000)]
    causes = [Cause(f"cause {number}") for number in range(len(items))]
    found = [
        replace(item, finding=replace(item.finding, cause=cause)) for item, cause in zip(items, causes, strict=True)
    ]
    page = markdown.render(result_of(found), OPTIONS)
    assert len(page.encode()) <= markdown.LARGEST
    shown = page.count("| <code>")
    assert f"{len(found) - shown} findings are left out: a job summary holds 1 MiB." in page
    assert page.count("<details>") == page.count("</details>")
    assert shown > 100
