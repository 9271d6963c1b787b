"""What `check` did not see it says: Applications and sets whose objects are elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checkout import git
from click.testing import CliRunner, Result
from gitops_lint.linter.cli.main import cli
from gitops_lint.linter.lint.sight import look
from support import repo_of

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  destination: {{server: https://kubernetes.default.svc, namespace: default}}
  source: {source}
"""
HERE = "https://git.example.com/here.git"
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: addons, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]
  template:
    metadata: {name: '{{name}}'}
    spec:
      project: default
      source: {repoURL: https://git.example.com/here.git, path: shop}
      destination: {server: '{{server}}', namespace: default}
"""
FILES = {
    "apps/chart.yaml": APPLICATION.format(
        name="chart", source="{repoURL: https://charts.example.com, chart: redis, targetRevision: 1.2.3}"
    ),
    "apps/elsewhere.yaml": APPLICATION.format(
        name="elsewhere", source="{repoURL: https://git.example.com/other.git, path: deploy}"
    ),
    "apps/plugin.yaml": APPLICATION.format(
        name="plugin", source=f"{{repoURL: {HERE}, path: shop, plugin: {{name: own}}}}"
    ),
    "apps/shop.yaml": APPLICATION.format(name="shop", source=f"{{repoURL: {HERE}, path: shop}}"),
    "apps/set.yaml": SET,
    "shop/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, namespace: default}\n",
    ".gitops-lint.yaml": f"repo-urls: [{HERE}]\n",
}


def test_every_source_that_is_elsewhere_is_named_with_its_reason() -> None:
    sight = look(repo_of(FILES))
    assert (sight.applications, sight.seen_whole) == (5, 2)
    assert (sight.sets, sight.sets_expanded, sight.sets_open) == (1, 0, 1)
    assert {(item.path, item.reason) for item in sight.unseen} == {
        ("apps/chart.yaml", "an Application takes its chart from elsewhere: `gitops-lint fetch` brings it"),
        (
            "apps/elsewhere.yaml",
            "an Application takes its manifests from another repository: `gitops-lint fetch` brings it",
        ),
        (
            "apps/plugin.yaml",
            "a config management plugin makes the manifests of an Application: `plugins:` in the config can say what it runs",
        ),
        (
            "apps/set.yaml",
            "an ApplicationSet is seen once, with blanks: the clusters generator asks Argo CD for its clusters: `clusters:` in the config names them",
        ),
    }
    assert "chart: chart redis comes from https://charts.example.com: `gitops-lint fetch` brings it" in {
        item.detail for item in sight.unseen
    }


def reason_of(source: str, files: dict[str, str] | None = None) -> set[str]:
    """Why one Application was not seen whole."""
    others = files or {}
    app = {"apps/one.yaml": APPLICATION.format(name="one", source=source)}
    return {item.reason for item in look(repo_of({**FILES, **app, **others})).unseen if item.detail.startswith("one")}


def test_the_same_words_for_the_same_reason() -> None:
    assert reason_of(f"{{repoURL: {HERE}, path: gone}}") == {"the path of an Application is not in the repository"}
    assert reason_of(f"{{repoURL: {HERE}, path: '${{WHERE}}'}}") == {"the source of an Application is a placeholder"}
    assert reason_of(f"{{repoURL: {HERE}, path: shop}}") == set()
    assert reason_of(
        f"{{repoURL: {HERE}, path: made}}", {"made/all.jsonnet": "{}", "made/a.yaml": FILES["shop/config.yaml"]}
    ) == {"Jsonnet is not evaluated"}


def test_what_a_patch_may_change_is_told_in_its_own_words() -> None:
    patch = "patches:\n  - patch: '[{op: remove, path: /spec/nothing}]'\n    target: {kind: Application}\n"
    files = {"apps/kustomization.yaml": f"resources: [one.yaml]\n{patch}"}
    (reason,) = reason_of(f"{{repoURL: {HERE}, path: gone}}", files)
    assert reason not in ("the path of an Application is not in the repository", "")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / ".git").mkdir()
    return tmp_path


def check(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", str(folder), *arguments])


def report(folder: Path) -> Any:
    return json.loads(check(folder, "--output-format", "json").stdout)


def test_check_counts_them_and_is_not_complete(repository: Path) -> None:
    summary = report(repository)["summary"]
    assert summary["complete"] is False
    assert (summary["applications"], summary["applicationsSeenWhole"]) == (5, 2)
    assert len(report(repository)["notAnalysed"]) == 4
    text = check(repository).stdout
    seen = "5 Applications (2 seen whole; 2 need `gitops-lint fetch`)"
    assert f"{seen}, 1 ApplicationSet (none expanded, 1 seen once with blanks)" in text
    assert "Not analysed (1): an Application takes its chart from elsewhere" in text


def test_the_header_counts_what_only_wants_for_helm(repository: Path) -> None:
    (repository / "shop/Chart.yaml").write_text("apiVersion: v2\nname: shop\nversion: 1.0.0\n")
    (repository / "shop/templates").mkdir()
    (repository / "shop/config.yaml").rename(repository / "shop/templates/config.yaml")
    result = check(repository, "--helm", "off")
    assert "5 Applications (none seen whole; 2 need Helm; 2 need `gitops-lint fetch`)" in " ".join(
        result.output.split()
    )


def test_strict_fails_a_run_that_did_not_see_everything(repository: Path) -> None:
    assert check(repository, "--fail-on", "error").exit_code == 0
    done = check(repository, "--fail-on", "error", "--strict")
    assert done.exit_code == 1
    assert "not everything was looked into" in done.stderr
    for name in ("chart", "elsewhere", "plugin", "set"):
        (repository / "apps" / f"{name}.yaml").unlink()
    assert report(repository)["summary"]["complete"] is True
    assert check(repository, "--fail-on", "error", "--strict").exit_code == 0


def test_one_application_one_rule_one_severity(repository: Path) -> None:
    (repository / "shop" / "job.yaml").write_text(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  namespace: default\n"
        "  annotations: {argocd.argoproj.io/hook: PreSync}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b:1}]}}}\n"
    )
    assert "GL102" in check(repository, "--app", "shop", "--quiet").stdout
    assert "GL102" not in check(repository, "--app", "chart").stdout
    assert check(repository, "--app", "shopp").exit_code == 2
    assert "did you mean 'shop'?" in check(repository, "--app", "shopp").stderr
    shown = check(repository, "--show", "hook-without-deadline")
    assert shown.stdout.count("[GL") == 1
    assert shown.exit_code == 1
    assert check(repository, "--show", "nonsense").exit_code == 2
    silent = check(repository, "--min-severity", "error")
    assert silent.exit_code == 0, "the exit code is about what is reported"
    assert "not asked for" in silent.stdout
    assert "shop\n" in check(repository, "--group-by", "app").stdout


def apps(folder: Path, *arguments: str) -> str:
    done = CliRunner().invoke(cli, ["apps", str(folder), *arguments], env={"COLUMNS": "90"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_apps_and_check_agree_on_what_was_seen(repository: Path) -> None:
    broken = APPLICATION.format(name="broken", source=f"{{repoURL: {HERE}, path: broken}}")
    (repository / "apps" / "broken.yaml").write_text(broken)
    (repository / "broken").mkdir()
    (repository / "broken" / "kustomization.yaml").write_text("resources: [gone.yaml, github.com/x/y]\n")
    listed, checked = json.loads(apps(repository, "--output-format", "json")), report(repository)
    seen = {one["name"]: one["seen"] for one in listed["applications"]}
    assert seen == {
        "shop": "whole", "chart": "not", "elsewhere": "not", "plugin": "not", "broken": "not", "{{name}}": "whole"
    }  # fmt: skip
    assert checked["summary"]["applications"] == len(seen)
    assert checked["summary"]["applicationsSeenWhole"] == list(seen.values()).count("whole")
    told = [f"{item['path']} {item['detail']}" for item in checked["notAnalysed"]]
    for one in listed["applications"]:
        assert bool(one["notSeen"]) is (one["seen"] != "whole")
        if one["notSeen"]:
            assert any(one["path"] in line or one["sources"][0]["path"] in line for line in told), one["name"]
    assert [one["seen"] for one in listed["applicationSets"]] == ["once"]


def test_apps_is_a_table_that_fits_a_tree_and_markdown(repository: Path) -> None:
    table = apps(repository)
    lines = table.splitlines()
    end = next(at for at, line in enumerate(lines) if line.startswith("Applications:"))
    assert max(map(len, (*lines[:end], *lines[end + 1 :]))) <= 90
    assert lines[end + 1] == "Not seen whole:"
    reasons = " ".join(" ".join(lines[end + 2 :]).split())
    assert "1 an Application takes its chart from elsewhere: `gitops-lint fetch` brings it" in reasons
    assert "1 an ApplicationSet is seen once, with blanks: the clusters generator asks Argo CD" in reasons
    assert table.splitlines()[0].split() == ["application", "source", "to", "objects", "seen"]
    assert "chart redis comes from" in apps(repository, "--output-format", "markdown")
    assert "  ! chart redis comes from https://charts.example.com" in apps(repository, "--output-format", "tree")


def test_a_folder_is_judged_with_the_repository_around_it(repository: Path) -> None:
    shop = repository / "shop"
    whole, part = report(repository), report(shop)
    expected = [one for one in whole["findings"] if one["path"].startswith("shop/")]
    assert [(one["code"], one["severity"]) for one in part["findings"]] == [
        (one["code"], one["severity"]) for one in expected
    ]
    assert part["summary"]["applications"] == whole["summary"]["applications"]
    alone = json.loads(check(shop, "--output-format", "json", "--no-context").stdout)
    assert alone["summary"]["applications"] == 0
    assert "elsewhere" not in apps(shop)
    assert check(repository / ".git").exit_code == 2


@pytest.mark.parametrize(
    ("options", "unseen"),
    [
        ("", "Jsonnet is not evaluated: shop/main.jsonnet"),
        (", directory: {recurse: true}", "Jsonnet is not evaluated: shop/lib/more.jsonnet and 1 more"),
        (", directory: {exclude: '*.jsonnet'}", ""),
        (", directory: {include: '*.yaml'}", ""),
    ],
)
def test_a_folder_of_programs_is_not_empty(tmp_path: Path, options: str, unseen: str) -> None:
    """Argo CD runs what ends in .jsonnet; we do not, and say so, on the disk and in the index."""
    files = {
        "apps/shop.yaml": APPLICATION.format(name="shop", source=f"{{repoURL: {HERE}, path: shop{options}}}"),
        "shop/main.jsonnet": "import 'lib/x.libsonnet'\n",
        "shop/x.libsonnet": "{}\n",
        "shop/lib/more.jsonnet": "{}\n",
        "shop/lib/config.yaml": FILES["shop/config.yaml"],
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    for where in ((), ("--staged",)):
        found = json.loads(check(tmp_path, "--isolated", "--output-format", "json", *where).stdout)
        reasons = [(item["reason"], item["detail"]) for item in found["notAnalysed"]]
        assert reasons == ([("Jsonnet is not evaluated", f"shop: {unseen}")] if unseen else [])
        said = "directory-subfolders-ignored" in {item["name"] for item in found["findings"]}
        assert said == ("exclude" in options)
