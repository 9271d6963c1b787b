"""The formats for people at a terminal."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from gitops_lint.linter.model import NotAnalysed
from gitops_lint.linter.report import ReportOptions, concise, full
from gitops_lint.linter.report.cells import fit
from gitops_lint.linter.report.region import region_of
from gitops_lint.linter.result import Reported
from gitops_lint.linter.rule import Fix, Note, Severity
from gitops_lint.linter.source import SourceFile, Span, Spot
from hypothesis import given
from hypothesis import strategies as st
from test_report_samples import JOB, OPTIONS, job_finding, make_rule, reported, result_of, sample, spot


def block(item: Reported, options: ReportOptions = OPTIONS) -> list[str]:
    return full.render(result_of([item]), options).split("\n\n")[0].splitlines()


def underlined(item: Reported, options: ReportOptions = OPTIONS) -> str:
    """What stands above the marks."""
    lines = block(item, options)
    number = next(n for n, line in enumerate(lines) if "^" in line)
    start, end = lines[number].index("^"), lines[number].rindex("^") + 1
    return lines[number - 1][start:end]


def test_a_finding_in_full() -> None:
    assert block(job_finding(safe=True)) == [
        "warning GL102 hook-without-deadline: "
        "hook Job 'migrate' has no activeDeadlineSeconds; a hanging run blocks every later sync",
        " --> apps/job.yaml:6:30",
        "  |",
        "4 |   name: migrate",
        "5 |   annotations:",
        "6 |     argocd.argoproj.io/hook: PreSync",
        "  |                              ^^^^^^^",
        "7 | spec:",
        "8 |   backoffLimit: 2",
        "  |",
        " --> apps/job.yaml:2:7: the Job is here",
        "  |",
        "2 | kind: Job",
        "  |       ---",
        "  |",
        "  = help: set a deadline of ten minutes (--fix applies it)",
        "  = docs: gitops-lint rule hook-without-deadline",
    ]


def test_an_unsafe_fix_names_both_options() -> None:
    assert "  = help: set a deadline of ten minutes (--fix --unsafe-fixes applies it)" in block(job_finding())


def test_without_a_fix_the_manual_says_what_to_do() -> None:
    assert "  = help: set a deadline." in block(reported(spot("a.yaml", JOB, "PreSync")))


def test_other_fixes_are_named_as_alternatives() -> None:
    root = SourceFile("a.yaml", JOB).documents[0].root
    fixes = (Fix("do this", root["kind"].set("A"), True), Fix("do that", root["kind"].set("B")))
    helps = [line for line in block(reported(root["kind"], fixes=fixes)) if "= help" in line]
    assert helps == ["  = help: do this (--fix applies it)", "  = help: or: do that (by hand)"]
    helps = [line for line in block(reported(root["kind"], fixes=fixes[::-1])) if "= help" in line]
    assert helps == ["  = help: do that (--fix --unsafe-fixes applies it)", "  = help: or: do this (--fix applies it)"]


def test_related_places_beyond_the_third_are_one_line_each() -> None:
    at = spot("a.yaml", JOB, "PreSync")
    notes = tuple(Note(spot("a.yaml", JOB, "PreSync"), f"place {number}") for number in range(5))
    lines = block(reported(at, related=notes))
    assert [line for line in lines if "= note" in line] == [
        "  = note: a.yaml:6: place 3",
        "  = note: a.yaml:6: place 4",
    ]


def test_what_is_said_of_the_place_itself_is_shown_without_a_second_look() -> None:
    at = spot("a.yaml", JOB, "PreSync")
    lines = block(reported(at, related=(Note(at, "no fix is offered"),)))
    assert "  = note: no fix is offered" in lines
    assert sum("-->" in line for line in lines) == 1


def test_context_ends_at_the_document() -> None:
    text = "a: 1\n---\nb: 2\n---\nc: 3\n"
    shown = [line for line in block(reported(spot("a.yaml", text, "b"))) if re.match(r"\d \|", line)]
    assert shown == ["3 | b: 2"]


@pytest.mark.parametrize(
    ("text", "marked", "cells"),
    [
        ("a: plain", "plain", 5),
        ("a:\tplain", "plain", 5),
        ("日本: plain", "plain", 5),
        ("a: 日本", "日本", 4),
        ("a: e\u0301e", "e\u0301e", 2),
        ("a: 👍🏽!", "👍🏽", 2),
        ("a: 👩\u200d🚀", "👩\u200d🚀", 2),
        ("a: ❤\ufe0f", "❤\ufe0f", 2),
        ("a: \x1b[1m", "\x1b", 4),
        ("a: \u202e", "\u202e", 6),
    ],
)
def test_marks_lie_under_what_they_mark(text: str, marked: str, cells: int) -> None:
    start = text.index(marked)
    cut = fit(text, start, start + len(marked), 80)
    assert cut.marked == cells
    assert cut.before == width(fit(text[:start], 0, 0, 80).text)


def width(text: str) -> int:
    """Of text without emoji sequences."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


@pytest.mark.parametrize("at", [0, 100, 5_000, 999_990])
def test_a_long_line_is_cut_around_the_mark(at: int) -> None:
    line = "x" * at + "MARKED" + "y" * (1_000_000 - at - 6)
    item = reported(spot("a.json", line, "MARKED"))
    assert underlined(item, replace(OPTIONS, width=60)) == "MARKED"
    assert max(len(row) for row in block(item, replace(OPTIONS, width=60))[2:5]) <= 60


def test_a_mark_longer_than_the_terminal_is_cut() -> None:
    line = "z" * 500
    rows = block(reported(spot("a.yaml", line, line)), replace(OPTIONS, width=60))[2:5]
    assert max(map(len, rows)) <= 60


@given(st.text(st.characters(exclude_characters="\n"), max_size=60), st.data())
def test_any_line_fits(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    cut = fit(line, start, end, 30)
    assert cut.before + cut.marked <= 30
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\ud800-\udfff]", cut.text)


@given(st.text("ab \r\n😀", max_size=12), st.data())
def test_a_region_lies_on_one_line_and_shows_something(text: str, data: st.DataObject) -> None:
    file = SourceFile("a.yaml", text)
    start = data.draw(st.integers(0, len(text)))
    region = region_of(Spot(file, Span(start, data.draw(st.integers(start, len(text))))))
    line = file.line_text(region.line)
    assert 1 <= region.column <= region.end_column <= len(line) + 1
    assert region.text == line[region.column - 1 : region.end_column - 1]
    assert region.text or not line
    assert region.line <= max(text.count("\n") + (not text.endswith("\n")), 1)


def test_notes_are_one_line_each_and_at_most_ten_of_a_rule() -> None:
    rule = make_rule("GL101", Severity.NOTE, "hook_without_delete_policy")
    notes = [reported(spot(f"{number:02}.yaml", JOB, "PreSync"), rule=rule) for number in range(13)]
    lines = full.render(result_of(notes), OPTIONS).splitlines()
    assert lines[0] == "00.yaml:6:30: note GL101 hook-without-delete-policy: it hangs"
    assert lines[10] == "… and 3 more notes of hook-without-delete-policy (concise or json lists all)"
    assert lines[12] == "Found 13 notes in 13 files."


def test_the_closing_lines() -> None:
    assert full.render(sample(), OPTIONS).splitlines()[-3:] == [
        "Found 1 error, 1 warning, 1 note in 3 files (2 suppressed); 1 fixable with --fix --unsafe-fixes.",
        "Not analysed (3): a Helm template (charts/a/templates/x.yaml, charts/a/templates/y.yaml, …)",
        "Not analysed (1): a remote base (base)",
    ]


def test_safe_and_unsafe_fixes_are_counted_apart() -> None:
    result = result_of([job_finding("a.yaml", safe=True), job_finding("b.yaml", safe=True), job_finding("c.yaml")])
    assert "; 2 fixable with --fix, 1 more with --unsafe-fixes." in concise.render(result, OPTIONS)


def test_many_reasons_are_not_all_listed() -> None:
    result = replace(result_of([]), not_analysed=tuple(NotAnalysed("a", f"reason {n:02}") for n in range(15)))
    lines = concise.render(result, OPTIONS).splitlines()
    assert lines[-1] == "Not analysed for 10 more reasons; json lists all."


def test_a_clean_run_says_what_it_looked_at() -> None:
    clean = replace(result_of([], [SourceFile("a.yaml", JOB)]), resources=4, suppressed=1)
    assert full.render(clean, OPTIONS) == "All checks passed: 1 file, 4 objects, 1 rule (1 suppressed).\n"


def test_a_run_that_failed_does_not_say_that_it_passed() -> None:
    assert "passed" not in full.render(result_of([], [SourceFile("a.yaml", JOB)], crashed=True), OPTIONS)
    assert full.render(result_of([]), OPTIONS) == "No files to check.\n"


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in full.render(sample(), OPTIONS)
    coloured = full.render(sample(), replace(OPTIONS, color=True))
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == full.render(sample(), OPTIONS)


def test_paths_are_shown_under_the_root() -> None:
    assert concise.render(sample(), replace(OPTIONS, root="../repo")).startswith("../repo/apps/b.yaml:6:30: note ")
    assert concise.render(sample(), replace(OPTIONS, root=".")).startswith("apps/b.yaml:6:30: note ")


def test_concise_has_one_line_for_a_finding() -> None:
    assert concise.render(sample(), OPTIONS).splitlines()[:3] == [
        "apps/b.yaml:6:30: note GL101 hook-without-delete-policy: a finished Job stays",
        "apps/job.yaml:6:30: warning GL102 hook-without-deadline: "
        "hook Job 'migrate' has no activeDeadlineSeconds; a hanging run blocks every later sync",
        f"broken.yaml:1:5: error GL001 unparsable-file: {SourceFile('b', 'a: [1').problems[0].message}",
    ]


def test_many_findings_of_one_rule_in_one_app_are_shown_as_a_list() -> None:
    items = [replace(reported(spot("a.yaml", JOB, "PreSync")), app="shop") for _ in range(5)]
    text = full.render(result_of(items), OPTIONS)
    assert text.count("= docs") == 3
    assert "GL102 hook-without-deadline: 2 more in shop\n  --> a.yaml:6:" in text
