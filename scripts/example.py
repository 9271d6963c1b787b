"""`make example`: a git repository of examples/orders, and what its pull request does when it is merged."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
ORDERS = ROOT / "examples" / "orders"
COMMAND = Path(sys.executable).with_name("gitops-lint")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "orders"
        git(repository.parent, "init", "--quiet", "--initial-branch=main", str(repository))
        for branch in ("main", "branch"):
            if branch != "main":
                git(repository, "switch", "--quiet", "--create", branch)
            for one in repository.iterdir():
                if one.name != ".git":
                    shutil.rmtree(one)
            shutil.copytree(ORDERS / branch, repository, dirs_exist_ok=True)
            git(repository, "add", "--all")
            git(repository, "commit", "--quiet", "--message", branch)
        show(repository, "check", "--diff-base", "main", "--new-only", "--min-severity", "error", "-q")
        show(repository, "plan", "--diff-base", "main")


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=example", "-c", "user.email=example@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def show(folder: Path, *words: str) -> None:
    print(f"$ gitops-lint {' '.join(words).removeprefix('check ')}", flush=True)
    subprocess.run([str(COMMAND), *words, "--argocd-version", "3.3"], cwd=folder, check=False)
    print(flush=True)


if __name__ == "__main__":
    main()
