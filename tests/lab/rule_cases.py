"""The cases of a rule: its Bad and its Good, from its manual or, where that cannot show it, from a page of the lab.

A page `cases/<rule>.md` has a case `Bad`, a case `Good`, or both. A rule that no cluster can show
says why in `cases/not-shown.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.rules import load
from rule_examples import before_of, files_of

from .cases import PAGES, Case, read_page
from .completing import complete
from .records import not_shown

NAMES = ("Bad", "Good")


def rules() -> list[Rule]:
    return [rule for rule in load() if rule.name not in not_shown()]


def cases_of(rule: Rule) -> Iterator[Case]:
    """Bad first: what it leaves in the lab is cleared before Good comes."""
    page = PAGES / f"{rule.name.replace('-', '_')}.md"
    told = {case.name: case for case in read_page(page.read_text("utf-8"))} if page.exists() else {}
    for name in NAMES:
        case = told.get(name) or Case(name)
        if not case.files:
            case = replace(case, **_from_manual(rule, name))
        yield case


def _from_manual(rule: Rule, name: str) -> dict[str, dict[str, str] | None]:
    example = rule.manual.bad if name == "Bad" else rule.manual.good
    before = before_of(rule, example)
    files = {path: unmarked(text) for path, text in files_of(example).items()}
    return {"files": complete(files), "before": complete(before) if before is not None else None}
