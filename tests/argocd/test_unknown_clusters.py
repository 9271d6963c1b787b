"""Sets that ask for what is not in the files: expanded for the clusters that are known, else once with blanks."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chart_repositories import REPO_URL, application, chart, linted, session, write
from gitops_lint.linter.argocd.clusters import Cluster, clusters_in
from gitops_lint.linter.lint.sight import look
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.repo.roots import Root
from real_tools import helm3
from support import repo_of

SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: addons, namespace: argocd}}
spec:
  goTemplate: {go}
  generators: {generators}
  template:
    metadata: {{name: 'addons-{name}'}}
    spec:
      project: default
      source: {{repoURL: https://git.example.com/here.git, path: '{path}'}}
      destination: {{server: '{server}', namespace: shop}}
      syncPolicy: {{automated: {{prune: true}}}}
"""
SHOP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\n"
PROD = Cluster("prod", "https://prod", {"env": "prod"}, {"region": "eu"})
DEV = Cluster("dev", "https://dev", {"env": "dev"})


def plain(generators: str, path: str = "shop") -> str:
    return SET.format(go="false", generators=generators, name="{{name}}", path=path, server="{{server}}")


def go(generators: str, path: str = "shop", name: str = "{{.name}}") -> str:
    return SET.format(go="true", generators=generators, name=name, path=path, server="{{.server}}")


def made(text: str, *clusters: Cluster, **files: str) -> list[str]:
    config = json.dumps({"clusters": [one.entry for one in clusters]})
    repo = repo_of({"set.yaml": text, "shop/a.yaml": SHOP, ".gitops-lint.yaml": config, **files})
    return [f"{app.name}: {' '.join(r.name for r in app.resources)}" for app in repo.applications]


@pytest.mark.parametrize("write", [plain, go])
def test_clusters_of_the_config_expand_a_set(write: object) -> None:
    assert callable(write)
    selected = write("[{clusters: {selector: {matchLabels: {env: prod}}}}]")
    assert made(selected, PROD, DEV) == ["addons-prod: shop"]
    every = write("[{clusters: {}}]")
    assert made(every, PROD, DEV) == ["addons-prod: shop", "addons-dev: shop", "addons-in-cluster: shop"]
    assert made(every, Cluster.configured({"name": "in-cluster", "labels": {"a": "b"}})) == ["addons-in-cluster: shop"]


def test_a_selector_that_fits_no_known_cluster_proves_nothing() -> None:
    repo = repo_of({"set.yaml": plain("[{clusters: {selector: {matchLabels: {env: x}}}}]"), "shop/a.yaml": SHOP})
    assert not repo.argocd.sets[0].expansion.problems
    (app,) = repo.applications
    assert (app.name, app.prunes, app.is_complete) == ("addons-{{name}}", True, True)
    sight = look(repo)
    assert (sight.sets_expanded, sight.sets_open) == (0, 1)


def test_a_cluster_of_one_environment_is_not_known_to_another() -> None:
    """The Secret that a kustomization brings along with its sets is of their Argo CD; one by itself is of all."""
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: c, labels: {argocd.argoproj.io/secret-type: cluster}}\n"
    held = "stringData: {name: local, server: 'https://local'}\n"
    patch = "patches: [{target: {kind: ApplicationSet}, patch: '- {op: replace, path: /spec/template/spec/project, value: %s}'}]\n"
    files = {
        "base/kustomization.yaml": "resources: [set.yaml]\n",
        "base/set.yaml": plain("[{clusters: {selector: {matchLabels: {argocd.argoproj.io/secret-type: cluster}}}}]"),
        "dev/kustomization.yaml": "resources: [../base, secret.yaml]\n" + patch % "dev",
        "prod/kustomization.yaml": "resources: [../base]\n" + patch % "prod",
        "shop/a.yaml": SHOP,
    }
    repo = repo_of({**files, "dev/secret.yaml": secret + held})
    assert [(app.name, app.application and app.application.project) for app in repo.applications] == [
        ("addons-local", "dev"),
        ("addons-{{name}}", "prod"),
    ]
    by_itself = files | {"dev/kustomization.yaml": files["dev/kustomization.yaml"].replace(", secret.yaml", "")}
    repo = repo_of({**by_itself, "clusters/local.yaml": secret + held})
    assert [app.name for app in repo.applications] == ["addons-local", "addons-local"]


def test_a_matrix_of_clusters_and_git_expands() -> None:
    both = "[{matrix: {generators: [{clusters: {}}, {git: {repoURL: 'https://git.example.com/here.git',"
    both += " directories: [{path: 'apps/{{name}}/*'}]}}]}}]"
    files = {"apps/prod/web/a.yaml": SHOP, "apps/dev/web/a.yaml": SHOP}
    text = plain(both, "{{path}}").replace("addons-{{name}}", "{{name}}-{{path.basename}}")
    assert made(text, PROD, **files) == ["prod-web: shop"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (plain("[{clusters: {selector: {matchLabels: {env: x}}}}]"), ["addons-{{name}}: shop"]),
        (plain("[{plugin: {configMapRef: {name: x}}}]"), ["addons-{{name}}: shop"]),
        (plain("[{clusters: {selector: {matchLabels: {env: x}}, values: {at: shop}}}]", "{{values.at}}"), ["addons-{{name}}: shop"]),
        (plain("[{clusters: {selector: {matchLabels: {env: shop}}}}]", "{{metadata.labels.env}}"), ["addons-{{name}}: shop"]),
        (go("[{clusters: {selector: {matchLabels: {env: x}}, values: {at: shop}}}]", "{{.values.at}}"), ["addons-{{.name}}: shop"]),
        (go("[{clusters: {selector: {matchLabels: {env: shop}}}}]", "{{.metadata.labels.env}}"), ["addons-{{.name}}: shop"]),
        (go("[{pullRequest: {github: {owner: x, repo: y}}}]", name="{{ .branch | lower }}"), ["addons-{{.branch | lower}}: shop"]),
        (go("[{clusters: {selector: {matchLabels: {env: x}}}}]", name='{{ default "a" .metadata.annotations.b }}'),
            ['addons-{{default "a" .metadata.annotations.b}}: shop']),
        (go("[{clusters: {selector: {matchLabels: {env: x}}}}]", name="{{ if .metadata.labels.b }}c{{ end }}"),
            ["addons-{{ if .metadata.labels.b }}c{{ end }}: shop"]),
        (plain("[{clusters: {selector: {matchLabels: {env: x}}}}]", "{{name}}"), []),
        (go("[{clusters: {selector: {matchLabels: {env: x}}}}]", "{{.cluster}}"), []),
    ],
)  # fmt: skip
def test_what_is_not_known_is_a_blank(text: str, expected: list[str]) -> None:
    assert made(text) == expected


def test_a_matrix_with_something_known_is_seen_once_for_each_of_it() -> None:
    lists = "[{matrix: {generators: [{list: {elements: [{at: shop}, {at: other}]}}, {clusters: {selector: {matchLabels: {a: b}}}}]}}]"
    assert made(go(lists, "{{.at}}"), **{"other/b.yaml": SHOP.replace("shop", "b")}) == [
        "addons-{{.name}}: shop",
        "addons-{{.name}}: b",
    ]


def test_secrets_of_clusters_in_git_are_clusters() -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  labels: {{argocd.argoproj.io/secret-type: cluster, env: prod}}\n{held}"
    encoded = base64.b64encode(b"prod").decode()
    sealed = """\
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: sealed}
spec:
  template: {metadata: {labels: {argocd.argoproj.io/secret-type: cluster, env: dev}}}
"""
    files = {
        "clusters/prod.yaml": secret.format(name="p", held=f"data: {{name: {encoded}}}\nstringData: {{server: 'https://prod'}}"),
        "clusters/sealed.yaml": sealed,
        "clusters/other.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\n",
    }  # fmt: skip
    found = clusters_in(repo_of(files).resources)
    assert [(one.name, one.server, one.labels["env"]) for one in found] == [("prod", "https://prod", "prod"), ("", "", "dev")]  # fmt: skip
    selected = "[{clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}}}]"
    assert made(plain(selected), **files) == ["addons-prod: shop", "addons-{{name}}: shop"]


@pytest.mark.parametrize("name", ["CLUSTER_NAME", "${CLUSTER}", "<cluster>"])
def test_a_secret_to_make_copies_of_is_no_cluster(name: str) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\n  labels: {argocd.argoproj.io/secret-type: cluster}\n"
    file = {"clusters/template.yaml": f"{text}stringData: {{name: '{name}', server: 'https://x'}}\n"}
    assert clusters_in(repo_of(file).resources) == ()


def test_a_chart_is_rendered_with_words_for_the_blanks(tmp_path: Path) -> None:
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-{{ .Values.x }}'}\n"
    schema = '{"properties": {"x": {"enum": ["small", "large"]}}}'
    helm = "helm: {valueFiles: ['{{env}}.yaml'], valuesObject: {x: '{{values.size}}'}}"
    text = plain("[{plugin: {configMapRef: {name: x}}}]").replace("path: 'shop'", f"path: shop, {helm}")
    text = text.replace("https://git.example.com/here.git", REPO_URL)
    write(tmp_path, {"set.yaml": text, **chart("shop", {"templates/a.yaml": template})})
    (app,) = linted(tmp_path, helm3()).repo.applications
    assert [r.name for r in app.resources] == ["addons-name-size"]
    assert app.rendered[0].unresolved == ("its options have blanks that are not known: env, values.size",)
    write(tmp_path, {"shop/values.schema.json": schema})
    result = linted(tmp_path, helm3()).result
    assert not [item.rule.name for item in result.reported if "helm" in item.rule.name]


def test_a_chart_that_is_installed_by_hand_is_rendered_as_the_config_says(tmp_path: Path) -> None:
    made = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: '{{ .Release.Name }}-{{ .Values.env }}'}\n"
    made += (
        f"spec: {{source: {{repoURL: '{REPO_URL}', path: shop}}, destination: {{namespace: shop}}, project: default}}\n"
    )
    files = {**chart("apps", {"templates/a.yaml": made, "env/prod.yaml": "env: prod\n"}), "shop/a.yaml": SHOP}
    write(tmp_path, files)
    roots = (Root.configured({"path": "apps", "values": ["env/prod.yaml"], "name": "all"}),)
    found = session(helm3())
    found = replace(found, config=replace(found.config, roots=roots))
    repo = found.lint(found.find([tmp_path])).repo
    assert [(app.name, [r.name for r in app.resources]) for app in repo.applications] == [("all-prod", ["shop"])]
    assert repo.charts.installed_by_hand == (Root("apps", ("env/prod.yaml",)),)


def installed(folder: Path, *roots: Mapping[str, Any]) -> Repo:
    found = session(helm3())
    found = replace(found, config=replace(found.config, roots=tuple(map(Root.configured, roots))))
    return found.lint(found.find([folder])).repo


def homes(repo: Repo) -> list[tuple[str, str]]:
    found = [app.application for app in repo.applications if app.application is not None]
    return sorted((one.name, one.target) for one in found)


def test_a_root_says_whose_argo_cd_it_is_for(tmp_path: Path) -> None:
    """The very same Applications for two clusters are two each, and what they bring is there, too."""
    parent = application("apps", "apps").replace("shops", "argocd")
    away = application("away", "apps", destination={"name": "edge", "namespace": "argocd"})
    files = {**chart("root", {"templates/a.yaml": f"{parent}\n---\n{away}\n"})}
    files |= {"apps/shop.yaml": application("shop", "shop"), "shop/a.yaml": SHOP}
    write(tmp_path, files)
    repo = installed(tmp_path, *({"path": "root", "cluster": name} for name in ("prod", "test")))
    assert homes(repo) == [
        ("apps", "prod/argocd"),
        ("apps", "test/argocd"),
        ("away", "edge/argocd"),
        ("away", "edge/argocd"),
        ("shop", "edge/shops"),
        ("shop", "prod/shops"),
        ("shop", "test/shops"),
    ]


@pytest.mark.parametrize("kustomization", [{}, {"clusters/{}/kustomization.yaml": "resources: [app.yaml]\n"}])
def test_a_folder_of_applications_may_be_a_root(tmp_path: Path, kustomization: Mapping[str, str]) -> None:
    for name in ("prod", "test"):
        made = {path.format(name): text for path, text in kustomization.items()}
        write(tmp_path, {f"clusters/{name}/app.yaml": application("shop", "shop"), **made, "shop/a.yaml": SHOP})
    first, second = (app.application for app in installed(tmp_path).applications)
    assert first is not None
    assert second is not None
    assert {first.target, second.target} == {"in-cluster/shops"}
    told = [{"path": f"clusters/{name}", "cluster": name} for name in ("prod", "test")]
    assert homes(installed(tmp_path, *told)) == [("shop", "prod/shops"), ("shop", "test/shops")]


def test_applications_of_two_argo_cds_are_not_in_one(tmp_path: Path) -> None:
    both = f"{application('one', 'shop')}\n---\n{application('two', 'shop')}\n"
    write(tmp_path, {"clusters/prod/app.yaml": both, "clusters/test/app.yaml": both, "shop/a.yaml": SHOP})
    repo = installed(tmp_path, *({"path": f"clusters/{name}", "cluster": name} for name in ("prod", "test")))
    found = [app.application for app in repo.applications if app.application is not None]
    for first in found:
        for second in found:
            assert repo.in_one_argo_cd(first, second) == (first.home == second.home)
