"""What Helm refuses is told with its own reason, at the line that it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.helm.run import real_helm
from gitops_lint.linter.helm.run.helm_choice import HelmChoice
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.load_revisions import read_repo
from gitops_lint.linter.lint.result import Reported
from real_tools import helm
from support import rule_named

CHART = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://example.com/this.git, path: charts/shop, targetRevision: HEAD}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
"""
ASKS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: shop
data:
  host: {{ required "host must be set" .Values.host }}
"""


def fails(root: Path, files: dict[str, str]) -> list[Reported]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    choice = HelmChoice(str(helm()), root.parent / "cache")
    run = Run(read_repo(discover([root]), Config(), helm=choice))
    run.check([rule_named("helm-chart-fails")])
    assert not run.crashes
    return run.reported


def places(found: list[Reported]) -> list[tuple[str, int, str]]:
    return [(item.file.path, item.start.line, str(item.severity)) for item in found]


def test_a_chart_that_an_application_renders(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    found = fails(
        root,
        {"charts/shop/Chart.yaml": CHART, "charts/shop/templates/config.yaml": ASKS, "apps/shop.yaml": APPLICATION},
    )
    assert places(found) == [("charts/shop/templates/config.yaml", 6, "error")]
    assert "with the values of Application 'shop', so Argo CD cannot generate its manifests" in found[0].finding.message
    assert "host must be set" in found[0].finding.message
    assert str(tmp_path) not in found[0].finding.message


def test_the_values_of_the_application_may_mend_it(tmp_path: Path) -> None:
    given = APPLICATION.replace("targetRevision: HEAD", "targetRevision: HEAD, helm: {values: 'host: x'}")
    files = {"charts/shop/Chart.yaml": CHART, "charts/shop/templates/config.yaml": ASKS, "apps/shop.yaml": given}
    assert fails(tmp_path / "repo", files) == []


def test_values_of_an_application_that_nobody_applies_do_not_count(tmp_path: Path) -> None:
    given = APPLICATION.replace("targetRevision: HEAD", "targetRevision: HEAD, helm: {values: 'host: x'}")
    files = {
        "charts/shop/Chart.yaml": CHART,
        "charts/shop/templates/config.yaml": ASKS,
        "apps/shop.yaml": given,
        "apps/old.yaml": APPLICATION.replace("name: shop,", "name: old,"),
        "apps/kustomization.yaml": "resources: [shop.yaml]\n",
    }
    assert fails(tmp_path / "left-out", files) == []
    files["apps/kustomization.yaml"] = "resources: [shop.yaml, old.yaml]\n"
    assert places(fails(tmp_path / "named", files)) == [("charts/shop/templates/config.yaml", 6, "error")]


def test_a_chart_that_nobody_uses_may_want_values(tmp_path: Path) -> None:
    files = {"shop/Chart.yaml": CHART, "shop/templates/config.yaml": ASKS}
    found = fails(tmp_path / "repo", files)
    assert places(found) == [("shop/templates/config.yaml", 6, "note")]
    assert "with its own values, which no Application here uses" in found[0].finding.message


def test_a_library_chart_is_no_failure(tmp_path: Path) -> None:
    files = {"lib/Chart.yaml": f"{CHART}type: library\n", "lib/templates/_helpers.tpl": '{{ define "x" }}{{ end }}\n'}
    assert fails(tmp_path / "repo", files) == []


def test_a_dependency_that_is_not_here_may_be_the_reason(tmp_path: Path) -> None:
    files = {
        "charts/shop/Chart.yaml": f"{CHART}dependencies:\n- {{name: db, version: 1.0.0, repository: https://example.com}}\n",
        "charts/shop/templates/config.yaml": ASKS,
        "apps/shop.yaml": APPLICATION,
    }
    found = fails(tmp_path / "repo", files)
    assert places(found) == [("charts/shop/templates/config.yaml", 6, "note")]
    assert found[0].finding.message.endswith("that Argo CD would fetch")


def test_one_fault_of_two_applications_is_one_finding(tmp_path: Path) -> None:
    files = {
        "charts/shop/Chart.yaml": CHART,
        "charts/shop/templates/config.yaml": ASKS,
        "apps/shop.yaml": APPLICATION,
        "apps/other.yaml": APPLICATION.replace("name: shop,", "name: other,"),
    }
    found = fails(tmp_path / "repo", files)
    assert places(found) == [("charts/shop/templates/config.yaml", 6, "error")]
    assert "(nor of 1 more)" in found[0].finding.message


def test_a_chart_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_helm, "HELM_SECONDS", 1.0)
    endless = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}\n"
    files = {"charts/shop/Chart.yaml": CHART, "charts/shop/templates/x.yaml": endless, "apps/shop.yaml": APPLICATION}
    found = fails(tmp_path / "repo", files)
    assert places(found) == [("charts/shop/Chart.yaml", 2, "warning")]
    assert "charts/shop was not rendered here: took longer than 1 second" in found[0].finding.message
