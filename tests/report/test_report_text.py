"""The formats for people at a terminal."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Finding, Fix, Moment, Note, Severity
from gitops_lint.linter.lint.sight import Sight
from gitops_lint.linter.repo.sources.kustomize_builds import NotAnalysed
from gitops_lint.linter.report import ReportOptions, concise, full
from gitops_lint.linter.report.cells import fit
from gitops_lint.linter.report.choice import chosen
from gitops_lint.linter.report.full import NAMED
from gitops_lint.linter.report.region import region_of
from gitops_lint.linter.yaml.source import Place, SourceFile, Span, Spot
from gitops_lint.rules import load
from hypothesis import given
from hypothesis import strategies as st
from report_samples import JOB, OPTIONS, RULE, job_finding, make_rule, reported, result_of, sample, spot


def block(item: Reported, options: ReportOptions = OPTIONS) -> list[str]:
    return full.render(result_of([item]), replace(options, quiet=True)).split("\n\n")[0].splitlines()


def underlined(item: Reported, options: ReportOptions = OPTIONS) -> str:
    """What stands above the marks."""
    lines = block(item, options)
    number = next(n for n, line in enumerate(lines) if "^" in line)
    start, end = lines[number].index("^"), lines[number].rindex("^") + 1
    return lines[number - 1][start:end]


def error(at: Place, **more: object) -> Reported:
    return reported(at, severity=Severity.ERROR, **more)  # type: ignore[arg-type]


def test_an_error_in_full() -> None:
    item = replace(job_finding(safe=True), severity=Severity.ERROR, applications=("shop",))
    assert block(item) == [
        "error[GL102]: hook Job 'migrate' has no activeDeadlineSeconds; a hanging run blocks every later sync",
        " --> apps/job.yaml:6:30",
        "6 |     argocd.argoproj.io/hook: PreSync",
        "  |                              ^^^^^^^",
        "  = note: apps/job.yaml:2: the Job is here",
        "  = do: set a deadline of ten minutes (--fix applies it)",
        "  = in: Application shop",
        "  = rule: hook-without-deadline",
    ]


def test_a_finding_in_three_parts_says_when_it_bites() -> None:
    finding = Finding(
        spot("a.yaml", JOB, "PreSync"),
        headline="hook Job 'migrate' has no deadline",
        happens="A run that hangs blocks every later sync.",
        do="Set activeDeadlineSeconds.",
        moment=Moment.TROUBLE,
    )
    assert block(Reported(RULE, finding, Severity.WARNING, None)) == [
        "warning[GL102]: hook Job 'migrate' has no deadline",
        " --> a.yaml:6:30",
        "  = A run that hangs blocks every later sync.",
        "  = do: Set activeDeadlineSeconds.",
        "  = rule: hook-without-deadline, when something hangs or fails",
    ]


def test_an_unsafe_fix_names_both_options() -> None:
    assert "  = do: set a deadline of ten minutes (--fix --unsafe-fixes applies it)" in block(job_finding())


def test_without_a_fix_the_manual_says_what_to_do() -> None:
    assert "  = do: set a deadline." in block(reported(spot("a.yaml", JOB, "PreSync")))


def test_other_fixes_are_named_as_alternatives() -> None:
    root = SourceFile("a.yaml", JOB).documents[0].root
    fixes = (Fix("do this", root["kind"].set("A"), True), Fix("do that", root["kind"].set("B")))
    helps = [line for line in block(reported(root["kind"], fixes=fixes)) if "= do" in line]
    assert helps == ["  = do: do this (--fix applies it)", "  = do: or: do that (by hand)"]
    helps = [line for line in block(reported(root["kind"], fixes=fixes[::-1])) if "= do" in line]
    assert helps == ["  = do: do that (--fix --unsafe-fixes applies it)", "  = do: or: do this (--fix applies it)"]


def test_two_related_places_are_named_and_all_where_everything_is_asked_for() -> None:
    at = spot("a.yaml", JOB, "PreSync")
    notes = tuple(Note(spot("a.yaml", JOB, "PreSync"), f"place {number}") for number in range(5))
    item = reported(at, related=notes)
    assert sum("= note" in line for line in block(item)) == 2
    assert sum("= note" in line for line in block(item, replace(OPTIONS, every=True))) == 5


def test_what_is_said_of_the_place_itself_is_shown_without_a_second_look() -> None:
    at = spot("a.yaml", JOB, "PreSync")
    lines = block(reported(at, related=(Note(at, "no fix is offered"),)))
    assert "  = note: no fix is offered" in lines
    assert sum("-->" in line for line in lines) == 1


def test_long_sentences_are_wrapped_and_no_line_becomes_a_command() -> None:
    message = "the fault; " + "word " * 14 + "::error::boo " + "word " * 40
    lines = block(reported(spot("a.yaml", JOB, "PreSync"), message), replace(OPTIONS, width=80))
    assert max(map(len, lines)) <= 80
    assert not any(line.lstrip().startswith("::") for line in lines)


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
    line = "# " + "x" * at + "MARKED" + "y" * (1_000_000 - at - 6)  # a value so long may be a secret, and is hidden
    item = error(spot("a.json", line, "MARKED"))
    assert underlined(item, replace(OPTIONS, width=60)) == "MARKED"
    assert max(len(row) for row in block(item, replace(OPTIONS, width=60))[2:5]) <= 60


def test_a_mark_longer_than_the_terminal_is_cut() -> None:
    line = "z" * 500
    rows = block(error(spot("a.yaml", line, line)), replace(OPTIONS, width=60))[2:5]
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


def test_notes_are_one_line_a_rule() -> None:
    rule = make_rule("GL101", Severity.NOTE, "hook_without_delete_policy")
    notes = [reported(spot(f"{number:02}.yaml", JOB, "PreSync"), rule=rule) for number in range(13)]
    lines = full.render(result_of(notes), OPTIONS).splitlines()
    assert lines[3:5] == [
        "1 note, by rule (--min-severity note shows all, --show RULE one):",
        "  GL101    1  hook-without-delete-policy at 13 places: A hook Job without a deadline can hold its sync open for ever.",
    ]
    assert lines[-1] == "Found 1 note at 13 places."


def test_the_rules_that_were_asked_for_are_never_left_out() -> None:
    rules = [make_rule(f"GL9{number:02}", Severity.NOTE, f"rule_{number}") for number in range(30)]
    rules += [make_rule(f"GL8{number:02}", Severity.NOTE, name.replace("-", "_")) for number, name in enumerate(NAMED)]
    items = [reported(spot("a.yaml", JOB, "PreSync"), rule=rule) for rule in rules for _ in range(2)]
    text = full.render(result_of(items), OPTIONS)
    assert all(f"  {name}" in text for name in NAMED)
    assert "  … and 23 of 23 more rules" in text
    assert {rule.name for rule in load()} >= set(NAMED)


def numbered(severity: Severity, count: int, of: str = "GL102") -> list[Reported]:
    """Findings of as many causes, each in an Application of its own."""
    rule = make_rule(of, severity, f"rule_{of.lower()}")
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    letters = [f"{first} {second}" for first in words for second in words]
    return [
        replace(
            reported(spot(f"{of}/{n:03}.yaml", JOB, "PreSync"), f"{letters[n]} is wrong", rule=rule),
            applications=(f"app{n}",),
        )
        for n in range(count)
    ]


def test_the_worst_comes_first_and_then_what_touches_most_applications() -> None:
    items = [
        *numbered(Severity.NOTE, 1, "GL101"),
        *numbered(Severity.WARNING, 2, "GL501"),
        replace(numbered(Severity.WARNING, 1, "GL601")[0], applications=("a", "b", "c")),
        *numbered(Severity.ERROR, 1, "GL901"),
    ]
    text = full.render(result_of(items), OPTIONS)
    assert re.findall(r"^(?:error|warning)\[(\w+)\]|^  (GL\d+) ", text, re.M) == [
        ("GL901", ""), ("GL601", ""), ("GL501", ""), ("", "GL101"),
    ]  # fmt: skip


def test_what_is_new_comes_first_and_is_marked() -> None:
    first, second = numbered(Severity.WARNING, 2)
    items = [replace(first, is_new=False, applications=("a", "b")), replace(second, is_new=True)]
    result = replace(result_of(items), changed_lines=lambda path: frozenset())
    lines = full.render(result, replace(OPTIONS, every=True)).splitlines()
    assert [line for line in lines if "[GL102]" in line] == [
        "new warning[GL102]: one two is wrong",
        "warning[GL102]: one one is wrong",
    ]
    assert lines[-1] == "Found 2 warnings, 1 of them new."


def test_two_screens_hold_what_a_thousand_objects_without_an_error_give() -> None:
    items = [item for number in range(20) for item in numbered(Severity.WARNING, 12, f"GL6{number:02}")]
    items += [item for number in range(30) for item in numbered(Severity.NOTE, 20, f"GL7{number:02}")]
    lines = full.render(result_of(items), replace(OPTIONS, width=100)).splitlines()
    assert len(lines) <= 80
    assert all(f"[GL6{number:02}]" in "".join(lines) for number in range(20)), "no rule with a warning is left out"


def test_every_error_is_told_but_not_all_in_full() -> None:
    lines = full.render(result_of(numbered(Severity.ERROR, 40)), OPTIONS).splitlines()
    assert sum(line.startswith("error[GL102]") for line in lines) == 40
    assert sum("^" in line for line in lines) == full.OF_ONE_RULE


def test_many_places_of_one_cause_are_one_finding() -> None:
    items = [replace(reported(spot("a.yaml", JOB, "PreSync")), app="shop") for _ in range(6)]
    text = full.render(result_of(items), OPTIONS)
    assert text.count("[GL102]") == 1
    assert "= also: 5 more places: a.yaml:6:30, a.yaml:6:30, a.yaml:6:30 and 2 more (--show GL102)" in text
    assert "and 2 more" not in full.render(result_of(items), replace(OPTIONS, every=True))


@pytest.mark.parametrize(
    ("by", "headings"),
    [
        ("rule", ["GL901 rule-gl901", "GL102 rule-gl102"]),
        ("app", ["app0", "app1"]),
        ("file", ["GL901/000.yaml", "GL102/000.yaml", "GL102/001.yaml"]),
    ],
)
def test_findings_under_headings(by: str, headings: list[str]) -> None:
    items = [*numbered(Severity.WARNING, 2), *numbered(Severity.ERROR, 1, "GL901")]
    text = full.render(result_of(items), replace(OPTIONS, group_by=by, quiet=True))
    assert [line for line in text.splitlines() if line and "[" not in line and "-->" not in line] == headings


def test_quiet_is_findings_only() -> None:
    text = full.render(sample(), replace(OPTIONS, quiet=True))
    assert "Found" not in text
    assert "Read" not in text


def test_the_head_says_what_was_seen_and_assumed() -> None:
    seen = Sight(applications=18, seen_whole=9, sets=3, sets_expanded=3, loose_units=22)
    head = full.render(replace(sample(), sight=seen), OPTIONS).splitlines()[:2]
    assert head == [
        "Read 3 files, 2 objects, 18 Applications (9 seen whole), 3 ApplicationSets (all expanded),",
        "  22 folders that no Application syncs.",
    ] or head == [
        "Read 3 files, 2 objects, 18 Applications (9 seen whole), 3 ApplicationSets (all expanded), 22 folders that no",
        "  Application syncs.",
    ]
    assert (
        "Judged for Argo CD 3.3 (--argocd-version) and any Kubernetes (kubernetes-version is not set)."
        in full.render(sample(), OPTIONS)
    )


def test_only_what_was_asked_for_is_reported_and_the_rest_is_counted() -> None:
    items = [
        *numbered(Severity.WARNING, 2),
        *numbered(Severity.ERROR, 1, "GL901"),
        *numbered(Severity.NOTE, 1, "GL101"),
    ]
    result = result_of(items)
    assert [item.rule.code for item in chosen(result, Severity.WARNING).reported] == ["GL102", "GL102", "GL901"]
    assert [item.rule.code for item in chosen(result, rules=("GL9",)).reported] == ["GL901"]
    assert [item.rule.code for item in chosen(result, app="app1").reported] == ["GL102"]
    assert chosen(result, app="app1").unasked == 3
    assert chosen(result) is result
    assert "passed" not in full.render(chosen(result, app="app9"), OPTIONS)


def test_the_closing_lines() -> None:
    assert full.render(sample(), OPTIONS).splitlines()[-3:] == [
        "Found 1 error, 1 warning, 1 note (2 suppressed); 1 fixable with --fix --unsafe-fixes.",
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
    assert full.render(clean, OPTIONS).splitlines() == [
        "Read 1 file, 4 objects, no Application.",
        "Judged for any version.",
        "All checks passed: 1 file, 4 objects, 1 rule (1 suppressed).",
    ]


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
