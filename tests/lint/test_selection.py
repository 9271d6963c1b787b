"""Codes, prefixes, names: which rules run."""

from __future__ import annotations

import pytest
from gitops_lint.linter.lint.rule import Rule, Scope, Severity
from gitops_lint.linter.lint.selection import UnknownRule, most_exact, select


def make(code: str, name: str, *, default: bool = True, scope: Scope = Scope.RESOURCE) -> Rule:
    module = f"rules.topic.{name.replace('-', '_')}"
    return Rule(code, Severity.WARNING, lambda subject: iter(()), module, scope, default=default)


RULES = (
    make("GL000", "internal-error", scope=Scope.CRASH),
    make("GL011", "unused-ignore", scope=Scope.SUPPRESSIONS),
    make("GL101", "hook-without-delete-policy"),
    make("GL102", "hook-without-deadline"),
    make("GL103", "pedantic-hook", default=False),
    make("GL201", "dependency-in-same-wave"),
)


def codes(**words: list[str]) -> str:
    """The digits of the codes that run, without the one that always does."""
    rest = (words.get(option, []) for option in ("extend", "ignore", "insist"))
    chosen = select(RULES, words.get("select"), *rest)
    assert chosen[0].code == "GL000"
    return " ".join(rule.code[2:] for rule in chosen[1:])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, "011 101 102 201"),
        ({"select": ["ALL"]}, "011 101 102 103 201"),
        ({"select": ["GL"]}, "011 101 102 103 201"),
        ({"select": ["GL1"]}, "101 102 103"),
        ({"select": ["gl10"]}, "101 102 103"),
        ({"select": ["GL102"]}, "102"),
        ({"select": ["hook-without-deadline"]}, "102"),
        ({"select": ["Hook-Without-Deadline"]}, "102"),
        ({"select": []}, ""),
        ({"extend": ["pedantic-hook"]}, "011 101 102 103 201"),
        ({"extend": ["GL1"]}, "011 101 102 103 201"),
        ({"ignore": ["GL1"]}, "011 201"),
        ({"ignore": ["ALL"]}, ""),
        ({"ignore": ["ALL"], "extend": ["GL102"]}, "102"),
        ({"ignore": ["GL011"]}, "101 102 201"),
    ],
)
def test_words(words: dict[str, list[str]], expected: str) -> None:
    assert codes(**words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"select": ["GL1"], "ignore": ["GL102"]}, "101 103"),
        ({"select": ["GL102"], "ignore": ["GL1"]}, "102"),
        ({"select": ["GL10"], "ignore": ["GL1"]}, "101 102 103"),
        ({"select": ["ALL"], "ignore": ["GL1"]}, "011 201"),
        ({"select": ["GL1"], "ignore": ["ALL"]}, "101 102 103"),
        ({"select": ["GL1"], "ignore": ["hook-without-deadline"]}, "101 103"),
    ],
)
def test_the_more_exact_word_wins(words: dict[str, list[str]], expected: str) -> None:
    assert codes(**words) == expected


def test_between_equals_ignoring_wins() -> None:
    assert codes(select=["GL1"], ignore=["GL1"]) == ""
    assert codes(select=["GL102"], ignore=["hook-without-deadline"]) == ""


def test_the_command_line_wins_over_an_equally_exact_ignore_of_the_config() -> None:
    assert codes(select=["GL102"], ignore=["hook-without-deadline"], insist=["GL102"]) == "102"
    assert codes(select=["GL1"], ignore=["GL102"], insist=["GL1"]) == "101 103"


def test_the_internal_error_is_always_there() -> None:
    assert [rule.code for rule in select(RULES, ["GL102"], [], ["GL000", "internal-error"])] == ["GL000", "GL102"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("hook-without-dedline", "; did you mean 'hook-without-deadline'?"),
        ("GL112", "; did you mean 'GL"),
        ("hooks", ""),
        ("GL9", ""),
        ("", ""),
        ("x" * 100_000, ""),
    ],
)
def test_an_unknown_word_is_an_error_with_a_suggestion(word: str, meant: str) -> None:
    with pytest.raises(UnknownRule) as raised:
        select(RULES, [word])
    assert str(raised.value).startswith("unknown rule")
    assert meant in str(raised.value)


def test_the_most_exact_value_counts() -> None:
    values = {"ALL": 1, "GL1": 2, "hook-without-deadline": 3}
    assert [most_exact(values, rule) for rule in RULES[1:]] == [1, 2, 3, 2, 1]
    assert most_exact({"GL2": 1}, RULES[2]) is None
