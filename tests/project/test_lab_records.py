"""What rules claim, held against what was seen of them in the lab (docs/lab.md). Needs no lab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.lint.manual import unmarked
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Moment, Rule, Severity
from gitops_lint.rules import load
from lab import records
from lab.cases import Case
from lab.outcome import WORDS, outcome
from lab.records import not_shown
from lab.rule_cases import cases_of
from rule_examples import before_of, files_of
from support import CONFIG, run_rules

CLAIMS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "lab" / "claims.json").read_text("utf-8"))
"""Rule → what is seen with Bad and with Good. Where the severity of Bad says more than its outcome, or Good is not
clean, `because` says why, and `shown` has the words of the records, of Bad or of Good, that prove it; `absent` has those
that would prove the contrary. `played` says why pods that fail or hang are no trouble of somebody else, but the fault."""
RULES = {rule.name: rule for rule in load()}
RECORDED = [rule for name, rule in RULES.items() if records.read(name)]
BAD_ENDS = {"cannot be compared", "refused", "deleted", "waits", "never synced", "nothing generated", "nothing applied"}
"""What an error says: the sync fails, or data is lost. A sync that never ends, or never starts, has failed, too."""


NEEDS_HELM = {"helm-chart-fails"}
"""What nobody can say of a chart without Helm, which these tests do without."""
NOT_YET = json.loads((Path(__file__).parents[1] / "lab" / "cases" / "not-yet.json").read_text("utf-8"))
"""Rules that the lab could show and has not shown yet: a debt, and no more than that."""


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.name)
def test_a_rule_has_a_record_or_says_why_not(rule: Rule) -> None:
    told = [bool(records.read(rule.name)), rule.name in not_shown(), rule.name in NOT_YET]
    assert told.count(True) == 1, "`make lab RULES=NAME` makes its record; docs/lab.md has other ways"


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
def test_the_severity_fits_what_was_seen_and_good_is_good(rule: Rule) -> None:
    claim, runs = CLAIMS[rule.name], records.read(rule.name)
    asked = [question for run in runs for question in _left_open(rule, run)]
    assert bool(asked) == ("because" in claim), asked or "the record speaks for itself: it needs no because"
    for name, words in claim.get("shown", {}).items():
        for run in runs:
            for word in _claimed(words, run):
                assert word in _text(run, name), f"{name} on Argo CD {run['argocd']}"
    for name, words in claim.get("absent", {}).items():
        for run in runs:
            for word in words:
                assert word not in _text(run, name), f"{name} on Argo CD {run['argocd']}"
    assert ("because" in claim) == any(claim.get("shown", {}).values()), "a reason is shown, not only told"


def _text(run: dict[str, Any], name: str) -> str:
    return "\n".join(_lines(run[name]["seen"])) if name in run else ""


def _lines(seen: Any) -> Iterator[str]:
    """A record as text, so that words of it can be found, and the order of two lines."""
    if isinstance(seen, dict):
        for key, value in seen.items():
            yield from (f"{key}: {line}" for line in _lines(value)) if isinstance(value, str) else [key, *_lines(value)]
    elif isinstance(seen, list):
        for one in seen:
            yield from _lines(one)
    else:
        yield str(seen)


def _left_open(rule: Rule, run: dict[str, Any]) -> Iterator[str]:
    """What the outcome alone does not explain."""
    bad = set(run["bad"]["outcome"]) if "bad" in run else set()
    severity = _severity(rule, run)
    if severity is Severity.ERROR and not bad & BAD_ENDS:
        yield f"an error, but on Argo CD {run['argocd']} {bad}"
    if severity is Severity.WARNING and bad == {"clean"}:
        yield f"a warning, but on Argo CD {run['argocd']} all is well"
    if "good" in run and run["good"]["outcome"] != ["clean"]:
        yield f"Good on Argo CD {run['argocd']}: {run['good']['outcome']}"


def _severity(rule: Rule, run: dict[str, Any]) -> Severity | None:
    """What Bad is said to be for the versions of the run: a finding may say more, or less, than its rule usually does."""
    return max((item.finding.severity or rule.severity for item in _found(rule, _versions(run))), default=None)


def _versions(run: dict[str, Any]) -> str:
    return f"argocd-version: '{run['argocd']}'\nkubernetes-version: '{run['kubernetes']}'\n"


@cache
def _found(rule: Rule, config: str) -> list[Reported]:
    """In the manual; or in what the lab ran, where the manual leaves out what is too long for it."""
    files = {path: unmarked(text) for path, text in files_of(rule.manual.bad).items()}
    found = run_rules({CONFIG: config, **files}, [rule], before_of(rule, rule.manual.bad))
    return found or run_rules({CONFIG: config, **_bad(rule).files}, [rule])


def _bad(rule: Rule) -> Case:
    return next(iter(cases_of(rule)))


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: rule.name)
def test_what_went_wrong_is_found_for_the_versions_it_was_seen_on(rule: Rule) -> None:
    """And where a version takes Bad well, nothing is said of it, or no more than a note."""
    for run in records.read(rule.name):
        if "bad" in run and rule.name not in NEEDS_HELM:
            severity, is_well = _severity(rule, run), run["bad"]["outcome"] == ["clean"]
            versions = f"Argo CD {run['argocd']}, Kubernetes {run['kubernetes']}"
            assert severity is not None or is_well, f"{versions}: nothing is said of {run['bad']['outcome']}"
            assert not is_well or severity in (None, Severity.NOTE) or "because" in CLAIMS[rule.name], versions


@pytest.mark.parametrize("rule", RECORDED, ids=lambda rule: rule.name)
def test_the_moment_is_the_one_that_the_lab_had_to_bring_about(rule: Rule) -> None:
    """What bites at a sync takes no more than that; trouble, a removal or an upgrade has to be staged to be seen."""
    case, claim = _bad(rule), CLAIMS[rule.name]
    done = {word for step in case.steps for word in step}
    is_troubled = bool({*case.pods.values()} & {"fail", "hang", "crash", "pending"}) or "delete" in done
    for run in records.read(rule.name):
        is_well = "bad" in run and run["bad"]["outcome"] == ["clean"]
        fits = {
            Moment.SYNC: is_troubled == ("played" in claim),
            Moment.INSTALL: case.before is None and "commit" not in done,
            Moment.REMOVAL: bool({"delete", "commit"} & done) or case.before is not None,
            Moment.TROUBLE: is_troubled or is_well,
            Moment.UPGRADE: bool({"create", "commit"} & done) or is_well,
        }
        for moment in {item.finding.moment or rule.moment for item in _found(rule, _versions(run))}:
            assert fits[moment], f"{moment} by {sorted(done)} with {case.pods} on Argo CD {run['argocd']}"


def test_every_claim_is_about_a_record() -> None:
    assert set(CLAIMS) == {rule.name for rule in RECORDED}
    words = {word for claim in CLAIMS.values() for said in (claim["bad"], claim["good"]) for word in _words(said)}
    assert words <= set(WORDS)


def _words(said: Any) -> list[str]:
    return said if isinstance(said, list) else [word for one in said.values() for word in one]
