"""Everything that is known to break syncs has a rule, or a written reason why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checkout import ROOT
from gitops_lint.linter.facts.tables import table
from gitops_lint.rules import load

PRECURSORS: dict[str, list[str]] = table("precursors.json")["precursors"]
PAGE = (Path(ROOT) / "docs/why-not.md").read_text()


@pytest.mark.parametrize("name", [name for name, rules in PRECURSORS.items() if rules])
def test_the_rules_of_a_precursor_are_there(name: str) -> None:
    assert set(PRECURSORS[name]) <= {rule.name for rule in load()}


def test_what_has_no_rule_has_a_paragraph_and_nothing_else_has() -> None:
    explained = re.findall(r"^## (\S+)$", PAGE, re.MULTILINE)
    assert sorted(explained) == sorted(name for name, rules in PRECURSORS.items() if not rules)


def test_every_paragraph_says_something() -> None:
    for paragraph in re.split(r"^## \S+$", PAGE, flags=re.MULTILINE)[1:]:
        assert len(paragraph.split()) >= 12
