"""This checkout as somebody else gets it, for the tests that install it."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BROKEN_LINE = 7
BROKEN = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded
    argocd.argoproj.io/hook: PreSync
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/migrate:1.4.2
"""
"""GL102, at line `BROKEN_LINE`: the Job has no deadline."""
REPAIRED = BROKEN.replace("spec:\n  template:", "spec:\n  activeDeadlineSeconds: 600\n  template:")


def known_files() -> list[str]:
    """What git tracks or would add, as it is now."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return sorted(name for name in set(listed.stdout.split("\0")) if name and (ROOT / name).is_file())


def copy_to(folder: Path) -> Path:
    """The files without their repository, as a release archive has them."""
    for name in known_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


def git(folder: Path, *arguments: str) -> None:
    """Nothing of the developer's own git configuration takes part."""
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main")
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=clean_environment() | own
    )


def clean_environment() -> dict[str, str]:
    """Without what a surrounding git hook, CI job or Python would pass on."""
    surrounding = ("GIT_", "GITHUB_", "RUNNER_", "GITOPS_LINT_", "PYTHON", "PRE_COMMIT", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(surrounding)}


def need_package_index() -> None:
    """Skip where nothing can be installed, so that every later failure to install is our own fault."""
    reason = _why_nothing_can_be_installed()
    if reason:
        pytest.skip(f"needs a package index: {reason}")


@functools.cache
def _why_nothing_can_be_installed() -> str:
    with tempfile.TemporaryDirectory() as folder:
        fetched = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "setuptools>=77"],
            capture_output=True, text=True, env=clean_environment(),
        )  # fmt: skip
    return "" if fetched.returncode == 0 else fetched.stderr.strip().rpartition("\n")[2] or "pip download failed"
