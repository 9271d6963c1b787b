"""CEL against what the API server's own library answered, and against expressions that would never end."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.dialects.cel import Answer, BadExpression, NotJudged, Verdict, compile_cel
from hypothesis import given, settings
from hypothesis import strategies as st

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "cel_answers.json").read_text())
"""Of Kubernetes 1.34; tests/lab/cel/main.go asks it."""

NOT_TYPED = {
    "1 == 1.0",
    "[1,[2]].flatten() == [1,2]",
    "[[1],[[2]]].flatten(1) == [[1]]",
    "1.0 in [1, 2]",
    "self.items.includes(2)",  # taken from 1.37 on
}
"""Refused by the checker, which knows types before anything is evaluated; here there is none."""


def ours(text: str, values: dict[str, Any]) -> str:
    try:
        verdict = compile_cel(text).ask(values).verdict
    except BadExpression:
        return "refused"
    except NotJudged:
        return "unknown"
    return {Verdict.YES: "true", Verdict.NO: "false", Verdict.ERROR: "failed", Verdict.UNKNOWN: "unknown"}[verdict]


@pytest.mark.parametrize("part", RECORDED)
def test_no_verdict_differs_from_the_api_servers(part: str) -> None:
    values = {"self": RECORDED[part]["self"]}
    wrong = []
    for text, theirs in RECORDED[part]["answers"].items():
        mine = ours(text, values)
        refused_for_types = theirs == "refused" and (mine == "failed" or text in NOT_TYPED)
        if mine not in (theirs, "unknown") and not refused_for_types:
            wrong.append((text, mine, theirs))
    assert wrong == []


def test_hardly_any_verdict_is_left_open() -> None:
    open_ones = {
        text
        for part in RECORDED.values()
        for text, theirs in part["answers"].items()
        if theirs in ("true", "false") and ours(text, {"self": part["self"]}) == "unknown"
    }
    assert open_ones == {
        "strings.quote('a') == '\"a\"'",
        "isURL('https://a:b:c/')",
        "isURL('http://exa mple.com/')",
        "isURL('mailto:a@b.c')",
        "isQuantity('')",
        "isQuantity('Mi')",
        "{'a': 1, 'a': 2} == {'a': 1}",
    }


@pytest.mark.parametrize(
    "text",
    [
        "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d >= 0))))",
        "self.map(a, self.map(b, self.map(c, [a, b, c]))).size() > 0",
        "lists.range(9223372036854775807).size() > 0",
        "['x']" + ".map(a, a + a)" * 80 + ".size() > 0",
        "[[1]]" + ".map(a, a + a)" * 80 + ".size() > 0",
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'" + ".replace('a', 'aaaaaaaaaaaaaaaa')" * 40 + " == ''",
        "self.map(a, self.map(b, self)) == self.map(a, self.map(b, self))",
        "(" * 5_000 + "1" + ")" * 5_000 + " == 1",
        "1" + " + 1" * 4_000 + " == 4001",
        "self" + "[0]" * 4_000 + " == 1",
        "true" + " && true" * 2_000 + " && missing",
        "x" * 30_000,
    ],
)
def test_nothing_takes_long(text: str) -> None:
    started = time.process_time()
    assert ours(text, {"self": list(range(300))}) == "unknown"
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("'" + "a" * 5_000 + "'.matches('(a*)*(a*)*(a*)*b')", "false"),
        ("'" + "a" * 5_000 + "'.findAll('(a|aa)+').size() > 9", "false"),
        ("self.map(a, self).distinct().size() == 1", "true"),
        ("!" * 5_000 + "true", "true"),
    ],
)
def test_what_looks_endless_and_is_not(text: str, answer: str) -> None:
    started = time.process_time()
    assert ours(text, {"self": list(range(300))}) == answer
    assert time.process_time() - started < 2


def test_values_that_are_nested_too_deep() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert ours("a == b", {"a": deep, "b": [deep]}) == "unknown"


def test_an_answer_says_why() -> None:
    assert compile_cel("self.spec.size > 1").ask({"self": {"spec": {}}}) == Answer(Verdict.ERROR, "no such key: size")
    assert compile_cel("authorizer.path('/x').check('get').allowed()").ask({}).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "text", ["self == timestamp('2024-01-01T00:00:00Z')", "self < duration('1h')", "self.getHours() == 1"]
)
def test_a_text_that_a_schema_makes_a_time_of_is_not_judged(text: str) -> None:
    assert ours(text, {"self": "2024-01-01T00:00:00Z"}) == "unknown"


def test_one_part_that_is_known_can_decide() -> None:
    values = {"self": {}}
    assert ours("unknown() && false", values) == "false"
    assert ours("self.missing == 1 || unknown() || true", values) == "true"
    assert ours("self.missing == 1 || unknown()", values) == "unknown"
    assert ours("[1, 2].exists(x, x == 2 || unknown())", values) == "true"


def test_names_that_are_no_names_of_cel_are_written_in_its_way() -> None:
    values = {"self": {"namespace": "a", "x-y": 1, "a.b": 2, "c/d": 3, "e__f": 4}}
    for text in (
        "__namespace__ == 'a'",
        "x__dash__y == 1",
        "a__dot__b == 2",
        "c__slash__d == 3",
        "e__underscores__f == 4",
    ):
        assert ours(f"self.{text}", values) == "true", text


def test_a_program_knows_what_it_takes_from_outside() -> None:
    names = compile_cel(
        "self.a == oldSelf.a && self.list.all(x, x > y && sets.contains([x], [1]) && type(x) == int)"
    ).names
    assert names == {"self", "oldSelf", "y"}


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet="ab1.?[](){}'\"\\!&|+-*/%<>=:, inselfxr0u", max_size=60))
def test_any_text_ends_in_an_answer(text: str) -> None:
    assert ours(text, {"self": {"a": 1}}) in {"true", "false", "failed", "unknown", "refused"}
