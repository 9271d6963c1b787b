"""The versions that a repository shows, and when it shows none."""

from __future__ import annotations

import pytest
from gitops_lint.linter.facts.versions import Version, since
from support import CONFIG, repo_of

SERVER = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: argocd-server}\n"
    "spec: {template: {spec: {containers: [{image: 'quay.io/argoproj/argocd:VERSION'}]}}}\n"
)
PIN = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: argocd}\n"
    "spec: {source: {repoURL: 'https://argoproj.github.io/argo-helm', chart: argo-cd, targetRevision: VERSION}}\n"
)
NEEDS = "dependencies: [{name: argo-cd, version: 10.4.0, repository: 'https://argoproj.github.io/argo-helm'}]\n"


def argocd(files: dict[str, str]) -> str:
    return str(repo_of(files).versions.argocd)


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"a.yaml": SERVER.replace("VERSION", "v3.0.1")}, "3.0"),
        ({"a.yaml": SERVER.replace("VERSION", "v2.14.2").replace("argocd-server", "web")}, "None"),
        ({"a.yaml": SERVER.replace("VERSION", "latest")}, "None"),
        ({"a.yaml": SERVER.replace("VERSION", "v3.0.1"), "b/b.yaml": SERVER.replace("VERSION", "v3.1.0")}, "None"),
        (
            {"kustomization.yaml": "resources:\n  - https://raw.githubusercontent.com/argoproj/argo-cd/v2.9.3/manifests/install.yaml\n"},
            "2.9",
        ),
        ({"kustomization.yaml": "resources: ['https://github.com/argoproj/argo-cd//manifests/ha?ref=v3.1.0']\n"}, "3.1"),
        ({"kustomization.yaml": "images:\n  - name: quay.io/argoproj/argocd\n    newTag: v3.2.1\n"}, "3.2"),
        ({"c/Chart.yaml": "name: argo-cd\nversion: 8.1.0\nappVersion: v3.0.6\n"}, "3.0"),
        # The pins that people use: the version of the chart.
        ({"a.yaml": PIN.replace("VERSION", "8.5.3")}, "3.1"),
        ({"a.yaml": PIN.replace("VERSION", "7.8.*")}, "2.14"),
        ({"a.yaml": PIN.replace("VERSION", "8.x")}, "None"),
        ({"a.yaml": PIN.replace("VERSION", "11.0.0")}, "None"),
        ({"a.yaml": PIN.replace("VERSION", "7.0.20").replace("argoproj.github.io/argo-helm", "charts.bitnami.com/bitnami")}, "None"),
        ({"a.yaml": PIN.replace("VERSION", "10.2.0")}, "None"),
        ({"c/Chart.yaml": f"name: argocd\nversion: 1.0.0\n{NEEDS}"}, "3.5"),
        ({"c/Chart.yaml": f"name: argo-cd\nversion: 1.0.0\nappVersion: v3.0.11\n{NEEDS}"}, "3.5"),
        ({"kustomization.yaml": "helmCharts: [{name: argo-cd, version: 9.4.2, repo: 'https://argoproj.github.io/argo-helm'}]\n"}, "3.3"),
        ({"c/Chart.yaml": "name: apps\nversion: 1.0.0\n", "c/templates/a.yaml": PIN.replace("VERSION", "9.1.0").replace("argocd}", "'{{ .Values.name }}'}")}, "3.2"),
        ({"c/Chart.yaml": "name: apps\nversion: 1.0.0\n", "c/templates/a.yaml": PIN.replace("VERSION", "'{{ .Values.argocd }}'")}, "None"),
    ],
)  # fmt: skip
def test_argocd(files: dict[str, str], version: str) -> None:
    assert argocd(files) == version


def test_a_version_that_sets_have_outgrown_was_installed_once() -> None:
    newer = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec: {templatePatch: ''}\n"
    assert argocd({"a.yaml": SERVER.replace("VERSION", "v2.6.7"), "b.yaml": newer}) == "None"
    assert argocd({"a.yaml": SERVER.replace("VERSION", "v2.9.1"), "b.yaml": newer}) == "2.9"


def test_what_is_set_wins() -> None:
    repo = repo_of({"a.yaml": SERVER.replace("VERSION", "v3.0.1"), CONFIG: 'argocd-version: "3.3"\n'})
    assert repo.versions.argocd == Version(3, 3)
    assert all(resource.versions.argocd == Version(3, 3) for resource in repo.resources)


def test_a_chart_between_two_that_are_known_is_no_older_than_the_first() -> None:
    app = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: argocd}\nspec:\n  source:\n"
        "    repoURL: https://argoproj.github.io/argo-helm\n    chart: argo-cd\n    targetRevision: VERSION\n"
    )
    between = repo_of({"a.yaml": app.replace("VERSION", "10.3.3")}).versions
    assert between.argocd is None
    assert between.oldest_argocd == Version(3, 4)
    assert between.argocd_words == "3.4 or later"
    assert between.has("automated-flags-kept")
    assert not between.has("helm-4")
    assert not between.lacks("helm-4")
    later = repo_of({"a.yaml": app.replace("VERSION", "99.0.0")}).versions
    assert later.argocd is None
    assert later.has("helm-4")
    known = repo_of({"a.yaml": app.replace("VERSION", "9.4.1")}).versions
    assert (known.argocd, known.oldest_argocd) == (Version(3, 3), None)


def test_kubernetes() -> None:
    plane = "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlane\nmetadata: {name: a}\nspec: {version: v1.29.4}\n"
    assert repo_of({"a.yaml": plane}).versions.kubernetes == Version(1, 29)


def test_changes_by_name() -> None:
    versions = repo_of({CONFIG: 'argocd-version: "3.2"\n'}).versions
    assert since("skip-file-marker") == "3.1"
    assert versions.has("skip-file-marker")
    assert versions.lacks("automated-flags-kept")
    unknown = repo_of({}).versions
    assert not unknown.has("skip-file-marker")
    assert not unknown.lacks("skip-file-marker")
