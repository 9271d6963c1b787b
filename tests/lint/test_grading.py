"""How bad it is, and when: one place makes one severity of the two."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from git_repository import Checkout
from gitops_lint.linter.cli.main import cli
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.grading import grade
from gitops_lint.linter.lint.rule import Finding, Moment, Rule, Scope, Severity
from gitops_lint.linter.lint.session import Session
from gitops_lint.linter.yaml.source import SourceFile, Span, Spot
from gitops_lint.rules import load

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE
PLACE = Spot(SourceFile("a.yaml", "a: 1\n"), Span(0, 1))


def rule(severity: Severity, moment: Moment, scope: Scope = Scope.RESOURCE) -> Rule:
    return Rule("GL999", severity, lambda _: iter(()), "rules.tests.some_rule", scope, moment)


@pytest.mark.parametrize(
    ("moment", "worst"),
    [(Moment.SYNC, E), (Moment.INSTALL, N), (Moment.REMOVAL, W), (Moment.TROUBLE, W), (Moment.UPGRADE, W)],
)
def test_the_moment_says_how_severe_it_can_be(moment: Moment, worst: Severity) -> None:
    assert grade(rule(E, moment), Finding(PLACE, "x")) is worst
    assert grade(rule(N, moment), Finding(PLACE, "x")) is N, "it raises nothing"


def test_a_finding_has_the_last_word_on_its_moment() -> None:
    assert grade(rule(E, Moment.SYNC), Finding(PLACE, "x", moment=Moment.INSTALL)) is N
    assert grade(rule(E, Moment.INSTALL), Finding(PLACE, "x", moment=Moment.SYNC)) is E


def test_what_a_change_brings_is_a_warning_at_least_where_somebody_can_act() -> None:
    install = rule(E, Moment.INSTALL)
    assert grade(install, Finding(PLACE, "x"), is_new=True) is W
    assert grade(install, Finding(PLACE, "x"), is_new=False) is N
    assert grade(rule(N, Moment.INSTALL), Finding(PLACE, "x"), is_new=True) is N
    assert grade(rule(E, Moment.INSTALL, Scope.CHANGE), Finding(PLACE, "x")) is W, (
        "a rule about changes knows no old ones"
    )
    assert grade(rule(E, Moment.REMOVAL), Finding(PLACE, "x"), is_new=True) is W


def test_what_never_heals_or_loses_data_is_as_bad_as_it_is() -> None:
    assert grade(rule(W, Moment.INSTALL), Finding(PLACE, "x", never_heals=True)) is E
    assert grade(rule(E, Moment.INSTALL), Finding(PLACE, "x", never_heals=True, severity=W)) is W
    assert grade(rule(E, Moment.REMOVAL), Finding(PLACE, "x", loses_data=True)) is E
    assert grade(rule(W, Moment.REMOVAL), Finding(PLACE, "x", loses_data=True)) is W


def test_the_config_raises_a_moment_or_lowers_it() -> None:
    raised = {Moment.INSTALL: E}
    assert grade(rule(E, Moment.INSTALL), Finding(PLACE, "x"), moments=raised) is E
    assert grade(rule(W, Moment.INSTALL), Finding(PLACE, "x"), moments=raised) is W, "how bad it is stays"
    assert grade(rule(E, Moment.INSTALL), Finding(PLACE, "x"), is_new=True, moments={Moment.INSTALL: N}) is N
    assert grade(rule(E, Moment.REMOVAL), Finding(PLACE, "x"), moments={Moment.REMOVAL: N}) is N


def test_what_the_config_says_of_the_rule_itself_wins() -> None:
    assert grade(rule(E, Moment.SYNC), Finding(PLACE, "x", never_heals=True), given=N) is N
    assert grade(rule(N, Moment.INSTALL), Finding(PLACE, "x"), given=E) is E


def test_that_a_rule_failed_is_never_less_than_an_error() -> None:
    crash = rule(E, Moment.SYNC, Scope.CRASH)
    assert grade(crash, Finding(PLACE, "x"), given=N, moments={Moment.SYNC: N}) is E


def test_every_rule_declares_its_moment() -> None:
    assert {one.moment for one in load()} == set(Moment)


CLAIM = """\
apiVersion: v1
kind: Secret
metadata: {name: password}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  priorityClassName: high
  containers: [{name: web, image: a:1, envFrom: [{secretRef: {name: made}}]}]
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: made}
spec: {target: {name: made}}
"""


def _severities(folder: Path, *arguments: str) -> set[str]:
    done = CliRunner().invoke(
        cli, ["check", str(folder), "--select", "GL201", "--output-format", "concise", *arguments]
    )
    return {line.split()[1] for line in done.stdout.splitlines() if "GL201" in line}


def test_the_config_file_says_it(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CLAIM)
    assert _severities(tmp_path) == {"note"}
    config = tmp_path / ".gitops-lint.yaml"
    config.write_text("moments: {install: error}\n")
    assert _severities(tmp_path) == {"warning"}
    config.write_text("severity: {GL201: error}\n")
    assert _severities(tmp_path) == {"error"}
    config.write_text("moments: {instal: error}\n")
    done = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert done.exit_code == 2
    assert "unknown option 'instal' in moments; did you mean 'install'?" in done.stderr
    config.write_text("moments: {install: error}\n")
    done = CliRunner().invoke(cli, ["check", str(tmp_path), "--show-settings"])
    assert "moments: {install: error}  # .gitops-lint.yaml:1" in done.stdout


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.shop.example.com}
spec:
  group: shop.example.com
  names: {kind: Backup, plural: backups}
  scope: Namespaced
  versions: []
"""
RESOURCE = "apiVersion: shop.example.com/v1\nkind: Backup\nmetadata: {{name: {name}}}\n"


def test_a_change_that_brings_the_consumer_makes_a_warning_of_it(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "repo")
    checkout.commit({"crd.yaml": CRD, "old.yaml": RESOURCE.format(name="old")})
    checkout.commit({"new.yaml": RESOURCE.format(name="new")})
    session = Session(Config(), load(), date(2024, 1, 1), diff_base="HEAD~1")
    found = session.lint(session.find((checkout.root,))).result.reported
    assert {item.file.path: item.severity for item in found if item.rule.code == "GL301"} == {
        "old.yaml": N,
        "new.yaml": W,
    }
