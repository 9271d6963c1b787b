"""`gitops-lint plan` as people type it, and what scripts rely on."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import command_line
import pytest
from mermaid_grammar import check_chart

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("gitops-lint")
CASES = json.loads(gzip.decompress((Path(__file__).parents[1] / "data" / "plan-cases.json.gz").read_bytes()))
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://git.example.com/a.git, path: {path}}}
  destination: {{server: https://kubernetes.default.svc, namespace: {namespace}}}
"""
WAVES = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {activeDeadlineSeconds: 300}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {argocd.argoproj.io/sync-wave: "1"}}
"""


def run(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), **env}
    return subprocess.run([str(COMMAND), "plan", *args], cwd=cwd, capture_output=True, text=True, env=clean)


def printed(*args: str, cwd: Path, **env: str) -> str:
    done = run(*args, cwd=cwd, **env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(folder: Path, files: dict[str, str]) -> Path:
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    application = APPLICATION.format(name="shop", path="shop", namespace="shop")
    return write(tmp_path, {"apps/shop.yaml": application, "shop/all.yaml": WAVES})


# -- what scripts rely on


def test_the_tasks_are_argo_cds(tmp_path: Path) -> None:
    """All recorded orders at once, through files, Applications and the command."""
    files = {}
    for number, case in enumerate(CASES):
        application = APPLICATION.format(name=f"case-{number}", path=f"c{number}", namespace=case["namespace"])
        files[f"apps/{number}.yaml"] = application
        files[f"c{number}/all.yaml"] = "---\n".join(json.dumps(value) + "\n" for value in case["objects"])
    data = json.loads(printed("--output-format", "json", cwd=write(tmp_path, files)))
    apps = {app["name"]: app for app in data["apps"]}
    for number, case in enumerate(CASES):
        got = [
            [task["phase"], task["wave"], task["group"], task["kind"], task["namespace"], task["name"]]
            for task in apps[f"case-{number}"]["tasks"]
        ]
        assert sorted(map(str, got)) == sorted(str(task[:6]) for task in case["tasks"]), number
        varying = set(case.get("unstable") or ())
        for at, (mine, theirs) in enumerate(zip(got, case["tasks"], strict=True)):
            assert mine == theirs[:6] or at in varying, (number, at)
        hooks = [bool(task["hook"]) for task in apps[f"case-{number}"]["tasks"]]
        assert sorted(hooks) == sorted(task[6] for task in case["tasks"])


def test_the_shape_of_the_data(repo: Path) -> None:
    data = json.loads(printed("--app", "shop", "--output-format", "json", cwd=repo))
    (app,) = data["apps"]
    job, web, settings = app["tasks"]
    assert {key: job[key] for key in ("phase", "wave", "group", "kind", "namespace", "name", "hook")} == {
        "phase": "PreSync", "wave": 0, "group": "batch", "kind": "Job", "namespace": "shop", "name": "migrate",
        "hook": ["PreSync"],
    }  # fmt: skip
    assert (job["waits"]["seconds"], job["waits"]["endless"]) == (300, False)
    assert (web["hook"], web["waits"]["seconds"], web["waits"]["sinceProgress"]) == (None, 600, True)
    assert settings["waits"] is None
    assert [step["phase"] for step in app["steps"]] == ["PreSync", "Sync", "Sync"]
    assert (web["path"], web["line"]) == ("shop/all.yaml", 7)


def test_what_is_not_applied_is_listed_apart(repo: Path) -> None:
    write(repo, {"shop/typo.yaml": WAVES.split("---")[0].replace("PreSync", "presync").replace("migrate", "typo")})
    (app,) = json.loads(printed("--app", "shop", "--output-format", "json", cwd=repo))["apps"]
    assert [(item["name"], item["reason"]) for item in app["notApplied"]] == [("typo", "dropped")]
    assert "typo" not in {task["name"] for task in app["tasks"]}


# -- text


def timeline(text: str) -> list[str]:
    """Phases, steps, objects and waits, without what is said about them."""
    words = re.compile(r"(PreSync|Sync|PostSync|SyncFail) [━=]|step \d|waits for|(Job|Deployment|ConfigMap)  ")
    return [" ".join(re.sub(r"[━=│├─└|+`]", " ", line).split()) for line in text.splitlines() if words.search(line)]


def test_the_timeline_reads_in_order(repo: Path) -> None:
    text = printed("--app", "shop", "--ignore", "GL", cwd=repo)
    assert timeline(text) == [
        "PreSync",
        "step 1: wave 0",
        "Job migrate hook: PreSync",
        "waits for Job migrate: until it completes; if it fails, the sync fails; fails after 5 min",
        "Sync",
        "step 2: wave 0",
        "Deployment web",
        "waits for Deployment web: until all its replicas are updated and available; fails after 10 min without progress",
        "step 3: wave 1",
        "ConfigMap settings",
    ]
    assert "\x1b" not in text


def test_findings_stand_under_their_objects(repo: Path) -> None:
    lines = printed("--app", "shop", cwd=repo).splitlines()
    job = next(number for number, line in enumerate(lines) if "migrate  hook" in line)
    deployment = next(number for number, line in enumerate(lines) if line.endswith(" web"))
    assert any("GL101 shop/all.yaml:3" in line for line in lines[job:deployment])


def test_boxes_give_way_to_ascii_where_the_terminal_has_none(repo: Path) -> None:
    assert "├─ step 1" in printed(cwd=repo, PYTHONIOENCODING="utf-8")
    text = printed(cwd=repo, PYTHONIOENCODING="ascii")
    assert "+- step 1" in text
    assert text.isascii()


def test_colours_when_asked_for(repo: Path) -> None:
    assert "\x1b[1mstep 1: wave 0\x1b[0m" in printed("--color", "always", cwd=repo)


def test_names_run_no_commands_in_a_workflow(tmp_path: Path) -> None:
    name = '"::error::pwned \\e[31m"'
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"
    printed_text = printed(cwd=write(tmp_path, {"::warning::x/a.yaml": text}))
    assert not any(line.lstrip().startswith("::") for line in printed_text.splitlines())
    assert "\x1b[31m" not in printed_text


# -- the command


def test_findings_do_not_count_for_the_exit_code(repo: Path) -> None:
    write(repo, {"shop/broken.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n b: c\n"})
    assert "cannot generate the manifests" in printed(cwd=repo)


def test_an_unknown_app_is_an_error_with_a_suggestion(repo: Path) -> None:
    done = run("--app", "shoop", cwd=repo)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: there is no app 'shoop'; did you mean 'shop'?\n"


@pytest.mark.parametrize("args", [["missing"], ["--select", "GL9999"], ["--config", "none.yaml"]])
def test_other_mistakes_are_errors_too(repo: Path, args: list[str]) -> None:
    assert run(*args, cwd=repo).returncode == 2


def test_a_file_stands_for_the_apps_that_it_is_part_of(repo: Path) -> None:
    write(repo, {"other/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    data = json.loads(printed("shop/all.yaml", "--output-format", "json", cwd=repo))
    assert [app["name"] for app in data["apps"]] == ["shop"]


def test_the_version_counts(repo: Path) -> None:
    write(repo, {"shop/end.yaml": WAVES.split("---")[0].replace("PreSync", "PreDelete").replace("migrate", "end")})
    reasons = [
        json.loads(printed("--app", "shop", "--output-format", "json", "--argocd-version", version, cwd=repo))["apps"][
            0
        ]["notApplied"][0]["reason"]
        for version in ("3.2", "3.3")
    ]
    assert reasons == ["dropped", "on deletion"]


def test_the_output_goes_to_a_file(repo: Path) -> None:
    assert printed("--output-format", "html", "-o", "plan.html", cwd=repo) == ""
    assert (repo / "plan.html").read_text("utf-8").startswith("<!doctype html>")
    assert run("-o", "no/such/folder/plan.txt", cwd=repo).returncode == 2


# -- Mermaid


def test_a_chart_keeps_to_the_grammar(repo: Path) -> None:
    chart = printed("--app", "shop", "--output-format", "mermaid", cwd=repo)
    check_chart(chart)
    assert "waits for Job migrate: fails after 5 min" in chart
    assert "if something fails" not in chart


def test_names_cannot_break_a_chart(tmp_path: Path) -> None:
    names = ['a"]; click x', "end", "`**b**`", "<script>alert(1)</script>", "a#quot;b", "subgraph x", "c\\nd", "é ü 漢"]
    text = "---\n".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {json.dumps(name)}}}\n" for name in names)
    chart = printed("--output-format", "mermaid", cwd=write(tmp_path, {"a.yaml": text}))
    check_chart(chart)
    assert "<script" not in chart


@pytest.mark.parametrize(("apps", "objects"), [(1, 600), (40, 30), (900, 2)])
def test_a_chart_stays_within_what_viewers_take(tmp_path: Path, apps: int, objects: int) -> None:
    files = {
        f"unit{app}/all.yaml": "---\n".join(
            f'apiVersion: v1\nkind: Kind{number}\nmetadata: {{name: n{number}, annotations: {{"{wave}": "{number % 7}"}}}}\n'
            for number in range(objects)
        )
        for wave in ["argocd.argoproj.io/sync-wave"]
        for app in range(apps)
    }
    chart = printed("--output-format", "mermaid", "--ignore", "GL", cwd=write(tmp_path, files))
    check_chart(chart)
    assert len(chart) <= 50_000
    assert len(re.findall(r"-->|\.->|~~~", chart)) <= 500
    if apps == 900:
        assert "more apps: use --app NAME" in chart


def finding_codes(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["code"]} if "code" in value else set()
        return own.union(*map(finding_codes, value.values()))
    return set().union(*map(finding_codes, value)) if isinstance(value, list) else set()


def test_the_example_tells_all_that_check_tells() -> None:
    plan = json.loads(printed("examples/shop", "--output-format", "json", cwd=ROOT))
    done = subprocess.run(
        [str(COMMAND), "examples/shop", "--output-format", "json"], cwd=ROOT, capture_output=True, text=True
    )
    assert finding_codes(plan) == {finding["code"] for finding in json.loads(done.stdout)["findings"]}


def test_apps_counts_what_it_shows(tmp_path: Path) -> None:
    """A folder of a repository: the others are known, and not told of."""
    text = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: %s, namespace: argocd}\nspec:\n"
        "  source: {repoURL: https://git.example.com/shop.git, path: %s/web}\n"
        "  destination: {server: https://kubernetes.default.svc, namespace: shop}\n"
    )
    (tmp_path / ".git").mkdir()
    for name in ("one", "two"):
        (tmp_path / name / "web").mkdir(parents=True)
        (tmp_path / name / "app.yaml").write_text(text % (name, name))
        (tmp_path / name / "web" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    for form in ("table", "markdown", "tree"):
        whole, part = (
            command_line.run("apps", path, "--output-format", form, cwd=tmp_path).stdout for path in (".", "one")
        )
        assert "Applications: 2 (2 seen whole)" in whole
        header = command_line.run("check", cwd=tmp_path).stdout.splitlines()[0]
        assert ("that no Application syncs" in header) is ("that no Application syncs: 0" not in whole)
        assert "Applications: 1 (1 seen whole)" in part
        assert "two" not in part


def test_apps_shows_what_makes_objects_and_not_what_lends_values(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "web").mkdir()
    (tmp_path / "web/a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    url = "https://git.example.com/shop.git"
    (tmp_path / "app.yaml").write_text(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n"
        f"  sources: [{{repoURL: {url}, ref: values}}, {{repoURL: {url}, path: web}}]\n"
        "  destination: {server: https://kubernetes.default.svc, namespace: shop}\n"
    )
    shown = command_line.run("apps", cwd=tmp_path).stdout
    assert shown.splitlines()[1].split() == ["web", "web", "in-cluster/shop", "1", "whole"]


@pytest.mark.parametrize("name", ["text", "json", "html", "mermaid"])
def test_no_mask_of_a_template_is_shown(tmp_path: Path, name: str) -> None:
    (tmp_path / "apps/templates").mkdir(parents=True)
    (tmp_path / "apps/Chart.yaml").write_text("apiVersion: v2\nname: apps\nversion: 1.0.0\n")
    (tmp_path / "apps/templates/app.yaml").write_text(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: '{{ .Values.name }}'}\nspec:\n"
        "  source: {repoURL: https://git.example.com/a.git, path: '{{ .Values.path }}'}\n"
        "  destination: {server: https://kubernetes.default.svc, namespace: '{{ .Values.space }}'}\n"
        "  syncPolicy: {syncOptions: [CreateNamespace=true]}\n"
    )
    shown = command_line.run("plan", ".", "--helm", "off", "--output-format", name, cwd=tmp_path).stdout
    assert "{{…}}" in shown or "{{...}}" in shown
    assert re.search(r"\ue000|\\ue000|#57344;", shown) is None
