"""Argo CD's own settings, wherever a repository keeps them, and what they and an Application tell it to ignore."""

from __future__ import annotations

import pytest
from gitops_lint.linter.argocd.argocd_settings import Settings, read_settings
from gitops_lint.linter.argocd.ignored_differences import covers
from gitops_lint.linter.dialects.target_revision import follows_main_line
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.yaml.source import SourceFile

ACTION = ["spec", "endpoints", 0, "relabelings", 1, "action"]


def settings(text: str) -> Settings:
    return read_settings([SourceFile("settings.yaml", text)])


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("data:\n  resource.customizations.health.apps_Deployment: return {}\n", "apps/Deployment", True),
        ("data:\n  resource.customizations.health.apps_Deployment: return {}\n", "apps/StatefulSet", False),
        ("data:\n  resource.customizations.health.Service: return {}\n", "/Service", True),
        ("data:\n  resource.customizations.health._Service: return {}\n", "/Service", True),
        ("data:\n  resource.customizations.health.*.example.com_*: return {}\n", "a.example.com/B", True),
        ("data:\n  # resource.customizations.health.Service: return {}\n", "/Service", False),
        ("data:\n  resource.customizations.actions.Service: x\n", "/Service", False),
        ("x:\n  resource.customizations: |\n    apps/Deployment:\n      health.lua: x\n", "apps/Deployment", True),
        ("x:\n  resource.customizations: |\n    Service:\n      health.lua: x\n", "/Service", True),
        ("x:\n  resource.customizations: |\n    Service:\n      actions: x\n", "/Service", False),
        ("x:\n  resource.customizations: [not, a, text]\n", "/Service", False),
        ("spec:\n  resourceHealthChecks:\n    - {group: apps, kind: Deployment}\n", "apps/Deployment", True),
        ("files:\n  - cm/resource.customizations.health.apps_Deployment\n", "apps/Deployment", True),
        ("files:\n  - cm/resource.customizations\n", "apps/Deployment", True),
        ("helm:\n  values: |\n    cm:\n      resource.customizations.health.Service: x\n", "/Service", True),
        ("helm:\n  values: |\n    cm:\n      # resource.customizations.health.Service: x\n", "/Service", False),
        ("patch: |\n  spec:\n    resourceHealthChecks: [{kind: Service}]\n", "/Service", True),
    ],
)
def test_a_health_check_of_its_own(text: str, kind: str, expected: bool) -> None:
    assert (settings(text).health_check(*kind.split("/")) is not None) is expected


def test_differences_that_are_ignored_for_a_kind() -> None:
    found = settings(
        "data:\n"
        "  resource.customizations.ignoreDifferences.apps_Deployment: |\n    jsonPointers: [/spec/replicas]\n"
        "  resource.customizations.ignoreDifferences.all: |\n    managedFieldsManagers: [kube-scheduler]\n"
        "  resource.customizations: |\n    apps/Deployment:\n      ignoreDifferences: |\n        jsonPointers: [/x]\n"
    )
    assert found.ignored("apps", "Deployment") == [
        {"jsonPointers": ["/spec/replicas"]},
        {"managedFieldsManagers": ["kube-scheduler"]},
        {"jsonPointers": ["/x"]},
    ]
    assert found.ignored("", "Service") == [{"managedFieldsManagers": ["kube-scheduler"]}]


def test_differences_that_the_operator_is_told_to_ignore() -> None:
    found = settings(
        "spec:\n  resourceIgnoreDifferences:\n    all:\n      jsonPointers: [/a]\n    resourceIdentifiers:\n"
        "      - group: apps\n        kind: Deployment\n        customization:\n          jsonPointers: [/b]\n"
    )
    assert found.ignored("apps", "Deployment") == [{"jsonPointers": ["/a"]}, {"jsonPointers": ["/b"]}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('data:\n  controller.diff.server.side: "true"\n', True),
        ("data:\n  controller.diff.server.side: 'false'\n", False),
        ('data:\n  # controller.diff.server.side: "true"\n', False),
        ("literals:\n  - controller.diff.server.side=true\n", True),
    ],
)
def test_server_side_diff_for_the_whole_controller(text: str, expected: bool) -> None:
    assert settings(text).server_side_diff is expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"jsonPointers": ["/spec/endpoints"]}, True),
        ({"jsonPointers": ["/spec/endpoints/0/relabelings/1/action"]}, True),
        ({"jsonPointers": ["/spec/endpoints/1"]}, False),
        ({"jsonPointers": ["spec/endpoints"]}, False),
        ({"jsonPointers": ["/spec/endpoints/0/relabelings/1/action/deeper"]}, False),
        ({"jqPathExpressions": [".spec.endpoints[].relabelings[]?.action"]}, True),
        ({"jqPathExpressions": ['.spec["endpoints"][0]']}, True),
        ({"jqPathExpressions": [".spec.endpoints[1]"]}, False),
        ({"jqPathExpressions": ['.spec.endpoints[] | select(.port == "a") | .relabelings[].action']}, True),
        ({"jqPathExpressions": ['.spec.containers[] | select(.name == "a") | .image']}, False),
        ({"managedFieldsManagers": ["prometheus-operator"]}, True),
        ({"managedFieldsManagers": ["kube-controller-manager"]}, False),
        ({"jsonPointers": "/spec"}, False),
        ({}, True),
    ],
)
def test_a_rule_covers_a_field(rule: dict[str, object], expected: bool) -> None:
    assert covers(rule, ACTION) is expected


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        ("", True),
        ("HEAD", True),
        ("main", True),
        ("refs/heads/master", True),
        ("develop", None),
        ("release/2024", None),
        ("<BRANCH>", None),
        ("v1.2.3", False),
        ("1.2", False),
        ("shop-1.4.0", False),
        ("^2.0.0", False),
        (">= 1.2.0 < 2", False),
        ("3f2a91c", False),
        ("refs/tags/stable", False),
    ],
)
def test_a_revision_means_what_is_checked_out(revision: str, expected: bool | None) -> None:
    assert follows_main_line(revision) is expected


# -- tracking


@pytest.mark.parametrize(
    ("text", "version", "expected"),
    [
        ("", "2.14", True),
        ("", "3.1", False),
        ("", "", False),
        ("data: {application.resourceTrackingMethod: label}\n", "3.1", True),
        ("data: {application.resourceTrackingMethod: annotation}\n", "2.14", False),
        ("data:\n  # application.resourceTrackingMethod: label\n", "3.1", False),
        ("a: {application.resourceTrackingMethod: label}\nb: {application.resourceTrackingMethod: annotation}\n", "", False),
        ("kind: ArgoCD\nspec: {resourceTrackingMethod: label}\n", "3.1", True),
        ("kind: Other\nspec: {resourceTrackingMethod: label}\n", "3.1", False),
        ("helm:\n  values: |\n    cm:\n      application.resourceTrackingMethod: label\n", "3.1", True),
    ],
)  # fmt: skip
def test_whether_a_label_says_what_belongs_to_an_application(text: str, version: str, expected: bool) -> None:
    assert settings(text).tracks_by_label(Versions(Version.parse(version) if version else None)) is expected
