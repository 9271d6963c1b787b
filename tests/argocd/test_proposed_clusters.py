"""Clusters that `init` proposes: those that the sets of a repository ask for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import run
from gitops_lint.linter.argocd.proposed_clusters import MOST, proposed_clusters
from loopback import written
from real_tools import helm3


def proposed(*generators: Any, template: str = "") -> list[dict[str, Any]]:
    spec = {"generators": list(generators), "template": {"metadata": {"name": template}}}
    return [one.entry for one in proposed_clusters([({"spec": spec}, [])])]


def clusters(selector: Any = None) -> dict[str, Any]:
    return {"clusters": {} if selector is None else {"selector": selector}}


def labels(**wanted: str) -> dict[str, Any]:
    return {"matchLabels": wanted}


def test_one_for_each_value_that_selectors_tell_apart() -> None:
    found = proposed(clusters(labels(env="prod")), clusters(labels(env="dev")), clusters(labels(addons="true")))
    assert found == [
        {"name": "prod", "server": "https://prod.example.com", "labels": {"env": "prod", "addons": "true"}},
        {"name": "dev", "server": "https://dev.example.com", "labels": {"env": "dev", "addons": "true"}},
    ]


def test_expressions() -> None:
    wanted = [
        {"key": "env", "operator": "In", "values": ["a", "b"]},
        {"key": "net", "operator": "Exists"},
        {"key": "old", "operator": "DoesNotExist"},
    ]
    found = proposed(clusters({"matchExpressions": wanted}), clusters(labels(old="yes")))
    assert [one["labels"] for one in found] == [
        {"env": "a", "net": "true"},
        {"env": "b", "net": "true"},
        {"old": "yes"},
    ]


def test_a_generator_that_takes_all_is_content_with_the_local_one() -> None:
    assert proposed(clusters()) == [{"name": "in-cluster"}]
    assert [one["name"] for one in proposed(clusters(), clusters(labels(env="prod")))] == ["prod"]


@pytest.mark.parametrize(
    "template",
    ["{{metadata.labels.region}}", "{{ .metadata.labels.region }}", '{{ index .metadata.labels "region" }}'],
)
def test_what_templates_read_is_to_be_filled_in(template: str) -> None:
    (found,) = proposed(clusters(labels(env="prod")), template=template)
    assert found["labels"] == {"region": "change-me", "env": "prod"}


def test_generators_inside_of_others_count_and_those_without_clusters_do_not() -> None:
    assert proposed({"matrix": {"generators": [{"git": {}}, clusters(labels(env="x"))]}})[0]["name"] == "x"
    assert proposed({"git": {}}, template="{{metadata.labels.region}}") == []


def test_a_name_that_objects_can_bear_and_no_label_that_every_cluster_has() -> None:
    (found,) = proposed(clusters(labels(**{"vendor": "Open Shift", "argocd.argoproj.io/secret-type": "cluster"})))
    assert found == {
        "name": "open-shift",
        "server": "https://open-shift.example.com",
        "labels": {"vendor": "Open Shift"},
    }


def test_hostile_sets_do_no_harm() -> None:
    many = [{"key": str(key), "operator": "In", "values": [str(value) for value in range(30)]} for key in range(6)]
    assert len(proposed(clusters({"matchExpressions": many}))) <= MOST
    assert proposed({"clusters": []}, {"clusters": None}, {"clusters": {"selector": 3}}, 7, None) == [
        {"name": "in-cluster"}
    ]


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shop}
spec:
  goTemplate: true
  generators:
  - matrix:
      generators:
      - git: {repoURL: &here 'https://git.example.com/here.git', directories: [{path: envs/*}]}
      - clusters: {selector: {matchLabels: {env: '{{ .path.basename }}'}}}
  template:
    metadata: {name: 'shop-{{ .name }}'}
    spec:
      project: default
      source: {repoURL: *here, path: '{{ .path.path }}'PLUGIN}
      destination: {server: '{{ .server }}', namespace: shop}
"""
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def test_what_init_proposes_expands_the_sets(tmp_path: Path) -> None:
    """Also where another generator says what a selector wants, and with a plugin that no file defines."""
    files = {"set.yaml": SET.replace("PLUGIN", ", plugin: {name: mine}")}
    for env in ("dev", "prod"):
        files |= {f"envs/{env}/a.yaml": OBJECT, f"envs/{env}/kustomization.yaml": "resources: [a.yaml]\n"}
    root = written(tmp_path, files)
    (root / ".git").mkdir()
    before = apps(root)
    assert [one["seen"] for one in before["applicationSets"]] == ["once"]
    assert run("init", cwd=root).returncode == 0
    config = root / ".gitops-lint.yaml"
    assert yaml.safe_load(config.read_text()) is None
    said = {key: value for key, value in yaml.safe_load(uncommented(config)).items() if key in ("clusters", "plugins")}
    config.write_text(yaml.safe_dump(said))
    after = apps(root)
    assert [one["seen"] for one in after["applicationSets"]] == ["expanded"]
    assert [(one["name"], one["seen"]) for one in after["applications"]] == [
        ("shop-dev", "whole"),
        ("shop-prod", "whole"),
    ]


def test_a_chart_that_somebody_seems_to_install_is_proposed_and_no_more(tmp_path: Path) -> None:
    """With which values it is installed, nobody here says."""
    made = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {project: default}\n"
    files = {"apps/Chart.yaml": "apiVersion: v2\nname: apps\nversion: 1.0.0\n", "apps/templates/a.yaml": made}
    root = written(tmp_path, files)
    (root / ".git").mkdir()
    assert run("init", cwd=root).returncode == 0
    config = root / ".gitops-lint.yaml"
    assert yaml.safe_load(config.read_text()) is None
    assert yaml.safe_load(uncommented(config))["roots"] == [{"path": "apps"}]


def test_charts_are_rendered_to_see_what_they_ask_for(tmp_path: Path) -> None:
    """Which clusters their sets want, and that one cannot be rendered with its own values; not the Application of others."""
    wanted = "{{ .Values.env }}"
    made = (
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  generators:\n"
        f"  - clusters: {{selector: {{matchLabels: {{env: '{wanted}'}}}}}}\n"
        "  template: {metadata: {name: 'a-{{`{{name}}`}}'}, spec: {project: default}}\n"
    )
    files = {
        "apps/Chart.yaml": "apiVersion: v2\nname: apps\nversion: 1.0.0\n",
        "apps/values.yaml": "env: prod\n",
        "apps/templates/a.yaml": made,
        "more/Chart.yaml": "apiVersion: v2\nname: more\nversion: 1.0.0\n",
        "more/templates/a.yaml": made.replace(wanted, "{{ required `which` .Values.env }}"),
        "other/Chart.yaml": "apiVersion: v2\nname: other\nversion: 1.0.0\n",
        "other/templates/a.yaml": "apiVersion: app.example.com/v1\nkind: Application\nmetadata: {name: a}\n",
    }
    root = written(tmp_path, files)
    (root / ".git").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "helm").symlink_to(helm3())
    assert run("init", cwd=root, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin").returncode == 0
    said = yaml.safe_load(uncommented(root / ".gitops-lint.yaml"))
    assert said["clusters"] == [{"name": "prod", "server": "https://prod.example.com", "labels": {"env": "prod"}}]
    assert said["roots"] == [{"path": "apps"}, {"path": "more", "values": ["change-me.yaml"]}]


PLUGIN = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: NAME}
spec:
  project: default
  source: {repoURL: 'https://git.example.com/here.git', path: NAME, plugin: {name: NAME}}
  destination: {server: 'https://kubernetes.default.svc', namespace: shop}
"""


def test_a_plugin_is_proposed_as_what_its_folders_look_like(tmp_path: Path) -> None:
    """No command line helps with one that we could not follow; and nothing says that it would."""
    files = {f"{name}.yaml": PLUGIN.replace("NAME", name) for name in ("built", "charted", "helmfile")}
    files |= {"built/kustomization.yaml": "resources: [a.yaml]\n", "built/a.yaml": OBJECT}
    files |= {"charted/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n"}
    files |= {"helmfile/helmfile.yaml": "releases: [{name: a, chart: b/a}]\n"}
    root = written(tmp_path, files)
    (root / ".git").mkdir()
    assert run("init", cwd=root).returncode == 0
    said = yaml.safe_load(uncommented(root / ".gitops-lint.yaml"))
    assert said["plugins"] == {"built": "kustomize build --enable-helm .", "charted": "helm template ."}
    words = {one["name"]: one["notSeen"] for one in apps(root)["applications"]}
    promise = ": `plugins:` in the config can say what it runs"
    assert words == {
        name: [f"a config management plugin {name} makes the manifests{more}"]
        for name, more in {"built": promise, "charted": promise, "helmfile": ""}.items()
    }


def uncommented(config: Path) -> str:
    return re.sub(r"^#(?! \S)", "", config.read_text(), flags=re.MULTILINE)


def apps(root: Path) -> Any:
    return json.loads(run("apps", "--output-format", "json", cwd=root).stdout)
