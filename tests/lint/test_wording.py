"""A headline, what happens, what to do: given by the rule, or cut out of its one text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.rule import Finding, Rule
from gitops_lint.linter.lint.wording import LONGEST_HEADLINE, Wording, shortened, split
from gitops_lint.linter.yaml.source import SourceFile, Span, Spot
from rule_examples import RULES, before_of, files_of
from support import run_rules

PLACE = Spot(SourceFile("a.yaml", "a: 1\n"), Span(0, 1))
ONE_STRING = Path(__file__).parents[1] / "data" / "one_string_messages.txt"
"""The rules whose findings are still one text. The list only shrinks: new rules speak in parts."""


def in_parts() -> Finding:
    return Finding(
        PLACE, headline="hook Job 'a' has no deadline", happens="A run that hangs holds it up.", do="Set one."
    )


def test_parts_make_the_message() -> None:
    finding = in_parts()
    assert finding.message == "hook Job 'a' has no deadline. A run that hangs holds it up. Set one."
    assert finding.wording == Wording("hook Job 'a' has no deadline", "A run that hangs holds it up.", "Set one.")


def test_a_message_is_cut_where_its_first_clause_ends() -> None:
    text = (
        "hook Job 'migrate' has no activeDeadlineSeconds; a run that hangs holds its sync open and every later one out"
    )
    assert split(text) == Wording(
        "hook Job 'migrate' has no activeDeadlineSeconds",
        "A run that hangs holds its sync open and every later one out",
    )
    assert split("too short to be cut; all of it") == Wording("too short to be cut; all of it")


@pytest.mark.parametrize("text", ["x" * 300, "word " * 60, f"Secret '{'n' * 200}' is bad", "a;b. C: d " * 40])
def test_a_headline_is_never_too_long_and_nothing_is_lost(text: str) -> None:
    wording = split(text)
    assert len(wording.headline) <= LONGEST_HEADLINE
    told = f"{wording.headline} {wording.happens}"
    assert wording.happens == " ".join(text.split()) or re.findall(r"\w+", told) == re.findall(r"\w+", text)


def test_long_names_lose_their_middle() -> None:
    headline = f"Secret 'a{'b' * 120}c' is deleted when it leaves git"
    assert shortened(headline).startswith("Secret 'abbb")
    assert shortened(headline).endswith("bbbc' is deleted when it leaves git")
    assert len(shortened(headline)) <= LONGEST_HEADLINE


def test_short_names_go_before_the_end_of_the_sentence() -> None:
    headline = (
        "env of container 'postgres-database' in StatefulSet 'shop-orders-postgres' has 'POSTGRES_PASSWORD' twice"
    )
    assert shortened(headline).endswith(" twice")
    assert len(shortened(headline)) <= LONGEST_HEADLINE


def test_two_names_do_not_become_one() -> None:
    first, later = (f"'payments-of-all-the-shops-{one}-and-their-operator'" for one in ("north", "south"))
    short = shortened(f"Argo CD does not wait for Application {first} before Application {later}")
    assert len(short) <= LONGEST_HEADLINE
    told = re.findall(r"'[^']*'", short)
    assert len(told) == 2
    assert told[0] != told[1]


def test_a_change_of_words_reaches_every_part() -> None:
    louder = in_parts().reworded(str.upper)
    assert louder.message == "HOOK JOB 'A' HAS NO DEADLINE. A RUN THAT HANGS HOLDS IT UP. SET ONE."
    assert Finding(PLACE, "bad").reworded(str.upper).message == "BAD"


def test_a_remark_goes_with_what_happens() -> None:
    assert in_parts().with_remark("only here").wording.happens == "A run that hangs holds it up. Only here."
    assert Finding(PLACE, "bad").with_remark("only here").message == "bad (only here)"


def test_the_parts_outlive_another_change() -> None:
    assert replace(in_parts(), at=PLACE).message == in_parts().message


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_speaks_in_parts(rule: Rule) -> None:
    files = {path: unmarked(text) for path, text in files_of(rule.manual.bad).items()}
    found = [item.finding for item in run_rules(files, [rule], before_of(rule, rule.manual.bad))]
    if rule.name in ONE_STRING.read_text("utf-8").split():
        assert not all(one.headline for one in found), f"take {rule.name} out of {ONE_STRING.name}"
        return
    for one in found:
        assert one.headline, "a headline, what happens, what to do"
        assert len(one.headline) <= LONGEST_HEADLINE
        assert not one.headline.endswith((".", ";", ":"))
        assert all(text.endswith((".", "!", "?")) for text in (one.happens, one.do)), "a sentence each"


def test_the_list_of_old_messages_names_rules() -> None:
    names = ONE_STRING.read_text("utf-8").split()
    assert sorted(set(names)) == names
    assert set(names) <= {rule.name for rule in RULES}
