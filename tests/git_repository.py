"""Real git repositories for tests: made of texts, commit by commit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.com",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.com",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
}


class Checkout:
    """A repository and its working tree."""

    def __init__(self, root: Path, *, algorithm: str = "sha1") -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", f"--object-format={algorithm}")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.root,
            env=ENVIRONMENT,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        """None takes a file away."""
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))

    def commit(self, files: Mapping[str, str | None] | None = None) -> str:
        """Everything as it is; the name of the commit."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return self.git("rev-parse", "HEAD")


def existing(root: Path) -> Checkout:
    """A clone, a worktree or a submodule that git has made."""
    checkout = Checkout.__new__(Checkout)
    checkout.root = root
    return checkout
