"""Every rule's manual, run: Bad is found where it says, Good is silent, the fix makes the one the other."""

import pytest
from gitops_lint.linter.lint.manual import marks, unmarked
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.rules import load
from rule_examples import RULES, before_of, files_of
from support import run_rules


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_bad_is_found_on_exactly_the_marked_lines(rule: Rule) -> None:
    files = files_of(rule.manual.bad)
    marked = {(path, line) for path, text in files.items() for line in marks(text)}
    assert marked, "the Bad example marks no line"
    found = run_rules({path: unmarked(text) for path, text in files.items()}, [rule], before_of(rule, rule.manual.bad))
    places = [(item.file.path, item.start.line) for item in found]
    assert sorted(places) == sorted(marked), [i.finding.message for i in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_good_is_silent(rule: Rule) -> None:
    assert rule.manual.good
    found = run_rules(files_of(rule.manual.good), [rule], before_of(rule, rule.manual.good))
    assert not found, [item.finding.message for item in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_fix_turns_bad_into_good(rule: Rule) -> None:
    from gitops_lint.linter.fix import fix_files

    files = files_of(unmarked(rule.manual.bad))
    found = run_rules(files, [rule], before_of(rule, rule.manual.bad))
    if not any(item.finding.fixes for item in found):
        pytest.skip("this rule offers no fix")
    fixed = {fix.file.path: fix.after for fix in fix_files(found, unsafe=True)}
    assert {**files, **fixed} == files_of(rule.manual.good)


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.name)
def test_the_manual_is_complete(rule: Rule) -> None:
    assert rule.manual.summary.endswith("."), "the summary is one sentence"
    assert len(rule.manual.summary) <= 100
    assert rule.manual.why
    assert rule.manual.fix


def test_codes_and_names_are_unique_and_well_formed() -> None:
    rules = load()
    assert len({rule.code for rule in rules}) == len(rules)
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.code[:2] == "GL"
        assert rule.code[2:].isdigit()
        assert not rule.name.startswith(("no-", "require-", "must-")), "a name says the fault, not the cure"
