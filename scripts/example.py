"""`make example`: a git repository of examples/orders, and what its pull request does when it is merged.

Its chart would come from a registry, by `gitops-lint fetch`. The example carries it, so that
nothing is asked for: both versions go into a store, and each branch has the lock that names its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gitops_lint.linter.fetch.content_store import Store
from gitops_lint.linter.fetch.lock_file import LOCK_NAME, Locked, written_lock
from gitops_lint.linter.fetch.packed import packed
from gitops_lint.linter.fetch.wanted import chart_wanted

ROOT = Path(__file__).parents[1]
ORDERS = ROOT / "examples" / "orders"
COMMAND = Path(sys.executable).with_name("gitops-lint")
REGISTRY = "https://charts.example.com"
CHART = "queue"
VERSIONS = {"main": "1.4.2", "branch": "2.0.0"}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository, store = Path(folder) / "orders", Store(Path(folder) / "carried")
        git(repository.parent, "init", "--quiet", "--initial-branch=main", str(repository))
        for branch, version in VERSIONS.items():
            if branch != "main":
                git(repository, "switch", "--quiet", "--create", branch)
            for one in repository.iterdir():
                if one.is_dir() and one.name != ".git":
                    shutil.rmtree(one)
            shutil.copytree(ORDERS / branch, repository, dirs_exist_ok=True)
            (repository / LOCK_NAME).write_text(lock_of(version, store), "utf-8")
            git(repository, "add", "--all")
            git(repository, "commit", "--quiet", "--message", branch)
        words = ("--store", str(store.folder))
        show(
            repository,
            words,
            "check",
            "--diff-base",
            "main",
            "--new-only",
            "--min-severity",
            "error",
            "--output-format",
            "concise",
            "-q",
        )
        show(repository, words, "plan", "--diff-base", "main")


def lock_of(version: str, store: Store) -> str:
    """The lock that `gitops-lint fetch` writes for a version of the chart, which lies in the store then."""
    source = ORDERS / "charts" / f"{CHART}-{version}"
    files = {f"{CHART}/{one.relative_to(source).as_posix()}": one for one in source.rglob("*") if one.is_file()}
    wanted = chart_wanted(REGISTRY, CHART, version)
    assert wanted is not None
    return written_lock(
        {wanted: Locked(version, store.put(packed({name: one.read_bytes() for name, one in files.items()})))}
    )


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=example", "-c", "user.email=example@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def show(folder: Path, options: tuple[str, ...], *words: str) -> None:
    print(f"$ gitops-lint {' '.join(words).removeprefix('check ')}", flush=True)
    subprocess.run([str(COMMAND), *words, *options, "--argocd-version", "3.3"], cwd=folder, check=False)
    print(flush=True)


if __name__ == "__main__":
    main()
