"""The hooks, run by pre-commit itself from a tagged repository, as a user has them."""

from __future__ import annotations

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


def clone(folder: Path, published: Published, hook: str, args: str = "[]") -> Clone:
    git(folder, "init", "--quiet")
    made = Clone(folder, published)
    made.stage(
        {
            ".pre-commit-config.yaml": f"repos: [{{repo: '{published.repository}', rev: {TAG}, "
            f"hooks: [{{id: {hook}, args: {args}}}]}}]\n",
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


def test_what_is_linted_is_what_will_be_committed(published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, "gitops-lint")
    user.stage({"jobs/migrate.yaml": REPAIRED})
    (tmp_path / "jobs/migrate.yaml").write_text(BROKEN, "utf-8")
    assert user.run().returncode == 0
    assert (tmp_path / "jobs/migrate.yaml").read_text("utf-8") == BROKEN


@pytest.mark.parametrize("hook", HOOKS)
def test_all_files_can_be_checked_at_once(hook: str, published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, hook, "[--output-format, concise]")
    user.stage({"jobs/migrate.yaml": BROKEN})
    user.commit()
    broken = user.run("--all-files")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert place("jobs/migrate.yaml") in broken.stdout
    user.stage({"jobs/migrate.yaml": REPAIRED})
    assert user.run("--all-files").returncode == 0


@pytest.mark.parametrize("hook", HOOKS)
def test_nothing_runs_when_no_yaml_is_staged(hook: str, published: Published, tmp_path: Path) -> None:
    user = clone(tmp_path, published, hook)
    user.stage({"jobs/migrate.yaml": BROKEN})
    user.commit()
    user.stage({"README.md": "# Jobs\n"})
    skipped = user.run()
    assert skipped.returncode == 0, skipped.stdout
    assert "(no files to check)Skipped" in skipped.stdout


@pytest.mark.parametrize("hook", HOOKS)
def test_a_commit_that_only_deletes_runs_neither_hook(hook: str, published: Published, tmp_path: Path) -> None:
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
