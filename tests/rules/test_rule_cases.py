"""The hard cases of every rule, one Markdown page a rule; `rule_pages` says how one is read."""

from __future__ import annotations

import pytest
from gitops_lint.linter.lint.manual import marks
from gitops_lint.linter.lint.rule import Scope
from gitops_lint.rules import load
from rule_pages import PAGES, Case, cases, check, check_fixed, update
from support import rule_named

SCOPES = (Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE)
CASES = [case for case in cases() if rule_named(case.rule).scope in SCOPES]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, request: pytest.FixtureRequest) -> None:
    assert case.files, "a case without a file"
    if request.config.getoption("update"):
        pytest.skip("the pages are written anew")
    check(case, rule_named(case.rule))


@pytest.mark.parametrize("page", sorted({case.rule for case in CASES}))
def test_update(page: str, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("update"):
        pytest.skip("--update writes what the findings say into the pages")
    update(PAGES / f"{page.replace('-', '_')}.md")


@pytest.mark.parametrize("case", [case for case in CASES if case.fixed], ids=str)
def test_fixed(case: Case) -> None:
    check_fixed(case, rule_named(case.rule))


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.name)
def test_every_rule_has_a_page(rule) -> None:  # type: ignore[no-untyped-def]
    if rule.scope is Scope.CRASH:
        return
    page = PAGES / f"{rule.name.replace('-', '_')}.md"
    assert page.exists(), f"{page.name} is missing"
    silent = [case for case in cases() if case.rule == rule.name and not any(marks(b) for b in case.files.values())]
    assert silent, "a page needs near misses that stay silent"
