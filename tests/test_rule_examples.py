"""Every rule's manual, run: Bad is found where it says, Good is silent, the fix makes the one the other."""

import re
from pathlib import Path

import pytest
from gitops_lint.linter.lint.manual import marks, unmarked
from gitops_lint.linter.lint.rule import Rule, Scope
from gitops_lint.rules import load
from support import run_rules

# What no text can show (a file without permission, say) has a test file of its own name instead.
OWN_TESTS = {path.stem.removeprefix("test_").replace("_", "-") for path in Path(__file__).parent.glob("test_*.py")}
FILE_NAME = re.compile(
    r"^(?:---\n)?(?=# ((?:(?:before|both): )?(?:[\w.-]+/)*(?:[\w.-]+\.(?:ya?ml|json|lock|tpl|txt)|Kustomization))$)",
    re.MULTILINE,
)
"""In an example of several files, or of one whose name matters: a comment at the head of each names it.

For a rule about a change `# before: NAME` is the file as it was, `# both: NAME` one that stays the same.
"""
RULES = [
    rule
    for rule in load()
    if rule.scope in (Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE)
    and (rule.manual.bad or rule.name not in OWN_TESTS)
]


def files_of(example: str) -> dict[str, str]:
    """The files of an example; of one about a change, those after it."""
    head, *parts = FILE_NAME.split(example)
    named = [(name.rpartition(": "), text) for name, text in zip(parts[::2], parts[1::2], strict=True)]
    files = {name: text.replace(f"# {word}: ", "# ", 1) for (word, _, name), text in named if word != "before"}
    return files or {"manifest.yaml": head}


def before_of(rule: Rule, example: str) -> dict[str, str] | None:
    """The other revision; None for a rule that is not about a change."""
    if rule.scope is not Scope.CHANGE:
        return None
    _, *parts = FILE_NAME.split(unmarked(example))
    named = [(name.rpartition(": "), text) for name, text in zip(parts[::2], parts[1::2], strict=True)]
    return {name: text.replace(f"# {word}: ", "# ", 1) for (word, _, name), text in named if word}


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
