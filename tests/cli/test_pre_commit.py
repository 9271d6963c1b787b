"""The hooks, run by pre-commit itself from a tagged repository, as a user has them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from checkout import BROKEN, BROKEN_LINE, REPAIRED, ROOT, clean_environment, copy_to, git, need_package_index

TAG = "v0.0.1-test"
PAGE = (ROOT / "docs" / "pre-commit.md").read_text("utf-8")
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}


@dataclass(frozen=True)
class Published:
    """This project, tagged, and pre-commit's own store with the environment made from it."""

    repository: Path
    store: Path


STAGED = "gitops-lint-staged"
BY_FILES = [name for name in HOOKS if name != STAGED]
"""Hooks that run when YAML files are part of the commit."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    need_package_index()
    repository = copy_to(tmp_path_factory.mktemp("gitops-lint"))
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "release")
    git(repository, "tag", TAG)
    return Published(repository, tmp_path_factory.mktemp("store"))


@dataclass(frozen=True)
class Clone:
    """A user's repository."""

    folder: Path
    published: Published

    def stage(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, "utf-8")
            git(self.folder, "add", "--", name)

    def commit(self) -> None:
        git(self.folder, "commit", "--quiet", "--no-verify", "--message", "work")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = clean_environment() | {"PRE_COMMIT_HOME": str(self.published.store)}
        command = [sys.executable, "-m", "pre_commit", "run", "--color=never", *arguments]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)


def configuration(published: Published, hook: str, args: str) -> str:
    return f"repos: [{{repo: '{published.repository}', rev: {TAG}, hooks: [{{id: {hook}, args: {args}}}]}}]\n"


def clone(folder: Path, published: Published, hook: str, args: str = "[]") -> Clone:
    git(folder, "init", "--quiet")
    made = Clone(folder, published)
    made.stage(
        {
            ".pre-commit-config.yaml": configuration(published, hook, args),
            "config/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n",
        }
    )
    made.commit()
    return made


def place(name: str) -> str:
    return f"{name}:{BROKEN_LINE}:"


def test_the_whole_repository_is_linted_as_soon_as_yaml_is_staged(published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, "gitops-lint", "[--output-format, concise]")
    user.stage({"jobs/migrate.yaml": BROKEN})
    first = user.run()
    assert first.returncode == 1, first.stdout + first.stderr
    assert place("jobs/migrate.yaml") in first.stdout
    assert "GL102" in first.stdout
    assert "exit code: 1" in first.stdout

    user.commit()
    user.stage({"config/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"})
    elsewhere = user.run()
    assert elsewhere.returncode == 1
    assert place("jobs/migrate.yaml") in elsewhere.stdout

    user.stage({"jobs/migrate.yaml": REPAIRED})
    repaired = user.run()
    assert repaired.returncode == 0, repaired.stdout
    assert "Passed" in repaired.stdout


def test_a_hook_that_passes_without_helm_says_that_charts_were_read_as_they_stand(
    published: Published, tmp_path: Path
) -> None:
    user = clone(tmp_path, published, "gitops-lint", "[--helm, 'off']")
    chart = {"chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n", "chart/templates/_helpers.tpl": ""}
    user.stage({**chart, "chart/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    assert "charts are not rendered without Helm" in user.run().stdout
    user.commit()
    user.stage({"chart/templates/_helpers.tpl": '{{- define "shop.name" }}shop{{ end }}\n'})
    done = user.run()
    assert done.returncode == 0
    assert "Skipped" not in done.stdout
    assert "charts are not rendered without Helm" in done.stdout


def test_what_is_linted_is_what_will_be_committed(published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, "gitops-lint")
    user.stage({"jobs/migrate.yaml": REPAIRED})
    (tmp_path / "jobs/migrate.yaml").write_text(BROKEN, "utf-8")
    assert user.run().returncode == 0
    assert (tmp_path / "jobs/migrate.yaml").read_text("utf-8") == BROKEN


@pytest.mark.parametrize("hook", BY_FILES)
def test_all_files_can_be_checked_at_once(hook: str, published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, hook, "[--output-format, concise]")
    user.stage({"jobs/migrate.yaml": BROKEN})
    user.commit()
    broken = user.run("--all-files")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert place("jobs/migrate.yaml") in broken.stdout
    user.stage({"jobs/migrate.yaml": REPAIRED})
    assert user.run("--all-files").returncode == 0


@pytest.mark.parametrize("hook", BY_FILES)
def test_nothing_runs_when_no_yaml_is_staged(hook: str, published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, hook)
    user.stage({"jobs/migrate.yaml": BROKEN})
    user.commit()
    user.stage({"README.md": "# Jobs\n"})
    skipped = user.run()
    assert skipped.returncode == 0, skipped.stdout
    assert "(no files to check)Skipped" in skipped.stdout


@pytest.mark.parametrize("hook", BY_FILES)
def test_a_commit_that_only_deletes_runs_no_hook_that_goes_by_files(
    hook: str, published: Published, tmp_path: Path
) -> None:
    user = clone(tmp_path, published, hook)
    user.stage({"jobs/migrate.yaml": BROKEN, "jobs/old.yaml": BROKEN.replace("migrate", "old")})
    user.commit()
    git(tmp_path, "rm", "--quiet", "jobs/old.yaml")
    assert "Skipped" in user.run().stdout


def test_only_the_files_of_the_commit_are_reported(published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, "gitops-lint-files", "[--output-format, concise]")
    user.stage({"jobs/old.yaml": BROKEN.replace("migrate", "old")})
    user.commit()
    user.stage({"jobs/new job.yaml": BROKEN})
    broken = user.run()
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert place("jobs/new job.yaml") in broken.stdout
    assert "jobs/old.yaml:" not in broken.stdout
    user.stage({"jobs/new job.yaml": REPAIRED})
    assert user.run().returncode == 0


def test_a_name_cannot_be_an_option(published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, "gitops-lint-files")
    user.stage({"-ostolen/it.yaml": REPAIRED, "--config=other.yaml": "select: []\n", "jobs/migrate.yaml": BROKEN})
    assert user.run().returncode == 1
    assert not (tmp_path / "stolen").exists()


def test_a_tool_that_cannot_work_stops_the_commit(published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, "gitops-lint")
    user.stage({".gitops-lint.yaml": "selekt: [GL102]\n"})
    failed = user.run()
    assert failed.returncode == 1
    assert "exit code: 2" in failed.stdout
    assert "selekt" in failed.stdout


# -- what the commit brings


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: {label}
  template:
    metadata:
      labels:
        app: {label}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.0.0
"""
CONCISE = "[--output-format, concise, --select, 'GL102,GL901,kustomize-path-missing']"


def installed(folder: Path, published: Published, hook: str = STAGED) -> Clone:
    """With an old finding, and the hook where git itself starts it."""
    user = clone(folder, published, hook, CONCISE)
    user.stage({"jobs/old.yaml": BROKEN.replace("migrate", "old"), "web.yaml": DEPLOYMENT.format(label="web")})
    user.commit()
    environment = clean_environment() | {"PRE_COMMIT_HOME": str(published.store)}
    command = [sys.executable, "-m", "pre_commit", "install", "--hook-type", "pre-commit"]
    command += ["--hook-type", "pre-merge-commit"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return user


def try_git(user: Clone, *arguments: str) -> subprocess.CompletedProcess[str]:
    own = {"PRE_COMMIT_HOME": str(user.published.store), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    return subprocess.run(
        ["git", *identity, *arguments],
        cwd=user.folder, env=clean_environment() | own, capture_output=True, text=True,
    )  # fmt: skip


def test_a_commit_is_stopped_by_what_it_brings_only(published: Published, tmp_path: Path) -> None:
    user = installed(tmp_path, published)
    user.stage({"web.yaml": DEPLOYMENT.format(label="shop"), "jobs/new.yaml": BROKEN})
    (tmp_path / "untracked.yaml").write_text(BROKEN.replace("migrate", "untracked"), "utf-8")
    stopped = try_git(user, "commit", "--message", "work")
    assert stopped.returncode == 1
    assert "web.yaml:8:12: error GL901 selector-changed:" in stopped.stderr
    assert place("jobs/new.yaml") in stopped.stderr
    assert "jobs/old.yaml:" not in stopped.stderr
    assert "untracked.yaml" not in stopped.stderr

    user.stage({"web.yaml": DEPLOYMENT.format(label="web"), "jobs/new.yaml": REPAIRED})
    done = try_git(user, "commit", "--message", "work")
    assert done.returncode == 0, done.stderr
    assert "Passed" in done.stderr


@pytest.mark.parametrize(
    ("staged", "on_disk", "exit_code"), [(BROKEN, REPAIRED, 1), (REPAIRED, BROKEN, 0)], ids=["broken", "clean"]
)
def test_what_is_staged_counts_whatever_the_file_holds(
    published: Published, tmp_path: Path, staged: str, on_disk: str, exit_code: int
) -> None:
    user = installed(tmp_path, published)
    user.stage({"jobs/migrate.yaml": staged})
    (tmp_path / "jobs/migrate.yaml").write_text(on_disk, "utf-8")
    done = try_git(user, "commit", "--message", "work")
    assert done.returncode == exit_code, done.stderr
    assert (place("jobs/migrate.yaml") in done.stderr) == bool(exit_code)
    assert (tmp_path / "jobs/migrate.yaml").read_text("utf-8") == on_disk


def test_a_commit_of_named_files_is_no_other_file(published: Published, tmp_path: Path) -> None:
    """Git then makes an index of its own."""
    user = installed(tmp_path, published)
    user.stage({"jobs/migrate.yaml": BROKEN, "README.md": "# Jobs\n"})
    assert try_git(user, "commit", "--message", "work", "--", "README.md").returncode == 0
    stopped = try_git(user, "commit", "--message", "work", "--", "jobs/migrate.yaml")
    assert stopped.returncode == 1
    assert place("jobs/migrate.yaml") in stopped.stderr


def test_a_commit_that_only_deletes_is_looked_at(published: Published, tmp_path: Path) -> None:
    user = installed(tmp_path, published)
    user.stage({"kustomization.yaml": "resources:\n  - web.yaml\n"})
    user.commit()
    git(tmp_path, "rm", "--quiet", "web.yaml")
    stopped = try_git(user, "commit", "--message", "work")
    assert stopped.returncode == 1, stopped.stderr
    assert "kustomization.yaml:2:5: warning" in stopped.stderr
    assert "kustomize-path-missing" in stopped.stderr


def test_the_first_commit_of_a_repository(published: Published, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    user = Clone(tmp_path, published)
    user.stage({".pre-commit-config.yaml": configuration(published, STAGED, CONCISE), "jobs/migrate.yaml": BROKEN})
    first = user.run()
    assert first.returncode == 1, first.stdout + first.stderr
    assert place("jobs/migrate.yaml") in first.stdout
    assert "HEAD has no commit yet, so everything counts as new" in first.stdout
    user.stage({"jobs/migrate.yaml": REPAIRED})
    assert user.run().returncode == 0


def test_a_merge_is_judged_by_what_it_brings_to_this_branch(published: Published, tmp_path: Path) -> None:
    user = installed(tmp_path, published)
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    user.stage({"jobs/theirs.yaml": BROKEN, "notes.yaml": "from: other\n"})
    user.commit()
    git(tmp_path, "checkout", "--quiet", "main")
    user.stage({"notes.yaml": "from: main\n"})
    user.commit()
    assert try_git(user, "merge", "other").returncode == 1
    unfinished = user.run()
    assert unfinished.returncode == 1
    assert "Unmerged files" in unfinished.stdout + unfinished.stderr, "pre-commit itself waits for them"
    user.stage({"notes.yaml": "from: both\n"})
    stopped = try_git(user, "commit", "--message", "merge")
    assert stopped.returncode == 1
    assert place("jobs/theirs.yaml") in stopped.stderr
    assert "jobs/old.yaml:" not in stopped.stderr


def test_a_merge_without_conflicts_is_stopped_as_well(published: Published, tmp_path: Path) -> None:
    user = installed(tmp_path, published)
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    user.stage({"jobs/theirs.yaml": BROKEN})
    user.commit()
    git(tmp_path, "checkout", "--quiet", "main")
    stopped = try_git(user, "merge", "--no-ff", "--no-edit", "other")
    assert stopped.returncode == 1
    assert place("jobs/theirs.yaml") in stopped.stderr + stopped.stdout


def test_a_worktree_has_an_index_of_its_own(published: Published, tmp_path: Path) -> None:
    (tmp_path / "main").mkdir()
    user = installed(tmp_path / "main", published)
    user.stage({"jobs/elsewhere.yaml": BROKEN.replace("migrate", "elsewhere")})
    git(user.folder, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    linked = Clone(tmp_path / "linked", published)
    linked.stage({"jobs/migrate.yaml": BROKEN})
    stopped = try_git(linked, "commit", "--message", "work")
    assert stopped.returncode == 1
    assert place("jobs/migrate.yaml") in stopped.stderr
    assert "jobs/elsewhere.yaml" not in stopped.stderr
    linked.stage({"jobs/migrate.yaml": REPAIRED})
    assert try_git(linked, "commit", "--message", "work").returncode == 0


def test_the_page_shows_valid_configurations_of_these_hooks(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for number, block in enumerate(blocks):
        path = tmp_path / f"{number}.yaml"
        path.write_text(block, "utf-8")
        subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(path)], check=True)
        for repo in yaml.safe_load(block)["repos"]:
            assert repo["rev"] == f"v{_version()}"
            assert {hook["id"] for hook in repo["hooks"]} <= set(HOOKS)
    assert re.findall(r"^\| `(.+?)` \|", PAGE, re.MULTILINE) == list(HOOKS)


def _version() -> str:
    found = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert found
    return found[1]
