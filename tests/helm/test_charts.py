"""Charts of a repository, rendered for Applications by the real Helm: the same objects as by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chart_repositories import (
    REPO_URL,
    app_named,
    application,
    chart,
    command,
    config_map,
    linted,
    names_in,
    packed,
    printed_by,
    values_of,
    write,
)
from gitops_lint.linter.helm.run.real_helm import RealHelm
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.linter.lint.sight import look
from real_tools import helm as helm4
from real_tools import helm3


@pytest.fixture(params=["Helm 3", "Helm 4"])
def helm(request: pytest.FixtureRequest) -> Path:
    return helm3() if request.param == "Helm 3" else helm4()


SHOP = chart(
    "charts/shop",
    {
        "values.yaml": "color: none\nsize: 1\nlist: []\ntext: ''\nfile: ''\nnested: {a: 1, b: 2}\n",
        "values-prod.yaml": "color: red\nsize: 2\n",
        "big.yaml": "size: 9\n",
        "motd.txt": "hello, world\n",
        "templates/all.yaml": config_map(
            "{{ .Release.Name }}",
            "  namespace: {{ .Release.Namespace }}\ndata:\n"
            "  color: {{ .Values.color | quote }}\n  size: {{ .Values.size | toString | quote }}\n"
            "  list: {{ .Values.list | toJson | quote }}\n  text: {{ .Values.text | toJson | quote }}\n"
            "  file: {{ .Values.file | quote }}\n  nested: {{ .Values.nested | toJson | quote }}\n"
            "  kube: {{ .Capabilities.KubeVersion.Version }}\n"
            '  monitors: {{ .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" | quote }}\n',
        ),
        "templates/tests/test.yaml": config_map("test", "  annotations:\n    helm.sh/hook: test\n"),
        "crds/crd.yaml": (
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x.example.com\n"
        ),
    },
)
OURS = ("charts/shop", "--include-crds", "--namespace", "shops", "--name-template")
HELM_OPTIONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "nothing": ({}, (*OURS, "web")),
    "value files, the last wins": (
        {"valueFiles": ["values-prod.yaml", "/common/blue.yaml"]},
        (*OURS, "web", "-f", "charts/shop/values-prod.yaml", "-f", "common/blue.yaml"),
    ),
    "a path up and down again": (
        {"valueFiles": ["../../common/blue.yaml"]},
        (*OURS, "web", "-f", "common/blue.yaml"),
    ),
    "a missing file that may be missing": (
        {"valueFiles": ["nowhere.yaml", "big.yaml"], "ignoreMissingValueFiles": True},
        (*OURS, "web", "-f", "charts/shop/big.yaml"),
    ),
    "a file by the name of the Application": (
        {"valueFiles": ["/env/$ARGOCD_APP_NAME.yaml"]},
        (*OURS, "web", "-f", "env/web.yaml"),
    ),
    "inline values over files": (
        {"valueFiles": ["values-prod.yaml"], "values": "color: green\nnested:\n  b: 3\n"},
        (*OURS, "web", "-f", "charts/shop/values-prod.yaml", "--set", "color=green,nested.b=3"),
    ),
    "an object of values instead of a text": (
        {"values": "color: black\n", "valuesObject": {"color": "white", "list": ["a", "b"]}},
        (*OURS, "web", "--set", "color=white,list={a,b}"),
    ),
    "parameters over all": (
        {
            "values": "color: green\n",
            "parameters": [
                {"name": "color", "value": "one, two"},
                {"name": "list", "value": "{x,y}"},
                {"name": "nested.a", "value": "7"},
                {"name": "size", "value": "007", "forceString": True},
                {"name": "text", "value": "$ARGOCD_APP_NAME"},
            ],
        },
        (
            *OURS, "web", "--set", "color=one\\, two", "--set", "list={x,y}", "--set", "nested.a=7",
            "--set", "text=web", "--set-string", "size=007",
        ),
    ),
    "a file as a value": (
        {"fileParameters": [{"name": "file", "path": "motd.txt"}]},
        (*OURS, "web", "--set-file", "file=charts/shop/motd.txt"),
    ),
    "another release name": ({"releaseName": "store"}, (*OURS, "store")),
    "another namespace": (
        {"namespace": "other"},
        ("charts/shop", "--include-crds", "--namespace", "other", "--name-template", "web"),
    ),
    "no CRDs": ({"skipCrds": True}, ("charts/shop", "--namespace", "shops", "--name-template", "web")),
    "no tests": ({"skipTests": True}, (*OURS, "web", "--skip-tests")),
    "versions of the cluster": (
        {"kubeVersion": "1.29", "apiVersions": ["monitoring.coreos.com/v1"]},
        (*OURS, "web", "--kube-version", "1.29.0", "--api-versions", "monitoring.coreos.com/v1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HELM_OPTIONS)
def test_options_of_an_application_come_to_what_helm_prints_by_hand(helm: Path, tmp_path: Path, name: str) -> None:
    options, words = HELM_OPTIONS[name]
    files = {"common/blue.yaml": "color: blue\n", "env/web.yaml": "color: web\n"}
    write(tmp_path, {**SHOP, **files, "apps/web.yaml": application("web", "charts/shop", options)})
    app = app_named(linted(tmp_path, helm).repo, "web")
    assert not [one.unresolved or one.failures for one in app.rendered if one.unresolved or one.failures]
    assert values_of(app) == printed_by(helm, tmp_path, *words)


def test_values_of_another_source_of_the_same_application(tmp_path: Path) -> None:
    sources = [
        {"repoURL": REPO_URL, "path": "charts/shop", "helm": {"valueFiles": ["$values/env/web.yaml"]}},
        {"repoURL": REPO_URL, "ref": "values"},
    ]
    write(tmp_path, {**SHOP, "env/web.yaml": "color: lent\n", "a.yaml": application("web", "", sources=sources)})
    app = app_named(linted(tmp_path, helm4()).repo, "web")
    assert values_of(app) == printed_by(helm4(), tmp_path, *OURS, "web", "-f", "env/web.yaml")


def test_overrides_in_the_folder_of_the_chart(tmp_path: Path) -> None:
    overrides = {
        "charts/shop/.argocd-source.yaml": "helm:\n  parameters:\n    - {name: color, value: all}\n",
        "charts/shop/.argocd-source-web.yaml": "helm:\n  releaseName: mine\n",
    }
    apps = {f"{name}.yaml": application(name, "charts/shop") for name in ("web", "api")}
    write(tmp_path, {**SHOP, **overrides, **apps})
    repo = linted(tmp_path, helm4()).repo
    assert values_of(app_named(repo, "web")) == printed_by(helm4(), tmp_path, *OURS, "mine", "--set", "color=all")
    assert values_of(app_named(repo, "api")) == printed_by(helm4(), tmp_path, *OURS, "api", "--set", "color=all")


# -- charts in charts


UMBRELLA = {
    **chart(
        "libs/common",
        {"templates/_names.tpl": '{{ define "common.name" }}{{ .Release.Name }}-{{ .Values.global.team }}{{ end }}\n'},
        "type: library\n",
    ),
    **chart("libs/cache", {"values.yaml": "size: 1\n", "templates/c.yaml": config_map("cache-{{ .Values.size }}")}),
    **chart(
        "shop",
        {
            "values.yaml": (
                "global: {team: none}\nweb: {enabled: true}\nidle: {enabled: false}\ncache: {size: 2}\n"
                "title: 'of {{ .Release.Name }}'\n"
            ),
            "templates/own.yaml": config_map(
                '{{ include "common.name" . }}', "data:\n  title: {{ tpl .Values.title . }}\n"
            ),
            **{
                f"charts/{name}/{path}": text
                for name in ("web", "idle")
                for path, text in {
                    "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n",
                    "templates/o.yaml": config_map("{{ .Chart.Name }}-{{ .Values.global.team }}"),
                }.items()
            },
        },
        "dependencies:\n"
        "  - {name: common, version: 0.1.0, repository: 'file://../libs/common'}\n"
        "  - {name: cache, version: 0.1.0, repository: 'file://../libs/cache'}\n"
        "  - {name: web, version: 1.0.0, condition: web.enabled}\n"
        "  - {name: idle, version: 1.0.0, condition: idle.enabled}\n"
        "  - {name: queue, version: 2.0.0, repository: 'https://charts.example.com'}\n",
    ),
}
QUEUE = {
    "queue/Chart.yaml": "apiVersion: v2\nname: queue\nversion: 2.0.0\n",
    "queue/templates/q.yaml": config_map("queue-{{ .Values.global.team }}"),
}


def test_an_umbrella_chart(helm: Path, tmp_path: Path) -> None:
    options = {"valuesObject": {"global": {"team": "blue"}}}
    write(tmp_path, {**UMBRELLA, "app.yaml": application("store", "shop", options)})
    packed(tmp_path / "shop/charts/queue-2.0.0.tgz", QUEUE)
    run = linted(tmp_path, helm)
    app = app_named(run.repo, "store")
    assert sorted(names_in(app)) == ["cache-2", "queue-blue", "store-blue", "web-blue"]
    (own,) = [value for value in values_of(app) if value["metadata"]["name"] == "store-blue"]
    assert own["data"] == {"title": "of store"}
    assert {build.folder: build.is_rendered for build in run.repo.charts.builds} == {"shop": True}
    assert run.result.not_analysed == ()


def test_a_chart_that_only_lies_in_another_is_not_rendered_by_itself(tmp_path: Path) -> None:
    write(tmp_path, UMBRELLA)
    packed(tmp_path / "shop/charts/queue-2.0.0.tgz", QUEUE)
    builds = linted(tmp_path, helm4()).repo.charts.builds
    # The library cannot be, and the others come with the shop.
    assert [build.folder for build in builds] == ["shop"]


def test_an_archive_that_git_lfs_keeps_is_no_archive_yet(helm: Path, tmp_path: Path) -> None:
    """Argo CD may be told to bring it, so that nothing fails there."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:8e97\nsize 218805\n"
    write(tmp_path, {**UMBRELLA, "shop/charts/queue-2.0.0.tgz": pointer, "app.yaml": application("store", "shop")})
    run = linted(tmp_path, helm)
    assert sorted(names_in(app_named(run.repo, "store"))) == ["cache-2", "store-none", "web-none"]
    told = {item.path: item.detail for item in run.result.not_analysed}
    assert told["shop/charts/queue-2.0.0.tgz"].endswith("was not checked out: `git lfs pull` brings it")
    assert "GL730" not in {one.rule.code for one in run.result.reported}


def test_a_dependency_that_is_not_here_is_named_and_the_rest_is_rendered(helm: Path, tmp_path: Path) -> None:
    write(tmp_path, {**UMBRELLA, "app.yaml": application("store", "shop")})
    run = linted(tmp_path, helm)
    app = app_named(run.repo, "store")
    assert sorted(names_in(app)) == ["cache-2", "store-none", "web-none"]
    (told,) = run.result.not_analysed
    assert (told.path, told.detail) == ("shop/Chart.yaml", "queue 2.0.0")
    assert told.reason == "a dependency of a chart that is not in the repository: `gitops-lint fetch` brings it"
    assert app.rendered[0].unresolved == (f"{told.reason}: queue 2.0.0",)


def test_what_a_packed_chart_prints_is_told_where_it_is_named(helm: Path, tmp_path: Path) -> None:
    """A line of the other chart's template is not known: neither is where the same key stands again."""
    job = (
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations:\n"
        "    argocd.argoproj.io/hook: PreSync\n    team: a\n    team: b\nspec:\n  template:\n    spec:\n"
        "      restartPolicy: Never\n      containers:\n        - {name: migrate, image: registry.example.com/m:1}\n"
    )
    jobs = {"jobs/Chart.yaml": "apiVersion: v2\nname: jobs\nversion: 0.1.0\n", "jobs/templates/job.yaml": job}
    packed(tmp_path / "shop/charts/jobs-0.1.0.tgz", jobs)
    dependency = "dependencies:\n  - {name: jobs, version: 0.1.0, repository: file://../jobs}\n"
    chart_of_shop = f"apiVersion: v2\nname: shop\nversion: 0.1.0\n{dependency}"
    write(tmp_path, {"shop/Chart.yaml": chart_of_shop, "app.yaml": application("store", "shop")})
    told = {one.rule.code: one for one in linted(tmp_path, helm).result.reported if one.file.path == "shop/Chart.yaml"}
    assert told["GL018"].finding.headline == "what is rendered from here has 'team' twice"
    assert str(told["GL102"].severity) == "note"


# -- charts that bring Applications


APPS = chart(
    "root",
    {
        "values.yaml": f"repo: {REPO_URL}\napps:\n  - {{name: web, color: red}}\n  - {{name: api, color: blue}}\n",
        "templates/apps.yaml": (
            "{{- range .Values.apps }}\n---\napiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            "metadata:\n  name: {{ .name }}\n  namespace: argocd\nspec:\n  project: default\n"
            "  source:\n    repoURL: {{ $.Values.repo }}\n    path: charts/shop\n    helm:\n"
            "      valuesObject:\n        color: {{ .color }}\n"
            "  destination:\n    server: https://kubernetes.default.svc\n    namespace: shops\n{{- end }}\n"
        ),
    },
)


def test_applications_out_of_a_chart_are_followed(helm: Path, tmp_path: Path) -> None:
    write(tmp_path, {**SHOP, **APPS, "root.yaml": application("root", "root")})
    repo = linted(tmp_path, helm).repo
    assert names_in(app_named(repo, "root")) == ["web", "api"]
    for name, color in (("web", "red"), ("api", "blue")):
        by_hand = printed_by(helm, tmp_path, *OURS, name, "--set", f"color={color}")
        assert values_of(app_named(repo, name)) == by_hand
    # Nobody renders it with its own values: Applications do.
    rendered = [build for build in repo.charts.builds if build.folder == "charts/shop"]
    assert sorted(build.application.name for build in rendered if build.application) == ["api", "web"]
    assert len(rendered) == 2


def test_a_chart_of_applications_that_nobody_renders_is_followed_with_its_own_values(tmp_path: Path) -> None:
    write(tmp_path, {**SHOP, **APPS})
    repo = linted(tmp_path, helm4()).repo
    assert [app.name for app in repo.applications] == ["web", "api"]
    assert sorted(build.folder for build in repo.charts.builds) == ["charts/shop", "charts/shop", "root"]


def test_applications_of_a_set_have_values_of_their_own(tmp_path: Path) -> None:
    made = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "shops", "namespace": "argocd"},
        "spec": {
            "goTemplate": True,
            "generators": [{"list": {"elements": [{"name": "red"}, {"name": "blue"}]}}],
            "template": {
                "metadata": {"name": "{{ .name }}"},
                "spec": {
                    "project": "default",
                    "source": {
                        "repoURL": REPO_URL,
                        "path": "charts/shop",
                        "helm": {
                            "parameters": [{"name": "color", "value": "{{ .name }}"}],
                            "valueFiles": ["/env/{{ .name }}.yaml"],
                        },
                    },
                    "destination": {"server": "https://kubernetes.default.svc", "namespace": "shops"},
                },
            },
        },
    }
    env = {f"env/{name}.yaml": f"size: {size}\n" for name, size in (("red", 5), ("blue", 6))}
    write(tmp_path, {**SHOP, **env, "set.yaml": json.dumps(made)})
    repo = linted(tmp_path, helm4()).repo
    for name in ("red", "blue"):
        words = (*OURS, name, "-f", f"env/{name}.yaml", "--set", f"color={name}")
        assert values_of(app_named(repo, name)) == printed_by(helm4(), tmp_path, *words)


# -- charts that nobody renders


def test_a_chart_without_an_application_is_rendered_with_its_own_values_not_with_those_of_its_tests(
    tmp_path: Path,
) -> None:
    others = {"charts/shop/ci/big-values.yaml": "color: big\n", "charts/shop/values-prod.yaml": "color: prod\n"}
    write(tmp_path, {**SHOP, **others})
    repo = linted(tmp_path, helm4()).repo
    assert [app.name for app in repo.apps] == ["charts/shop"]
    words = ("charts/shop", "--include-crds", "--namespace", "default", "--name-template", "release-name")
    assert values_of(repo.apps[0]) == printed_by(helm4(), tmp_path, *words)


CHILD = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: "shop-{{ .Values.env }}"}
spec:
  source: {repoURL: "https://git.example.com/shop.git", path: "shop/{{ .Values.env }}"}
  destination: {server: "https://kubernetes.default.svc"}
"""


def test_a_chart_of_applications_that_nobody_points_at_is_rendered_with_the_values_of_each_environment(
    tmp_path: Path,
) -> None:
    files = {
        "root/Chart.yaml": "apiVersion: v2\nname: root\nversion: 1.0.0\n",
        "root/templates/apps.yaml": CHILD,
        "root/values.yaml": "env: nowhere\n",
        "root/values-dev.yaml": "env: dev\n",
        "root/values_prod.yaml": "env: prod\n",
        "root/values-example.yaml": "env: example\n",
        "shop/dev/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dev}\n",
        "shop/prod/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: prod}\n",
    }
    write(tmp_path, files)
    repo = linted(tmp_path, helm4()).repo
    assert [(app.name, [one.name for one in app.resources]) for app in repo.applications] == [
        ("shop-dev", ["dev"]),
        ("shop-prod", ["prod"]),
    ]
    write(tmp_path, {"root/values-dev.yaml": "env: [\n", "root/values_prod.yaml": "env: [\n"})
    assert [app.name for app in linted(tmp_path, helm4()).repo.applications] == ["shop-nowhere"]


def test_environments_may_have_folders_of_their_own(tmp_path: Path) -> None:
    """All files of one belong together, what is common first; examples are none."""
    files = {
        "root/Chart.yaml": "apiVersion: v2\nname: root\nversion: 1.0.0\n",
        "root/templates/apps.yaml": CHILD,
        "root/envs/dev.yaml": "env: dev\n",
        "root/envs/prod/values.yaml": "env: prod\n",
        "root/envs/prod/zone.yaml": "env: nowhere\n",
        "root/envs/_example/values.yaml": "env: example\n",
        "root/envs/object.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: no-values}\n",
        "shop/dev/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dev}\n",
        "shop/prod/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: prod}\n",
    }
    write(tmp_path, files)
    found = [app.application for app in linted(tmp_path, helm4()).repo.applications if app.application]
    assert [(one.name, one.resource.tentative) for one in found] == [("shop-dev", False), ("shop-prod", True)]


def test_a_chart_that_brings_the_application_that_renders_it_is_one_sync(tmp_path: Path) -> None:
    root = CHILD.replace("shop-{{ .Values.env }}", "root").replace("shop/{{ .Values.env }}", "root")
    files = {
        "root/Chart.yaml": "apiVersion: v2\nname: root\nversion: 1.0.0\n",
        "root/templates/root.yaml": root,
        "root/templates/shop.yaml": CHILD,
        "root/templates/set.yaml": (
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: {{ .Values.env }}}\n"
            "spec: {generators: [{list: {elements: [{}]}}], template: {metadata: {name: made}, spec: {source: {}}}}\n"
        ),
        "root/values.yaml": "env: prod\n",
        "shop/prod/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: prod}\n",
    }
    write(tmp_path, files)
    repo = linted(tmp_path, helm4()).repo
    assert sorted(app.name for app in repo.apps) == ["made", "root", "shop-prod"]
    assert [app.name for app in repo.managers(repo.argocd.sets[0].resource)] == ["root"]
    (shop,) = [app.application for app in repo.applications if app.application and app.name == "shop-prod"]
    assert [app.name for app in repo.managers(shop.resource)] == ["root"]
    assert not shop.resource.tentative


# -- commands


def test_render_prints_what_helm_prints_with_the_places(tmp_path: Path) -> None:
    write(tmp_path, {**SHOP, "env.yaml": "color: mine\n", ".git/config": ""})
    words = ("--release-name", "store", "--namespace", "n", "--skip-crds", "-f", "env.yaml", "--helm", str(helm4()))
    done = command(tmp_path, "render", "charts/shop", *words, "--output-format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    by_hand = ("charts/shop", "--namespace", "n", "--name-template", "store", "--set", "color=mine")
    assert [one["object"] for one in printed] == printed_by(helm4(), tmp_path, *by_hand)
    assert [one["origin"]["path"] for one in printed] == [
        "charts/shop/templates/all.yaml",
        "charts/shop/templates/tests/test.yaml",
    ]


def test_render_plan_and_apps_know_the_application_of_a_chart(tmp_path: Path) -> None:
    write(tmp_path, {**SHOP, "app.yaml": application("web", "charts/shop", {"skipTests": True}), ".git/config": ""})
    helm = ("--helm", str(helm4()))
    render = command(tmp_path, "render", "--app", "web", *helm)
    assert (render.returncode, render.stderr) == (0, "")
    assert "# web: charts/shop/templates/all.yaml:1\n" in render.stdout
    assert "namespace: shops" in render.stdout
    apps = command(tmp_path, "apps", *helm)
    assert "web charts/shop in-cluster/shops 2 whole" in " ".join(apps.stdout.split())
    plan = command(tmp_path, "plan", "--app", "web", *helm)
    assert plan.returncode == 0
    assert "ConfigMap" in plan.stdout
    assert "CustomResourceDefinition" in plan.stdout


def test_a_value_file_from_outside_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "repo", {**SHOP, ".git/config": ""})
    write(tmp_path, {"secret.yaml": "color: hush\n"})
    done = command(tmp_path / "repo", "render", "charts/shop", "-f", "../secret.yaml", "--helm", str(helm4()))
    assert done.returncode == 1
    assert "a value file has to be below" in done.stderr
    assert "hush" not in done.stdout


def test_a_chart_that_does_not_render_is_told_with_helms_reason_and_line(helm: Path, tmp_path: Path) -> None:
    bad = chart("bad", {"templates/a.yaml": config_map("a", 'data:\n  b: {{ required "say b" .Values.b }}\n')})
    write(tmp_path, {**bad, ".git/config": ""})
    done = command(tmp_path, "render", "bad", "--helm", str(helm))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: bad/templates/a.yaml:6:3: execution error at (bad/templates/a.yaml:6:8): say b\n"
    (build,) = linted(tmp_path, helm).repo.charts.builds
    (refusal,) = build.refusals
    assert (build.is_rendered, refusal.is_ours) == (False, False)
    position = refusal.at.file.position(refusal.at.span.start)
    assert (refusal.at.file.path, position.line) == ("bad/templates/a.yaml", 6)


def test_the_line_is_that_of_the_named_template_that_fails(tmp_path: Path) -> None:
    files = {
        "templates/_helpers.tpl": '{{ define "x" }}\na: {{ .Values.x.y }}\n{{ end }}\n',
        "templates/a.yaml": config_map("a", 'data:\n  {{ include "x" . | nindent 2 }}\n'),
    }
    write(tmp_path, {**chart("bad", files), ".git/config": ""})
    done = command(tmp_path, "render", "bad", "--helm", str(helm4()))
    assert done.stderr.startswith("error: bad/templates/_helpers.tpl:2:")
    assert "nil pointer evaluating interface {}.y" in done.stderr


def test_a_schema_that_was_not_asked_is_told(tmp_path: Path) -> None:
    schema = '{"$ref": "https://schemas.example.com/values.json"}'
    write(tmp_path, chart("c", {"values.schema.json": schema, "templates/a.yaml": config_map("a")}))
    told = [(item.path, item.reason) for item in linted(tmp_path, helm4()).repo.not_analysed]
    assert told == [("c/Chart.yaml", "values that were not held against their schema")]


def test_of_an_application_that_fails_nothing_else_is_said_to_be_missing(tmp_path: Path) -> None:
    bad = chart("c", {"templates/a.yaml": config_map("a", 'data:\n  b: {{ required "say b" .Values.b }}\n')})
    argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: c\nspec:\n  source:\n"
    write(tmp_path, {**bad, "app.yaml": f"{argo}    repoURL: https://example.com/r.git\n    path: c\n"})
    repo = linted(tmp_path, helm4()).repo
    (app,) = repo.applications
    assert [(one.unresolved, len(one.failures)) for one in app.rendered] == [((), 1)]
    assert not app.is_complete
    assert [(one.path, one.reason) for one in look(repo).unseen] == [
        ("app.yaml", "Argo CD cannot generate all manifests of an Application")
    ]


def test_an_application_whose_schema_was_not_asked_has_all_its_objects(tmp_path: Path) -> None:
    schema = '{"$ref": "https://schemas.example.com/values.json"}'
    files = chart("c", {"values.schema.json": schema, "templates/a.yaml": config_map("a")})
    source = "repoURL: https://example.com/r.git\n    path: c\n"
    argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: c\nspec:\n  source:\n    "
    write(tmp_path, {**files, "app.yaml": f"{argo}{source}"})
    result = linted(tmp_path, helm4())
    (app,) = result.repo.applications
    assert app.is_complete
    assert [item.reason for item in result.repo.not_analysed] == ["values that were not held against their schema"]


def test_a_file_that_helm_is_not_given_is_told(tmp_path: Path) -> None:
    write(tmp_path / "repo", {**chart("c", {"templates/a.yaml": config_map("a")}), ".git/config": ""})
    (tmp_path / "outside.txt").write_text("secret")
    (tmp_path / "repo/c/notes.txt").symlink_to(tmp_path / "outside.txt")
    told = [(item.path, item.reason) for item in linted(tmp_path / "repo", helm4()).repo.not_analysed]
    assert told == [("c/notes.txt", "a file that Helm was not given")]


def test_a_root_whose_chart_brings_itself_has_its_children(tmp_path: Path) -> None:
    """Its children are first read with the chart's own values, and then with those that it gives."""
    operator = {
        "repoURL": "https://charts.external-secrets.io",
        "chart": "external-secrets",
        "targetRevision": "0.18.1",
    }
    secret = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: repo}\n"
    root = application("root", "bootstrap", {"valueFiles": ["values.yaml"]})
    templates = {
        "values.yaml": "a: 1\n",
        "templates/root.yaml": root,
        "templates/operator.yaml": application("external-secrets", "", source=operator),
        "templates/secret.yaml": secret,
    }
    write(tmp_path, chart("bootstrap", templates))
    (found,) = linted(tmp_path, helm4(), "cr-without-crd-skip-dry-run").result.reported
    assert str(found.severity) == "error"
    assert found.finding.never_heals


HOOK = """\
{{ range until 1 }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $.Release.Name }}-{{ . }}
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}
{{ end }}
"""


def test_no_rule_starts_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of charts are asked for when the rules have run, all at once; no finding is lost or misplaced by it."""
    write(
        tmp_path,
        {**chart("a", {"templates/a.yaml": HOOK}), **chart("b", {"templates/b.yaml": HOOK}), ".git/config": ""},
    )
    inside: list[str] = []
    within: list[str] = []
    look, render = Run._look, RealHelm._render

    def looking(self: Run, rule: Rule, *rest: Any) -> None:
        inside.append(rule.name)
        try:
            look(self, rule, *rest)
        finally:
            inside.pop()

    def rendering(self: RealHelm, *key: Any) -> Any:
        within.extend(inside)
        return render(self, *key)

    monkeypatch.setattr(Run, "_look", looking)
    monkeypatch.setattr(RealHelm, "_render", rendering)
    found = linted(tmp_path, helm4())
    assert within == []
    places = {(one.rule.name, one.file.path, one.start.line) for one in found.result.reported}
    assert {("hook-without-deadline", f"{name}/templates/{name}.yaml", 7) for name in "ab"} <= places
