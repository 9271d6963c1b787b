"""Which connections the commands open, as the system sees it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import COMMAND
from loopback import indexed, packaged, serving, written
from real_tools import helm3

CONNECT = re.compile(r"connect\(\d+, \{sa_family=AF_INET6?, .*?port=htons\((?P<port>\d+)\).*?\"(?P<address>[^\"]+)\"")


def traced(root: Path, *words: str) -> set[tuple[str, int]]:
    """Where the command and its children connect to over the network."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace")
    log = root.parent / "strace.log"
    tracing = [strace, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(log)]
    command = [str(COMMAND), *words, "--helm", str(helm3()), "--store", str(root.parent / "store")]
    env = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*tracing, *command], cwd=root, env=env, capture_output=True, text=True, check=False)
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode < 2, done.stderr
    text = log.read_text("utf-8", "replace")
    return {(found["address"], int(found["port"])) for found in CONNECT.finditer(text)}


def test_only_fetch_connects_and_only_to_whom_it_may(tmp_path: Path) -> None:
    charts = tmp_path / "charts"
    charts.mkdir()
    packaged(charts, "shop", "1.0.0", {"templates/a.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n"})
    indexed(charts)
    with serving(charts) as server, serving(charts) as other:
        apps = "".join(
            "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            f"metadata: {{name: {name}, namespace: argocd}}\nspec:\n  project: default\n"
            "  destination: {server: https://kubernetes.default.svc, namespace: shop}\n"
            f"  source: {{repoURL: '{url}', chart: shop, targetRevision: 1.0.0}}\n"
            for name, url in (("one", server.url), ("two", other.url), ("three", "https://charts.example.com"))
        )
        root = tmp_path / "repo"
        base = "resources: [apps.yaml, 'https://github.com/example/base?ref=v1']\n"
        written(root, {"apps.yaml": apps, "kustomization.yaml": base})
        connected = traced(root, "fetch", "--allow-host", server.host)
        allowed, refused = (int(one.host.rpartition(":")[2]) for one in (server, other))
        assert ("127.0.0.1", allowed) in connected
        assert {address for address, _ in connected} == {"127.0.0.1"}
        assert refused not in {port for _, port in connected}
        assert len(connected) <= 2  # the other one is the guard
        assert other.asked == []
    for command in ("check", "plan", "render", "apps"):
        assert traced(root, command) == set(), command
