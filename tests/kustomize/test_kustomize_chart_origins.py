"""Charts that kustomizations ask for, in a whole run: where their objects are written, who owns them, what is fixed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from change_samples import application
from git_repository import Checkout
from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.helm.run.helm_choice import OFF, HelmChoice
from gitops_lint.linter.kubernetes.resource import Resource
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.run import Linted
from gitops_lint.linter.lint.session import Session
from gitops_lint.linter.yaml.source import Node
from gitops_lint.rules import load
from real_tools import helm3

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  backoffLimit: 1
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: {{ .Values.image }}
"""
CHART = {
    "overlay/charts/demo/Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
    "overlay/charts/demo/values.yaml": "image: registry.example.com/migrate:one\n",
    "overlay/charts/demo/templates/job.yaml": JOB,
}
OVERLAY = """\
namespace: shop
helmCharts:
  - name: demo
    releaseName: shop
    valuesInline:
      image: registry.example.com/migrate:two
patches:
  - patch: |-
      apiVersion: batch/v1
      kind: Job
      metadata: {name: shop-migrate}
      spec: {backoffLimit: 3}
"""
TEMPLATE = "overlay/charts/demo/templates/job.yaml"
KUSTOMIZATION = "overlay/kustomization.yaml"


def linted(root: Path, helm: str = "", base: str = "", argocd: str = "") -> Linted:
    choice = HelmChoice(helm or str(helm3()), keeps=False)
    config = Config(argocd_version=Version.parse(argocd) if argocd else None)
    session = Session(config, load(), date(2024, 1, 1), helm=choice, diff_base=base)
    return session.lint(session.find((root,)))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path, {"app.yaml": application("shop", "overlay"), KUSTOMIZATION: OVERLAY, **CHART})


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".git").mkdir(exist_ok=True)
    return root


def job(found: Linted) -> Resource:
    (one,) = (one for one in found.repo.resources if one.kind == "Job")
    return one


def place(node: Node) -> tuple[str, int]:
    return node.file.path, node.file.position(node.span.start).line


def of(found: Linted, rule: str) -> list[Reported]:
    return [one for one in found.result.reported if one.rule.name == rule]


def test_each_field_leads_to_the_line_that_it_was_written_on(root: Path) -> None:
    node = job(linted(root)).node
    container = node["spec"]["template"]["spec"]["containers"][0]
    assert container["image"].value == "registry.example.com/migrate:two"
    assert place(node["metadata"]["name"]) == (TEMPLATE, 4)
    assert place(container["name"]) == (TEMPLATE, 14)
    assert place(container["image"]) == (TEMPLATE, 15)
    assert place(node["spec"]["backoffLimit"]) == (KUSTOMIZATION, 12)
    assert place(node["spec"]["activeDeadlineSeconds"])[0] == TEMPLATE


def test_the_namespace_is_set_by_kustomize_before_argocd_3_3_and_left_to_helm_since(root: Path) -> None:
    assert place(job(linted(root, argocd="3.2")).node["metadata"]["namespace"]) == (KUSTOMIZATION, 1)
    assert job(linted(root, argocd="3.4")).node["metadata"]["namespace"].absent


def test_the_story_of_a_value_goes_on_in_the_template_and_in_the_values(root: Path) -> None:
    node = job(linted(root)).node
    limit, image = node["spec"]["backoffLimit"], node["spec"]["template"]["spec"]["containers"][0]["image"]
    assert [(place(at), what) for at, what in limit.document.story(limit)] == [
        ((TEMPLATE, 9), "it takes the place of '1' here")
    ]
    assert [(place(at), what) for at, what in image.document.story(image)] == [
        ((KUSTOMIZATION, 6), "the value comes from here")
    ]


def test_a_finding_is_at_the_template_and_its_fix_goes_there(root: Path) -> None:
    (found,) = of(linted(root), "hook-without-deadline")
    assert place(found.finding.at) == (TEMPLATE, 6)
    (fix,) = found.finding.fixes
    assert fix.patch.document.file.path == TEMPLATE
    assert [one["path"] for one in fix.patch.operations] == ["/spec/activeDeadlineSeconds"]


def test_where_an_action_has_a_say_nothing_is_fixed(root: Path) -> None:
    text = JOB.replace("  backoff", "  {{- if .Values.image }}\n  suspend: false\n  {{- end }}\n  backoff")
    (root / TEMPLATE).write_text(text)
    (found,) = of(linted(root), "hook-without-deadline")
    assert place(found.finding.at) == (TEMPLATE, 6)
    assert found.finding.fixes == ()


def test_an_application_of_such_a_kustomization_is_complete(root: Path) -> None:
    found = linted(root)
    (app,) = (one for one in found.repo.apps if one.application)
    assert app.rendered[0].unresolved == ()
    assert [str(one) for one in app.resources] == [str(job(found))]
    assert found.repo.not_analysed == ()


def test_what_an_application_adds_does_not_render_the_chart_again(root: Path) -> None:
    text = application("shop", "overlay").replace("path: overlay", "path: overlay\n    kustomize: {namePrefix: a-}")
    (root / "app.yaml").write_text(text)
    builds = [one for one in linted(root).repo.kustomize.builds if one.folder == "overlay"]
    names = [one.resources[0].node["metadata"]["name"] for one in builds]
    assert sorted(one.text for one in names) == ["a-shop-migrate", "shop-migrate"]
    kinds = {id(one.parent.parent["kind"].raw) for one in names if one.parent and one.parent.parent}
    assert len(kinds) == 1


def test_its_chart_is_nobody_elses(root: Path) -> None:
    assert [one.folder for one in linted(root).repo.charts.builds] == []
    assert [one.charts for one in linted(root).repo.kustomize.used_builds] == [
        ("overlay/charts/demo", "overlay/charts/demo/values.yaml")
    ]


def test_without_helm_the_chart_is_named_and_read_as_it_stands(root: Path) -> None:
    found = linted(root, OFF)
    reasons = {(one.path, one.reason) for one in found.repo.not_analysed}
    assert (KUSTOMIZATION, "helmCharts: charts are not rendered without Helm") in reasons
    assert [one.folder for one in found.repo.charts.builds] == ["overlay/charts/demo"]
    (app,) = (one for one in found.repo.apps if one.application)
    assert app.rendered[0].unresolved == ("helmCharts: charts are not rendered without Helm: demo",)


def test_what_helm_refuses_is_told_at_the_entry(root: Path) -> None:
    (root / TEMPLATE).write_text('{{ required "a tag is needed" .Values.missing }}\n')
    (found,) = of(linted(root), "kustomize-build-fails")
    assert place(found.finding.at) == (KUSTOMIZATION, 3)
    assert "Helm refuses to render demo: " in found.finding.message
    assert "a tag is needed" in found.finding.message
    assert "Argo CD cannot generate the manifests of Application 'shop'" in found.finding.message


def test_a_missing_dependency_leaves_the_application_incomplete(root: Path) -> None:
    needs = "dependencies:\n  - {name: redis, version: 1.2.3, repository: 'https://charts.example.com'}\n"
    with (root / "overlay/charts/demo/Chart.yaml").open("a") as file:
        file.write(needs)
    (app,) = (one for one in linted(root).repo.apps if one.application)
    assert app.rendered[0].unresolved == (
        "a dependency of a chart that is not in the repository: `gitops-lint fetch` brings it: redis 1.2.3",
    )
    assert [one.kind for one in app.resources] == ["Job"]


def test_a_chart_that_changed_is_rendered_anew(tmp_path: Path) -> None:
    made = Checkout(tmp_path / "repo")
    files = {"app.yaml": application("shop", "overlay"), KUSTOMIZATION: OVERLAY, **CHART}
    made.commit(files | {"outside/Chart.yaml": "apiVersion: v2\nname: outside\nversion: 0.1.0\n"})
    made.commit({TEMPLATE: JOB.replace("restartPolicy: Never", "restartPolicy: OnFailure")})
    change = linted(made.root, base="HEAD~1").change
    assert change is not None
    policies = [
        one.node["spec"]["template"]["spec"]["restartPolicy"].text
        for repo in (change.base, change.head)
        for one in repo.resources
        if one.kind == "Job"
    ]
    assert policies == ["Never", "OnFailure"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{name: ../../../../etc}", "is no name of a chart but a path"),
        ("{name: demo, releaseName: --set=a=b}", "demo: --set=a=b looks like an option of Helm"),
        ("{name: demo, releaseName: '{{ env \"HOME\" }}'}", "the release name is a template"),
        ("{name: demo, namespace: --debug}", "demo: --debug looks like an option of Helm"),
        ("{name: demo, apiVersions: [--debug]}", "demo: --debug looks like an option of Helm"),
        ("{name: demo, kubeVersion: --debug}", "demo: --debug looks like an option of Helm"),
        ("{name: demo, kubeVersion: nonsense}", "Helm refuses to render demo: "),
        ("{name: demo, valuesFile: /etc/passwd}", "/etc/passwd lies outside the folder"),
        ("{name: demo, valuesFile: ../../../../../etc/passwd}", "etc/passwd lies outside the folder"),
        ("{name: demo, additionalValuesFiles: [../app.yaml]}", "../app.yaml lies outside the folder"),
        ("{name: demo, valuesInline: {$patch: nonsense}}", "$patch: nonsense is none of delete, replace, merge"),
        ("{name: [], valuesInline: 3}", "Kustomize wants a text here"),
        ("null", "a chart needs a name"),
        ("{name: .., releaseName: x}", "values.yaml does not exist"),
        ("{name: demo, version: ../../.., repo: https://example.com}", "`gitops-lint fetch` brings it"),
        ("{name: demo, version: ../../../../.., repo: https://example.com}", "outside the repository"),
    ],
)
def test_hostile_entries_end_in_words(root: Path, entry: str, words: str) -> None:
    (root / KUSTOMIZATION).write_text(f"helmCharts:\n  - {entry}\n")
    (build,) = (one for one in linted(root).repo.kustomize.builds if one.folder == "overlay")
    (said,) = [
        *(error.message for error in build.errors),
        *(f"{one.reason} {one.detail}" for one in build.not_analysed),
    ]
    assert words in said
    assert build.resources == ()


def test_a_chart_of_very_many_objects_is_left_out(root: Path) -> None:
    many = '{{ range $n := until 21000 }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: "c{{ $n }}"}\n{{ end }}\n'
    (root / TEMPLATE).write_text(many)
    (root / KUSTOMIZATION).write_text("helmCharts: [{name: demo}]\n")
    (build,) = (one for one in linted(root).repo.kustomize.builds if one.folder == "overlay")
    assert [one.reason for one in build.not_analysed] == ["a build of more than 20,000 objects"]
