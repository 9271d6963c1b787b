"""What we put into a cluster's mouth, on the page of facts and in rules, held against what the lab heard (docs/lab.md).

Needs no lab.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.rules import load
from lab import records
from lab.cases import Case, pages
from rule_examples import before_of, files_of
from support import run_rules

ROOT = Path(__file__).parents[2]
QUESTIONS = [
    pytest.param(page, case, id=f"{page}: {case.name}")
    for page, cases in pages(ROOT / "tests" / "lab" / "questions")
    for case in cases
]
SHOWN = [rule for rule in load() if rule.name not in records.not_shown()]
_BLOCK = re.compile(r"(?:^    .*\n)+", re.M)
_CODE = re.compile(r"`([^`]+)`")
_SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,}| → ")
"""What a cluster says has two words in a row, or a field's two sides; a setting in git has neither."""
_QUOTATION = re.compile(r'(?<!\S)\(?"([^"]*)"(?![\w"])')


def _lines(seen: Any) -> Iterator[str]:
    if isinstance(seen, dict):
        for key, value in seen.items():
            yield from (f"{key}: {line}" for line in _lines(value))
    elif isinstance(seen, list):
        for one in seen:
            yield from _lines(one)
    else:
        yield _one_line(str(seen))


def _one_line(text: str) -> str:
    return " ".join(text.split())


HEARD = {
    line
    for folder in (records.ANSWERS, records.FOLDER)
    for path in folder.glob("*.json")
    for line in _lines(json.loads(path.read_text("utf-8")))
}


def _was_heard(quoted: str) -> bool:
    """With gaps where something is left out."""
    said = re.compile(".*".join(re.escape(part.strip()) for part in re.split(r"…|\.\.\.", quoted)))
    return any(said.search(line) for line in HEARD)


def _quoted_as_fact() -> set[str]:
    facts = (ROOT / "docs" / "argocd-facts.md").read_text("utf-8")
    code = (_one_line(text) for text in _CODE.findall(_BLOCK.sub("", facts)))
    return {_one_line(block) for block in _BLOCK.findall(facts)} | {one for one in code if _SENTENCE.search(one)}


def _quoted_by(rule: Rule) -> list[str]:
    """In its manual, and in what it says of its Bad."""
    files = {path: unmarked(text) for path, text in files_of(rule.manual.bad).items()}
    found = run_rules(files, [rule], before_of(rule, rule.manual.bad))
    texts = [rule.manual.summary, rule.manual.why, *(item.finding.message for item in found)]
    quoted = (one for text in texts for one in _QUOTATION.findall(_one_line(text)))
    return [one for one in quoted if _SENTENCE.search(one)]


@pytest.mark.parametrize(("page", "case"), QUESTIONS)
def test_every_question_has_an_answer(page: str, case: Case) -> None:
    path = records.ANSWERS / f"{page}.json"
    runs = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else []
    assert any("end" in run.get(case.name, {}) for run in runs)


@pytest.mark.parametrize("quoted", sorted(_quoted_as_fact()))
def test_what_the_page_of_facts_quotes_was_heard(quoted: str) -> None:
    assert _was_heard(quoted)


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.name)
def test_what_a_rule_quotes_was_heard(rule: Rule) -> None:
    assert [one for one in _quoted_by(rule) if not _was_heard(one)] == []


def test_there_is_something_to_hold_against_it() -> None:
    assert len(_quoted_as_fact()) > 30
    assert sum(bool(_quoted_by(rule)) for rule in SHOWN) > 30
