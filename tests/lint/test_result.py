"""What a run came to, in the orders that its readers want."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gitops_lint.linter.lint.result import Reported, Result
from gitops_lint.linter.lint.rule import Confidence, Finding, Fix, Rule, Scope, Severity
from gitops_lint.linter.repo.sources.kustomize_builds import NotAnalysed
from gitops_lint.linter.yaml.source import SourceFile, Span, Spot

FILE = SourceFile("a.yaml", "a: 1\nb: 2\nc: 3\nd: 4\n")
E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE


def item(message: str, line: int, severity: Severity = W, scope: Scope = Scope.RESOURCE, **more: object) -> Reported:
    rule = Rule("GL999", severity, lambda _: iter(()), "rules.fake.some_rule", scope)
    finding = Finding(Spot(FILE, Span(5 * line - 5, 5 * line - 4)), message)
    finding = replace(finding, **{key: more.pop(key) for key in ("confidence", "fixes") if key in more})  # type: ignore[arg-type]
    return Reported(rule, finding, severity, None, **more)  # type: ignore[arg-type]


def told(items: tuple[Reported, ...]) -> list[str]:
    return [one.finding.message for one in items]


@pytest.fixture
def result() -> Result:
    found = (
        item("old", 1, is_new=False),
        item("new", 2, is_new=True),
        item("unsure", 2, E, is_new=False, confidence=Confidence.LOW),
        item("of the change", 3, N, Scope.CHANGE, is_new=True),
        item("on a changed line", 4, is_new=False),
        item("worst", 1, E, is_new=False),
    )
    return Result(reported=found, rules=(), changed_lines=lambda path: frozenset((4,) if path == "a.yaml" else ()))


def test_the_worst_first_and_the_surer_ones_before_the_others(result: Result) -> None:
    assert told(result.worst_first) == ["worst", "unsure", "old", "new", "on a changed line", "of the change"]


def test_what_is_on_the_lines_of_a_change_first_then_what_is_new(result: Result) -> None:
    assert told(result.nearest_first) == ["on a changed line", "of the change", "new", "worst", "unsure", "old"]
    assert told(replace(result, changed_lines=None).nearest_first)[:2] == ["of the change", "new"]
    assert [group.first.finding.message for group in result.nearest_groups][:2] == [
        "on a changed line",
        "of the change",
    ]


def test_causes_are_counted_and_not_places() -> None:
    same = [item("Secret 'a' is wrong", line) for line in (1, 2)]
    result = Result(reported=(*same, item("else", 3, E)), rules=())
    assert [result.count(one) for one in (E, W, N)] == [1, 1, 0]


def test_fixes_are_counted_by_whether_they_are_safe() -> None:
    document = SourceFile("b.yaml", "a: 1\n").documents[0].root["a"]
    safe, unsafe = (Fix("x", document.set(2), safe=one) for one in (True, False))
    found = (item("safe", 1, fixes=(safe,)), item("unsafe", 2, fixes=(unsafe,)), item("none", 3))
    result = Result(reported=found, rules=())
    assert (result.fixable(safe=True), result.fixable(safe=False)) == (1, 1)


def test_the_whole_has_what_was_left_out_in_its_place() -> None:
    first, second = item("first", 1), item("second", 2)
    assert told(Result(reported=(second,), rules=(), left_out=(first,)).whole.reported) == ["first", "second"]
    alone = Result(reported=(second,), rules=())
    assert alone.whole is alone


def test_a_place_ends_on_its_line() -> None:
    long = replace(item("x", 1), finding=Finding(Spot(FILE, Span(0, 12)), "x"))
    assert (long.start.line, long.end.line, long.end.column) == (1, 1, 5)
    short = replace(item("x", 1), finding=Finding(Spot(FILE, Span(0, 1)), "x"))
    assert (short.end.line, short.end.column) == (1, 2)


def test_a_run_is_complete_when_everything_was_looked_into() -> None:
    result = Result(reported=(), rules=())
    assert result.is_complete
    assert not replace(result, crashed=True).is_complete
    assert not replace(result, not_analysed=(NotAnalysed("a.yaml", "why"),)).is_complete
