"""One app of apps, patched for five clusters: five times its Applications, each with its plan and its findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from loopback import written

CLUSTERS = ("dev", "test", "stage", "prod", "edge")
HOOKED = ("prod", "edge")
"""Only there does the database have a hook that may hang."""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://git.example.com/fleet.git, path: {name}/dev, targetRevision: main}}
  destination: {{server: https://kubernetes.default.svc, namespace: {name}}}
  syncPolicy: {{automated: {{prune: true}}}}
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}-{cluster}\n  annotations: {{argocd.argoproj.io/sync-wave: {wave}}}\n"
HOOK = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "example.com/a:1"}]}}}
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {
        "apps/base/kustomization.yaml": "resources: [web.yaml, db.yaml]\n",
        "apps/base/web.yaml": APPLICATION.format(name="web"),
        "apps/base/db.yaml": APPLICATION.format(name="db"),
    }
    for cluster in CLUSTERS:
        patches = "".join(
            f"- target: {{kind: Application, name: {name}}}\n  patch: |-\n"
            f"    - {{op: replace, path: /spec/source/path, value: {name}/{cluster}}}\n"
            f"    - {{op: replace, path: /spec/destination, value: {{name: {cluster}, namespace: {name}}}}}\n"
            for name in ("web", "db")
        )
        files[f"apps/overlays/{cluster}/kustomization.yaml"] = f"resources: [../../base]\npatches:\n{patches}"
        files[f"web/{cluster}/config.yaml"] = CONFIG.format(name="web", cluster=cluster, wave="first")
        files[f"db/{cluster}/config.yaml"] = CONFIG.format(name="db", cluster=cluster, wave="'1'")
        files |= {f"db/{cluster}/hook.yaml": HOOK} if cluster in HOOKED else {}
    root = written(tmp_path_factory.mktemp("fleet"), files)
    (root / ".git").mkdir()
    return root


def answer(root: Path, *words: str) -> Any:
    return json.loads(run(*words, "--output-format", "json", "--isolated", cwd=root).stdout)


def test_each_cluster_has_its_applications(fleet: Path) -> None:
    found = answer(fleet, "apps")["applications"]
    shown = {(one["name"], one["destination"]["name"], one["sources"][0]["path"], one["seen"]) for one in found}
    assert shown == {(name, cluster, f"{name}/{cluster}", "whole") for name in ("web", "db") for cluster in CLUSTERS}
    assert len(found) == 2 * len(CLUSTERS)


def test_each_cluster_has_its_plans(fleet: Path) -> None:
    plans = answer(fleet, "plan")["apps"]
    shown = [json.dumps(plan["tasks"]) for plan in plans]
    for name in (f"{name}-{cluster}" for name in ("web", "db") for cluster in CLUSTERS):
        assert sum(f'"{name}"' in tasks for tasks in shown) == 1
    assert sum("migrate" in tasks for tasks in shown) == len(HOOKED)


def test_each_cluster_has_its_findings(fleet: Path) -> None:
    findings = answer(fleet, "check")["findings"]
    waves = {one["path"] for one in findings if one["name"] == "sync-wave-not-integer"}
    hooks = {one["path"] for one in findings if one["name"] == "hook-without-deadline"}
    assert waves == {f"web/{cluster}/config.yaml" for cluster in CLUSTERS}
    assert hooks == {f"db/{cluster}/hook.yaml" for cluster in HOOKED}


def test_what_the_clusters_agree_on_is_told_once(fleet: Path) -> None:
    shown = run("check", "--isolated", cwd=fleet).stdout
    assert shown.count("warning[GL203]") == 1
    assert "4 more places, the same in 5 files" in shown
    assert shown.count("warning[GL102]") == 1
    assert "10 Applications (all seen whole)" in shown


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_folder_keeps_its_context(fleet: Path, cluster: str) -> None:
    """The same of a folder alone as of the whole, with the Application that reads it."""
    whole = [one for one in answer(fleet, "check")["findings"] if one["path"].startswith(f"db/{cluster}/")]
    assert [_said(one) for one in answer(fleet, "check", f"db/{cluster}")["findings"]] == [_said(one) for one in whole]
    assert all(one["applications"] == ["db"] for one in whole)


def _said(finding: Any) -> tuple[str, ...]:
    return tuple(str(finding[key]) for key in ("code", "severity", "message", "path", "applications", "fingerprint"))
