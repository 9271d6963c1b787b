"""The hard cases of every rule, one Markdown page a rule.

A heading is a repository, a fenced block a file, `# <- here` a finding, no
mark means silence. `# <- here: note` says how it is reported, `# <- here: error at
install` how bad it is and when it bites. A block `yaml fixed` is the file after the fixes.

For rules about a change a block `yaml before` is the file as it was, one of
`yaml both` is the same in both revisions, and any other as it is after the
change: new, if it has no block of before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from gitops_lint.linter.grading import grade, moment_of
from gitops_lint.linter.manual import marks, unmarked
from gitops_lint.linter.result import Reported
from gitops_lint.linter.rule import Moment, Scope, Severity
from gitops_lint.rules import load
from support import CONFIG, rule_named, run_rules

PAGES = Path(__file__).parent / "cases"
FENCE = re.compile(
    r"^```(?:yaml|json|text)(?: (?P<word>fixed|before|both)(?= |$))?(?: (?P<path>\S+))?\n(?P<body>.*?)^```$",
    re.M | re.S,
)


@dataclass
class Case:
    rule: str
    title: str
    files: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] | None = None
    """The other revision, if the case is about a change."""

    def add(self, word: str | None, path: str, body: str) -> None:
        if word in ("before", "both"):
            self.before = self.before or {}
            self.before[path] = body if path == CONFIG else unmarked(body)
        if word != "before":
            blocks = self.fixed if word == "fixed" else self.files
            blocks[path] = body

    def __str__(self) -> str:
        return f"{self.rule}: {self.title}"


def cases() -> list[Case]:
    found = []
    for page in sorted(PAGES.glob("*.md")):
        for section in re.split(r"^## ", page.read_text("utf-8"), flags=re.M)[1:]:
            case = Case(page.stem.replace("_", "-"), section.partition("\n")[0].strip())
            for fence in FENCE.finditer(section):
                case.add(fence["word"], fence["path"] or "manifest.yaml", fence["body"])
            if case.before is None and rule_named(case.rule).scope is Scope.CHANGE:
                case.before = {}
            found.append(case)
    return found


def ungraded(item: Reported) -> str:
    """``error at install``: how bad it is and when, whatever severity is made of the two."""
    said = grade(item.rule, item.finding, moments=dict.fromkeys(Moment, Severity.ERROR))
    return f"{said} at {moment_of(item.rule, item.finding)}"


SCOPES = (Scope.RESOURCE, Scope.APP, Scope.REPO, Scope.CHANGE)
CASES = [case for case in cases() if rule_named(case.rule).scope in SCOPES]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    assert case.files, "a case without a file"
    texts = {path: body if path == CONFIG else unmarked(body) for path, body in case.files.items()}
    found = run_rules(texts, [rule_named(case.rule)], case.before)
    got = {(item.file.path, item.start.line): (str(item.severity), ungraded(item)) for item in found}
    assert len(got) == len(found), "two findings of one rule on one line"
    want = {(path, line): severity for path, body in case.files.items() for line, severity in marks(body).items()}
    assert set(got) == set(want), [f"{i.file.path}:{i.start.line} {i.finding.message}" for i in found]
    for place, severity in want.items():
        assert severity in (None, *got[place]), f"{place} is {' or '.join(got[place])}"


@pytest.mark.parametrize("case", [case for case in CASES if case.fixed], ids=str)
def test_fixed(case: Case) -> None:
    from gitops_lint.linter.fix import fix_files

    texts = {path: body if path == CONFIG else unmarked(body) for path, body in case.files.items()}
    fixes = fix_files(run_rules(texts, [rule_named(case.rule)], case.before), unsafe=True)
    after = {fix.file.path: fix.after for fix in fixes}
    for path, body in case.fixed.items():
        assert after.get(path, texts[path]) == body


@pytest.mark.parametrize("rule", load(), ids=lambda rule: rule.name)
def test_every_rule_has_a_page(rule) -> None:  # type: ignore[no-untyped-def]
    if rule.scope is Scope.CRASH:
        return
    page = PAGES / f"{rule.name.replace('-', '_')}.md"
    assert page.exists(), f"{page.name} is missing"
    silent = [case for case in cases() if case.rule == rule.name and not any(marks(b) for b in case.files.values())]
    assert silent, "a page needs near misses that stay silent"
