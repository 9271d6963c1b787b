"""Every rule's manual, run: Bad is found where it says, Good is silent, the fix makes the one the other."""

from pathlib import Path

import pytest
from gitops_lint.linter.manual import marks, unmarked
from gitops_lint.linter.rule import Rule, Scope
from gitops_lint.rules import load
from support import run_rules

# What no text can show (a file without permission, say) has a test file of its own name instead.
OWN_TESTS = {path.stem.removeprefix("test_").replace("_", "-") for path in Path(__file__).parent.glob("test_*.py")}
RULES = [
    rule
    for rule in load()
    if rule.scope in (Scope.RESOURCE, Scope.APP, Scope.REPO) and (rule.manual.bad or rule.name not in OWN_TESTS)
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_bad_is_found_on_exactly_the_marked_lines(rule: Rule) -> None:
    assert marks(rule.manual.bad), "the Bad example marks no line"
    found = run_rules({"manifest.yaml": unmarked(rule.manual.bad)}, [rule])
    assert [item.start.line for item in found] == list(marks(rule.manual.bad)), [i.finding.message for i in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_good_is_silent(rule: Rule) -> None:
    assert rule.manual.good
    found = run_rules({"manifest.yaml": rule.manual.good}, [rule])
    assert not found, [item.finding.message for item in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_fix_turns_bad_into_good(rule: Rule) -> None:
    from gitops_lint.linter.fix import fix_files

    found = run_rules({"manifest.yaml": unmarked(rule.manual.bad)}, [rule])
    if not any(item.finding.fixes for item in found):
        pytest.skip("this rule offers no fix")
    (fixed,) = fix_files(found, unsafe=True)
    assert fixed.after == rule.manual.good


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
