"""How the options of an Application grade a finding; a page of cases knows no Application yet."""

from dataclasses import replace

import pytest
from gitops_lint.linter.model import AppOptions
from gitops_lint.linter.rule import Severity
from support import repo_of, rule_named

SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: database\n"


@pytest.mark.parametrize(
    ("prunes", "severity"), [(True, Severity.WARNING), (False, Severity.NOTE), (None, Severity.NOTE)]
)
def test_a_secret_is_a_warning_only_where_pruning_is_automatic(prunes: bool | None, severity: Severity) -> None:
    (app,) = repo_of({"secret.yaml": SECRET}).apps
    (finding,) = rule_named("secret-without-prune-protection").check(replace(app, options=AppOptions(prunes=prunes)))
    assert finding.severity is severity
    assert ("prunes automatically" in finding.message) is bool(prunes)
