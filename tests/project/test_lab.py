"""The parts of the lab (docs/lab.md) that need no cluster: cases, examples made whole, words for what was seen."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from lab import building
from lab.audit import AuditLog, Write
from lab.building import ARGOCD, Release
from lab.cases import read_page
from lab.chart_repository import charts_in, serve
from lab.completing import complete, foreign_kinds
from lab.git_server import GitServer
from lab.observing import CONTROLLER, _owners, differing_paths, message_of, plain, written
from lab.outcome import outcome
from lab.wrapping import around, destinations, namespaces, root, with_url

PAGE = """# a page

## without a block for the lab

```yaml
kind: ConfigMap
```

## two revisions

```lab
pods: {migrate: hang}
steps:
  - commit: next
```

```yaml one.yaml
a: 1  # <- here
```

```yaml then next:one.yaml
a: FILLER-3
```

```yaml cluster
kind: Namespace
```
"""


def test_a_page_tells_files_steps_and_what_is_there_already() -> None:
    (case,) = read_page(PAGE)
    assert case.files == {"one.yaml": "a: 1\n"}
    assert case.revisions == {"next": {"one.yaml": "a: xxx\n"}}
    assert case.cluster == [{"kind": "Namespace"}]
    assert (case.pods, case.steps) == ({"migrate": "hang"}, [{"commit": "next"}])


def test_a_word_that_a_page_cannot_say_is_told() -> None:
    with pytest.raises(ValueError, match="has no 'pod'"):
        list(read_page("## x\n\n```lab\npod: {}\n```\n"))


@pytest.mark.parametrize(("wanted", "line", "runs"), [("", "3.0", True), (">=3.3", "3.5", True), (">=3.3", "3.2", False), ("<3.1", "3.0", True)])  # fmt: skip
def test_a_case_can_be_about_some_versions(wanted: str, line: str, runs: bool) -> None:
    (case,) = read_page(f"## x\n\n```lab\nargocd: '{wanted}'\n```\n")
    assert case.runs_on(line) is runs


def test_a_job_gets_the_containers_that_a_manual_leaves_out() -> None:
    whole = yaml.safe_load(complete({"a.yaml": "kind: Job\nmetadata: {name: x}\n"})["a.yaml"])
    assert whole["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_what_is_whole_keeps_its_text() -> None:
    text = "# why\nkind: ConfigMap\nmetadata: {name: x, name: x}\n"
    assert complete({"a.yaml": text}) == {"a.yaml": text}


def test_an_application_among_others_moves_out_and_has_something_to_sync() -> None:
    text = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: x}\nspec: {source: {path: deploy}}\n---\nkind: ConfigMap\n"
    assert set(complete({"a.yaml": text})) == {"a.yaml", "apps/a.yaml", "deploy/lab.yaml"}


def test_a_kind_of_somebody_else_gets_a_crd_and_one_that_is_brought_does_not() -> None:
    objects = [
        {"apiVersion": "a.example.com/v1", "kind": "One"},
        {"apiVersion": "b.example.com/v1", "kind": "Two"},
        {"kind": "CustomResourceDefinition", "spec": {"group": "b.example.com", "names": {"kind": "Two"}}},
        {"apiVersion": "apps/v1", "kind": "Deployment"},
    ]
    assert [crd["metadata"]["name"] for crd in foreign_kinds(objects, lambda *_: False)] == ["ones.a.example.com"]


def test_repositories_of_the_files_are_the_labs_and_those_of_charts_are_not() -> None:
    text = (
        "sources:\n- {repoURL: 'https://a.example.com/x', chart: c}\n- {repoURL: 'https://git.example.com/x', ref: v}\n"
    )
    changed = with_url({"a.yaml": text}, "http://lab/repository.git")["a.yaml"]
    assert [one["repoURL"] for one in yaml.safe_load(changed)["sources"]] == ["https://a.example.com/x", "http://lab/repository.git"]  # fmt: skip


def test_files_are_wrapped_as_what_they_are() -> None:
    overlay = {"base/kustomization.yaml": "resources: []", "prod/kustomization.yaml": "resources: [../base]"}
    assert around(overlay, "-", {})["spec"]["source"]["path"] == "prod"
    assert around({"c/Chart.yaml": "", "c/charts/d/Chart.yaml": ""}, "-", {})["spec"]["source"]["path"] == "c"
    needs = "dependencies: [{name: base, repository: 'file://../base'}]"
    charts = {"charts/base/Chart.yaml": "name: base", "charts/shop/Chart.yaml": needs}
    assert around(charts, "-", {})["spec"]["source"] == {
        "repoURL": "-",
        "targetRevision": "main",
        "path": "charts/shop",
    }
    assert around({"a/b.yaml": ""}, "-", {})["spec"]["source"]["directory"] == {"recurse": True}
    said = around({"a.yaml": ""}, "-", {"annotations": {"x": "y"}, "syncPolicy": {}})
    assert (said["metadata"]["annotations"], said["spec"]["syncPolicy"]) == ({"x": "y"}, {})
    apps = root({"a.yaml": "kind: Application\n", "b.yaml": "kind: ConfigMap\n"}, "-", {})
    assert apps["spec"]["source"]["directory"]["include"] == "a.yaml"


def test_namespaces_that_somebody_brings_are_not_made() -> None:
    texts = {
        "a": "metadata: {namespace: one}\n---\nmetadata: {namespace: two}\n---\nkind: Namespace\nmetadata: {name: two}\n"
    }
    assert namespaces([texts], []) == {"one"}
    apps = {"a": "kind: Application\nspec: {destination: {namespace: shop}}\n"}
    assert destinations([apps]) == {"shop"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("at http://127.0.0.1:4242/repository.git", "at https://git.example.com/shop.git"),
        (f"to [{'a' * 40}]", "to [<revision>]"),
        ("failed (retried 3 times).", "failed (retried)."),
        ("Retrying attempt #2 at 6:07PM.", "Retrying"),
        ('X "t" is invalid: [spec.b: Required value, spec.a: Required value]', 'X "t" is invalid: [spec.a: Required value, spec.b: Required value]'),
        ("migrate-1a2b3c4-presync-1700000000", "migrate-<revision>-presync-<time>"),
        ('pods "web-7d4-x2k8f" is forbidden: no', 'pods "web-7d4-<made up>" is forbidden: no'),
    ],
)  # fmt: skip
def test_what_differs_from_run_to_run_is_not_told(text: str, told: str) -> None:
    assert plain(text) == told


def test_reasons_that_come_in_any_order_are_told_in_one() -> None:
    results = [{"message": "b, or c"}, {"message": "a"}, {"message": "created"}]
    told = message_of("it failed, reason: b, or c,a (retried 5 times).", results)
    assert told == "it failed, reason: a,b, or c (retried)."
    assert message_of("it failed, reason: b, or d,a", results) == "it failed, reason: b, or d,a"


def test_kinds_that_argo_cd_does_not_list_are_told_in_one_order_where_their_names_are_the_same() -> None:
    def write(kind: str, name: str) -> Write:
        return Write(CONTROLLER, "create", kind, "n", name, 200, "", False, False)

    done = [write("services", "a"), write("deployments.apps", "a"), write("folders.x", "a"), write("boards.x", "a")]
    assert [line.split()[1] for line in written(done)] == ["services", "deployments.apps", "boards.x", "folders.x"]
    done = [write("folders.x", "a"), write("boards.x", "b")]
    assert [line.split()[1] for line in written(done)] == ["folders.x", "boards.x"]


def test_writes_of_applications_that_are_synced_side_by_side_do_not_mix() -> None:
    def write(name: str) -> Write:
        return Write(CONTROLLER, "create", f"{name}s", "n", name, 200, "", False, False)

    owners = {("webs", "n", "web"): "two", ("pods", "n", "pod"): "two", ("jobs", "n", "job"): "one"}
    told = [line.split()[1] for line in written([write(name) for name in ("app", "web", "job", "pod", "end")], owners)]
    assert told == ["apps", "jobs", "webs", "pods", "ends"]


def test_what_the_root_brings_is_told_before_what_its_children_bring() -> None:
    def app(name: str, *kinds: tuple[str, str]) -> dict[str, Any]:
        held = [{"group": group, "kind": kind, "namespace": "n", "name": "x"} for group, kind in kinds]
        return {"metadata": {"name": name}, "status": {"resources": held}}

    project, kind = ("argoproj.io", "AppProject"), SimpleNamespace
    kinds = [kind(api_version="argoproj.io/v1", kind="AppProject", plural="appprojects")]
    kinds += [kind(api_version="v1", kind="Service", plural="services")]
    lab: Any = kind(api=kind(kinds=lambda: kinds))
    apps = [app("child", ("", "Service")), app("the-root", ("argoproj.io", "Application"), project)]
    owners = _owners(lab, apps)
    writes = [
        Write(CONTROLLER, "create", name, "n", "x", 200, "", False, False)
        for name in ("services", "appprojects.argoproj.io")
    ]
    assert written(writes, owners) == ["create appprojects.argoproj.io n/x", "create services n/x"]


def test_a_second_delete_of_what_is_going_already_is_not_told() -> None:
    def write(user: str, verb: str, name: str) -> Write:
        return Write(user, verb, "jobs.batch", "n", name, 200, "", False, False)

    done = [write("lab", "delete", "a"), write(CONTROLLER, "delete", "a"), write(CONTROLLER, "delete", "b")]
    assert written(done) == ["delete jobs.batch n/b"]
    done = [write("lab", "delete", "a"), write(CONTROLLER, "create", "a"), write(CONTROLLER, "delete", "a")]
    assert written(done) == ["create jobs.batch n/a", "delete jobs.batch n/a"]


def test_fields_that_differ_are_named_with_both_sides() -> None:
    live = {"spec": {"a": 1, "l": [{"d": "D"}]}, "metadata": {"uid": "1"}}
    git = {"spec": {"b": 2, "a": 1, "l": [{}]}, "metadata": {"uid": "2"}}
    assert list(differing_paths(live, git)) == [
        'metadata.uid: <the server\'s> → "2"',
        "spec.b: nothing → 2",
        'spec.l[0].d: "D" → nothing',
    ]


@pytest.mark.parametrize(
    ("app", "words"),
    [
        ({"sync": "Synced", "health": "Healthy", "operation": "Succeeded: x", "results": ["y"]}, ["clean"]),
        ({"sync": "Unknown", "conditions": ["ComparisonError: x"], "operation": "Error: x"}, ["cannot be compared", "refused"]),
        ({"sync": "OutOfSync", "operation": "Succeeded: x", "results": ["y"], "out of sync": {"a": ["b"]}}, ["out of sync"]),
        ({"sync": "OutOfSync", "operation": "Succeeded: x", "results": ["y"], "out of sync": {"a": "to be pruned"}}, ["to be pruned"]),
        ({"sync": "OutOfSync", "out of sync": {"a": "not in the cluster"}}, ["never synced"]),
        ({"sync": "Synced", "operation": "Running: x"}, ["waits"]),
        ({"sync": "Synced", "operation": "Succeeded: x"}, ["nothing applied"]),
    ],
)  # fmt: skip
def test_the_words_for_what_was_seen(app: dict[str, object], words: list[str]) -> None:
    assert outcome({"end": {"applications": {"shop": app}}}) == words


def test_a_hook_that_its_policy_removes_is_no_loss() -> None:
    app = {"sync": "Synced", "operation": "Succeeded: x", "results": ["y"]}
    assert outcome({"end": {"applications": {"a": app}, "written": ["delete jobs.batch a/b"]}}) == ["clean"]
    assert outcome({"end": {"applications": {"a": app}, "written": ["delete secrets a/b"]}}) == ["deleted"]


def test_the_audit_log_is_read_on_from_where_it_stopped(tmp_path: Path) -> None:
    event = {
        "stage": "ResponseComplete", "verb": "patch", "requestURI": "/x?dryRun=All", "user": {"username": "u"},
        "objectRef": {"resource": "deployments", "apiGroup": "apps", "namespace": "n", "name": "d"},
        "responseStatus": {"code": 200},
    }  # fmt: skip
    path = tmp_path / "audit.log"
    path.write_text(json.dumps(event) + "\n" + '{"half": ')
    log = AuditLog(path)
    (write,) = log.news()
    assert (str(write), write.dry_run, write.user) == ("patch deployments.apps n/d", True, "u")
    assert log.news() == []


def test_git_is_served_as_it_was_committed(tmp_path: Path) -> None:
    server = GitServer(tmp_path / "git")
    try:
        server.commit("repository", {"a/b.yaml": "one", "c.yaml": "two"})
        server.commit("repository", {"a/b.yaml": "three"})
        subprocess.run(["git", "clone", "--quiet", server.url("repository"), tmp_path / "clone"], check=True)
    finally:
        server.stop()
    files = {path.name for path in (tmp_path / "clone").rglob("*") if ".git" not in path.parts and path.is_file()}
    assert (files, (tmp_path / "clone/a/b.yaml").read_text()) == ({"b.yaml"}, "three")


def test_a_chart_repository_has_what_a_case_asks_for(tmp_path: Path) -> None:
    text = "source: {repoURL: 'https://charts.example.com', chart: shop, targetRevision: 1.x}\n"
    serve(tmp_path, charts_in({"a.yaml": text}))
    index = yaml.safe_load((tmp_path / "index.yaml").read_text())
    assert [one["version"] for one in index["entries"]["shop"]] == ["1.0.0"]
    assert (tmp_path / "shop-1.0.0.tgz").exists()


def test_replacements_by_folders_become_published_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_mod = "go 1.26\n\nreplace (\n\ta.io/x => a.io/x v1.2.3\n\ta.io/y => ./staging/y\n)\nreplace a.io/z => ./z\n"
    (tmp_path / "go.mod").write_text(go_mod)
    monkeypatch.setattr("lab.building._download", lambda *_: {"GoMod": str(tmp_path / "go.mod")})
    made = Release("x", ARGOCD, "v3.5.3", {}, "v0.1.0")._go_mod()
    assert "a.io/x => a.io/x v1.2.3" in made
    assert "a.io/y => a.io/y v0.1.0" in made
    assert "a.io/z => a.io/z v0.1.0" in made


def test_a_folder_without_a_published_version_of_its_own_is_what_go_mod_requires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go.mod").write_text("go 1.26\n\nreplace (\n\ta.io/x => a.io/x v1.2.3\n\ta.io/y => ../y\n)\n")
    monkeypatch.setattr("lab.building._download", lambda *_: {"GoMod": str(tmp_path / "go.mod")})
    made = Release("etcd", "a.io/server", "v3.6.0", {})._go_mod()
    assert "a.io/x => a.io/x v1.2.3" in made
    assert "a.io/y" not in made


def test_helm_and_kustomize_are_those_that_the_release_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hack").mkdir()
    (tmp_path / "hack" / "tool-versions.sh").write_text("helm4_version=4.2.1\nkustomize5_version=5.8.1\n")
    monkeypatch.setattr("lab.building._download", lambda *_: {"Dir": str(tmp_path)})
    helm, kustomize = building.helm("3.5"), building.kustomize("3.5")
    assert (helm.version, helm.packages) == ("v4.2.1", {"helm": "helm.sh/helm/v4/cmd/helm"})
    assert (kustomize.version, kustomize.module) == ("v5.8.1", "sigs.k8s.io/kustomize/kustomize/v5")
    (tmp_path / "hack" / "tool-versions.sh").write_text("oras_version=1.2.0\n")
    with pytest.raises(building.NotBuilt, match="which helm it ships"):
        building.helm("3.5")


@pytest.mark.parametrize(("pattern", "meant"), [("https://git.example.com/**", True), ("https://git.example.com/*", False), ("https://git.example.com/shop/cart", True), ("*", False)])  # fmt: skip
def test_a_project_permits_the_labs_repository_where_it_permits_theirs(pattern: str, meant: bool) -> None:
    project = f"kind: AppProject\nspec:\n  sourceRepos:\n    - '{pattern}'\n"
    app = "kind: Application\nspec:\n  source:\n    repoURL: https://git.example.com/shop/cart.git\n"
    changed = with_url({"a.yaml": project, "b.yaml": app}, "http://lab/repository.git")
    assert ("http://lab/repository.git" in changed["a.yaml"]) is meant
