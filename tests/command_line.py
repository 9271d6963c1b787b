"""The installed command, run as a user would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("gitops-lint")
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template: {}
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n"


def run(*args: str, cwd: Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), **env}
    return subprocess.run([str(COMMAND), *args], cwd=cwd, input=stdin, capture_output=True, text=True, env=clean)


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Code and place of each finding of a concise report."""
    return [f"{line.split()[2]} {line.split(' ')[0].rstrip(':')}" for line in done.stdout.splitlines() if " GL" in line]
