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


PRUNING = ("prod", "edge")
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every cluster has an overlay of its own over one base; only some of their Applications prune."""
    files = {
        "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/base/web.yaml": APPLICATION.format(name="web").replace("prune: true", "prune: false"),
        "web/base/kustomization.yaml": "resources: [claim.yaml]\n",
        "web/base/claim.yaml": CLAIM,
    }
    for cluster in CLUSTERS:
        prune = (
            "    - {op: replace, path: /spec/syncPolicy/automated/prune, value: true}\n" if cluster in PRUNING else ""
        )
        files[f"apps/overlays/{cluster}/kustomization.yaml"] = (
            "resources: [../../base]\npatches:\n- target: {kind: Application}\n  patch: |-\n"
            f"    - {{op: replace, path: /spec/source/path, value: web/{cluster}}}\n"
            f"    - {{op: replace, path: /spec/destination, value: {{name: {cluster}, namespace: web}}}}\n{prune}"
        )
        files[f"web/{cluster}/kustomization.yaml"] = f"resources: [../base, own.yaml]\nnameSuffix: -{cluster}\n"
        files[f"web/{cluster}/own.yaml"] = CLAIM.replace("name: data", "name: own")
    root = written(tmp_path_factory.mktemp("graded"), files)
    (root / ".git").mkdir()
    return root


def test_a_finding_is_graded_by_the_application_of_its_cluster(graded: Path) -> None:
    found = [one for one in answer(graded, "check")["findings"] if one["name"] == "prune-stateful-unprotected"]
    own = {one["path"].split("/")[1]: one["severity"] for one in found if one["path"].endswith("own.yaml")}
    pruned = {own[cluster] for cluster in PRUNING}
    kept = {own.get(cluster, "") for cluster in CLUSTERS if cluster not in PRUNING}
    assert len(pruned) == 1
    assert pruned.isdisjoint(kept)


def test_a_line_of_the_base_is_one_finding_as_bad_as_its_worst_cluster(graded: Path) -> None:
    found = [one for one in answer(graded, "check")["findings"] if one["path"] == "web/base/claim.yaml"]
    base = [one for one in found if one["name"] == "prune-stateful-unprotected"]
    own = [one for one in answer(graded, "check")["findings"] if one["path"] == f"web/{PRUNING[0]}/own.yaml"]
    assert [one["severity"] for one in base] == [own[0]["severity"]]


def test_each_cluster_shows_what_it_prunes(graded: Path) -> None:
    shown = {one["destination"]["name"]: one["prune"] for one in answer(graded, "apps")["applications"]}
    assert shown == {cluster: cluster in PRUNING for cluster in CLUSTERS}


@pytest.mark.parametrize(("name", "installed"), [("test", True), ("common", False)])
def test_an_overlay_that_another_one_builds_on_has_applications_of_its_own(
    tmp_path: Path, name: str, installed: bool
) -> None:
    patch = (
        "patches:\n- target: {{kind: Application}}\n  patch: '- {{op: replace, path: /spec/source/path, value: {}}}'\n"
    )
    files = {
        "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/base/web.yaml": APPLICATION.format(name="web"),
        f"apps/overlays/{name}/kustomization.yaml": "resources: [../../base]\n" + patch.format("web/test"),
        "apps/overlays/prod/kustomization.yaml": f"resources: [../{name}]\n" + patch.format("web/prod"),
        "web/test/config.yaml": CONFIG.format(name="web", cluster="test", wave="'1'"),
        "web/prod/config.yaml": CONFIG.format(name="web", cluster="prod", wave="'1'"),
    }
    root = written(tmp_path, files)
    (root / ".git").mkdir()
    paths = [one["sources"][0]["path"] for one in answer(root, "apps")["applications"]]
    assert sorted(paths) == (["web/prod", "web/test"] if installed else ["web/prod"])
    # Named in the config it counts, whatever it is called; a file that lies beside it does not.
    (root / f"apps/overlays/{name}/left.yaml").write_text(APPLICATION.format(name="left"))
    (root / ".gitops-lint.yaml").write_text(f"roots: [{{path: apps/overlays/{name}, cluster: one}}]\n")
    found = json.loads(run("apps", "--output-format", "json", cwd=root).stdout)["applications"]
    assert [one["sources"][0]["path"] for one in found if one["argocdCluster"] == "one"] == ["web/test"]
