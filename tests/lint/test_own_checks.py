"""Checks that stand in the config, options of rules, severities by path."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from gitops_lint.linter.cli.main import cli

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
        - name: web
          image: web:latest
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: PROJECT
  source: {repoURL: https://example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
"""
CHECK: dict[str, Any] = {
    "name": "image-by-tag-latest",
    "code": "ACME001",
    "kinds": ["Deployment"],
    "cel": "object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))",
    "message": "an image with the tag latest",
    "happens": "Nobody knows what runs.",
    "do": "Name the version.",
    "severity": "error",
    "see": ["https://example.com/images"],
    "bad": DEPLOYMENT,
    "good": DEPLOYMENT.replace("latest", "1.0"),
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "remote", "add", "origin", "https://example.com/shop.git"], check=True)
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def config(**values: Any) -> None:
    Path(".gitops-lint.yaml").write_text(
        yaml.safe_dump({key.replace("_", "-"): value for key, value in values.items()})
    )


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, list(arguments))
    return result.exit_code, result.output


def findings(*arguments: str, code: str = "ACME001") -> list[dict[str, Any]]:
    _, text = run("check", "--output-format", "json", *arguments)
    return [one for one in json.loads(text)["findings"] if one["code"] == code]


def test_a_check_is_a_rule(tree: Path) -> None:
    config(checks=[CHECK])
    [found] = findings()
    assert found["message"].startswith("Deployment 'web': an image with the tag latest")
    assert (found["severity"], found["name"], found["moment"]) == ("error", "image-by-tag-latest", "sync")
    assert found["range"]["start"]["line"] == 8, "the field that the expression speaks of first"
    assert found["url"] == "https://example.com/images"
    assert run("check", "--select", "ACME001")[0] == 1
    assert findings("--ignore", "image-by-tag-latest") == []
    assert findings("--select", "ACME")


@pytest.mark.parametrize(
    "form", ["sarif", "html", "junit", "gitlab", "rdjson", "azure", "github", "markdown", "grouped"]
)
def test_every_format_has_it(tree: Path, form: str) -> None:
    config(checks=[CHECK])
    assert "ACME001" in run("check", "--output-format", form)[1]


def test_it_can_be_ignored_and_required(tree: Path) -> None:
    Path("web/web.yaml").write_text(f"# gitops-lint: ignore[image-by-tag-latest] a demo\n{DEPLOYMENT}")
    config(checks=[CHECK])
    assert findings() == []
    config(checks=[CHECK], required=["ACME001"])
    assert len(findings()) == 1


def test_kinds_have_groups_and_namespaces_patterns(tree: Path) -> None:
    for kinds, count in ((["apps/Deployment"], 1), (["example.com/Deployment"], 0), ([], 1)):
        config(checks=[{**CHECK, "kinds": kinds}])
        assert len(findings()) == count, kinds
    config(checks=[{**CHECK, "namespaces": ["prod-*"]}])
    assert findings() == []
    Path("web/web.yaml").write_text(DEPLOYMENT.replace("name: web\nspec", "name: web\n  namespace: prod-a\nspec"))
    assert len(findings()) == 1


def test_an_expression_may_ask_for_the_application(tree: Path) -> None:
    check = {**CHECK, "cel": "app.spec.project != 'default' || object.kind != 'Deployment'"}
    config(checks=[check])
    assert findings() == [], "nobody syncs it"
    for project, count in (("default", 1), ("shop", 0)):
        Path("app.yaml").write_text(APPLICATION.replace("PROJECT", project))
        assert len(findings()) == count, project


def test_an_error_is_a_finding_and_what_nobody_can_tell_a_note(tree: Path) -> None:
    config(checks=[{**CHECK, "cel": "object.spec.replicas > 1"}])
    [found] = findings()
    assert "ends with an error: no such key: replicas" in found["message"]
    config(checks=[{**CHECK, "cel": "object.metadata.name > 1"}])
    [found] = findings()
    assert found["severity"] == "note"
    assert "nobody can tell" in found["message"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cel": "objct.spec"}, "'objct' is not known; there are `object` and `app`; did you mean 'object'?"),
        ({"cel": "object.name.endWith('a')"}, "there is no function endWith(); did you mean 'endsWith'?"),
        ({"cel": "object.name.endsWith('a', 'b')"}, "there is no function endsWith() with so many arguments"),
        ({"cel": "object.name =="}, "'the end' at character 15 is not expected"),
        ({"cel": "1 == 1"}, "it asks nothing about `object` or `app`"),
        ({"code": "GL102"}, "'GL102' is not written like 'ACME001'"),
        ({"name": "hook-without-deadline"}, "there is a rule 'hook-without-deadline' already"),
        ({"name": "Not Good"}, "'Not Good' is not written like 'image-by-tag-latest'"),
        ({"moment": "never"}, "must be one of sync, install"),
        ({"message": "x" * 81}, "must be at most 80 characters"),
        ({"kind": ["Job"]}, "unknown option 'kind' in checks[0]; did you mean 'kinds'?"),
    ],
)
def test_what_is_wrong_with_a_check_is_said_with_its_line(tree: Path, change: dict[str, Any], message: str) -> None:
    config(checks=[{**CHECK, **change}])
    code, text = run("check")
    assert code == 2
    assert message in text
    assert text.startswith("error: .gitops-lint.yaml:")


def test_two_checks_have_two_names(tree: Path) -> None:
    config(checks=[CHECK, {**CHECK, "name": "other"}])
    assert "checks[1].code: there is a rule 'ACME001' already" in run("check")[1]


# -- its own tests


def test_examples_are_tests(tree: Path) -> None:
    config(checks=[CHECK])
    assert run("rule", "--test") == (0, "ok     ACME001 image-by-tag-latest\n1 check passed.\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bad": CHECK["good"]}, "says yes to Deployment 'web' of its bad example"),
        ({"good": CHECK["bad"]}, "says no to Deployment 'web' of its good example"),
        (
            {"good": "kind: Deployment\napiVersion: apps/v1\n"},
            "says error (no such key: spec) to Deployment of its good",
        ),
        ({"bad": ""}, "has no bad example"),
        ({"kinds": ["Job"]}, "is not asked about any object of its bad example"),
        ({"bad": "a: [1"}, "has a bad example that is no YAML"),
        ({"cel": "object.metadata.name > 1"}, "says unknown (an order of values that do not fit together)"),
    ],
)
def test_examples_that_fail_are_told(tree: Path, change: dict[str, Any], message: str) -> None:
    config(checks=[{**CHECK, **change}])
    code, text = run("rule", "--test")
    assert code == 1
    assert message in text
    assert "1 check, 1 failed." in text


def test_the_application_of_an_example_is_its_app(tree: Path) -> None:
    objects = APPLICATION.replace("PROJECT", "default") + "---\n" + DEPLOYMENT
    check = {**CHECK, "cel": "app.spec.project != 'default' || object.kind == 'Application'"}
    config(checks=[{**check, "bad": objects, "good": objects.replace("default", "shop")}])
    assert run("rule", "--test")[0] == 0


def test_the_manual_has_it(tree: Path) -> None:
    config(checks=[CHECK])
    assert "This must hold:" in run("rule", "image-by-tag-latest")[1]
    assert "ACME001 image-by-tag-latest" in run("rule", "--list")[1]
    assert json.loads(run("rule", "ACME001", "--output-format", "json")[1])["topic"] == "checks"
    assert run("rule", "--test", "nothing")[0] == 2


# -- in a pull request


def test_a_change_cannot_take_a_check_away_for_its_own_review(tree: Path) -> None:
    config(checks=[CHECK])
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "a"], check=True)
    config(checks=[{**CHECK, "cel": "object.kind == 'Deployment'"}])
    assert findings("--diff-base", "HEAD", "--config-from", "base")
    assert findings("--diff-base", "HEAD", "--config-from", "head") == []
    for source in ("base", "head"):
        assert (
            "silences: 1 rule (image-by-tag-latest)" in run("check", "--diff-base", "HEAD", "--config-from", source)[1]
        )


# -- options and paths


def test_severities_by_path(tree: Path) -> None:
    config(checks=[CHECK], per_path=[{"path": "web", "severity": {"ACME": "note"}}])
    assert findings()[0]["severity"] == "note"
    config(checks=[CHECK], per_path=[{"path": "other", "severity": {"ACME": "note"}}])
    assert findings()[0]["severity"] == "error"
    config(checks=[CHECK], per_path=[{"path": "web", "moments": {"sync": "warning"}}])
    assert findings()[0]["severity"] == "warning"
    last = [{"path": "web", "severity": {"ACME": "note"}}, {"path": "web/*.yaml", "severity": {"ACME": "warning"}}]
    config(checks=[CHECK], per_path=last)
    assert findings()[0]["severity"] == "warning"
    config(per_path=[{"path": "web", "severity": {"GL1O2": "note"}}])
    assert "unknown rule 'GL1O2'" in run("check")[1]


def test_the_deadline_that_a_fix_proposes(tree: Path) -> None:
    hook = "annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded}"
    Path("web/web.yaml").write_text(
        f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  {hook}\nspec:\n  backoffLimit: 1\n"
    )
    config(options={"hook-without-deadline": {"deadline": 1800}})
    assert "+  activeDeadlineSeconds: 1800" in run("check", "--diff", "--unsafe-fixes")[1]
    for options, message in (
        ({"hook-without-deadline": {"dedline": 1}}, "unknown option 'dedline' in options.hook-without-deadline"),
        ({"hook-without-deadline": {"deadline": "1h"}}, "must be a whole number, not '1h'"),
        ({"hook-without-deadline": {"deadline": 0}}, "must be at least 1, not 0"),
        ({"hook-with-deadline": {}}, "did you mean 'hook-without-deadline'?"),
    ):
        config(options=options)
        code, text = run("check")
        assert (code, message in text) == (2, True), text


def test_which_kinds_hold_data(tree: Path) -> None:
    Path("app.yaml").write_text(APPLICATION.replace("PROJECT", "shop") + "  syncPolicy: {automated: {prune: true}}\n")
    Path("web/web.yaml").write_text("apiVersion: example.com/v1\nkind: Database\nmetadata: {name: a}\n")

    def of_data() -> list[dict[str, Any]]:
        return findings("--select", "prune-stateful-unprotected", code="GL504")

    assert of_data() == []
    config(data_kinds={"example.com/Database": True})
    assert len(of_data()) == 1
    Path("web/web.yaml").write_text("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {}\n")
    assert len(of_data()) == 1
    config(data_kinds={"PersistentVolumeClaim": False})
    assert of_data() == []
