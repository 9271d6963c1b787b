"""What rules claim, held against what was seen of them in the lab (docs/lab.md). Needs no lab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.lint.rule import Rule, Severity
from gitops_lint.rules import load
from lab import records
from lab.outcome import WORDS, outcome
from lab.records import not_shown
from lab.rule_cases import cases_of

CLAIMS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "lab" / "claims.json").read_text("utf-8"))
"""Rule → what is seen with Bad and with Good; `because` where the severity says more, or less, than that."""
RULES = {rule.name: rule for rule in load()}
RECORDED = [rule for name, rule in RULES.items() if records.read(name)]
BAD_ENDS = {"cannot be compared", "refused", "deleted", "waits", "never synced", "nothing generated", "nothing applied"}
"""What an error says: the sync fails, or data is lost. A sync that never ends, or never starts, has failed, too."""


NOT_YET = json.loads((Path(__file__).parents[1] / "lab" / "cases" / "not-yet.json").read_text("utf-8"))
"""Rules that the lab could show and has not shown yet: a debt, and no more than that."""


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_has_a_record_or_says_why_not(rule: Rule) -> None:
    assert [bool(records.read(rule.name)), rule.name in not_shown(), rule.name in NOT_YET].count(True) == 1


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: rule.name)
def test_a_record_is_of_the_example_as_it_is(rule: Rule) -> None:
    """An example that changed was never seen: its record goes, until the lab has run it."""
    now = {case.name.lower(): case.digest for case in cases_of(rule)}
    for run in records.read(rule.name):
        assert all(run[name]["made of"] == now.get(name) for name in ("bad", "good") if name in run)


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: rule.name)
def test_a_record_shows_what_the_rule_claims(rule: Rule) -> None:
    claim = CLAIMS[rule.name]
    for run in records.read(rule.name):
        for name in ("bad", "good"):
            if name in run:
                entry = run[name]
                assert "the lab failed" not in entry["seen"]
                assert entry["outcome"] == outcome(entry["seen"]), "the words of a record are made, not written"
                assert entry["outcome"] == _claimed(claim[name], run), f"{name} on Argo CD {run['argocd']}"


def _claimed(said: Any, run: dict[str, Any]) -> list[str]:
    """A list, or one a line of Argo CD where they differ."""
    found: list[str] = said if isinstance(said, list) else said[run["argocd"].rpartition(".")[0]]
    return found


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: rule.name)
def test_the_severity_fits_what_was_seen(rule: Rule) -> None:
    claim = CLAIMS[rule.name]
    if "because" in claim:
        return
    for run in records.read(rule.name):
        seen = set(run["bad"]["outcome"]) if "bad" in run else set()
        if rule.severity is Severity.ERROR:
            assert seen & BAD_ENDS, f"an error, but on Argo CD {run['argocd']} {seen}"
        elif rule.severity is Severity.WARNING:
            assert seen != {"clean"}, f"a warning, but on Argo CD {run['argocd']} all is well"


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: rule.name)
def test_good_is_good(rule: Rule) -> None:
    claim = CLAIMS[rule.name]
    for run in records.read(rule.name):
        if "good" in run and run["good"]["outcome"] != ["clean"]:
            assert "because" in claim, f"Good on Argo CD {run['argocd']}: {run['good']['outcome']}"


def test_every_claim_is_about_a_record() -> None:
    assert set(CLAIMS) == {rule.name for rule in RECORDED}
    words = {word for claim in CLAIMS.values() for said in (claim["bad"], claim["good"]) for word in _words(said)}
    assert words <= set(WORDS)


def _words(said: Any) -> list[str]:
    return said if isinstance(said, list) else [word for one in said.values() for word in one]
