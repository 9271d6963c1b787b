"""Which connections the commands open, as the system sees it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import COMMAND
from gitops_lint.linter.cli.main import cli
from loopback import indexed, packaged, serving, written
from real_tools import helm3

CONNECT = re.compile(r"connect\(\d+, \{sa_family=AF_INET6?, .*?port=htons\((?P<port>\d+)\).*?\"(?P<address>[^\"]+)\"")


SENT = re.compile(r"send(?:to|msg)\(.*?sa_family=AF_INET6?, .*?port=htons\((?P<port>\d+)\).*?\"(?P<address>[^\"]+)\"")
"""To somebody without a connection: how a name is asked for."""
OFFLINE = {
    "apps": [],
    "check": [],
    "completion": ["bash"],
    "init": ["--force"],
    "plan": [],
    "render": [],
    "rule": ["hook-without-deadline"],
    "server": [],
}
"""Every command but `fetch`, with a word that it needs."""
WITH_HELM = ("apps", "check", "plan", "render", "server")
WITH_STORE = ("apps", "check", "plan", "render")


def spoken(root: Path) -> str:
    """What an editor says to the server: which folder, which file, and that is all."""
    page = root / "apps.yaml"
    opened = {"uri": page.as_uri(), "languageId": "yaml", "version": 1, "text": page.read_text()}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
        {"id": 2, "method": "textDocument/codeAction", "params": {
            "textDocument": {"uri": page.as_uri()}, "context": {"diagnostics": []},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
        }},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]  # fmt: skip
    texts = (json.dumps({"jsonrpc": "2.0", **one}) for one in messages)
    return "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)


def traced(root: Path, *words: str, stdin: str = "") -> set[tuple[str, int]]:
    """Where the command and its children connect to over the network, or send to."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("there is no strace")
    log = root.parent / "strace.log"
    tracing = [strace, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(log)]
    helm = ["--helm", str(helm3())] if words[0] in (*WITH_HELM, "fetch") else []
    store = ["--store", str(root.parent / "store")] if words[0] in (*WITH_STORE, "fetch") else []
    command = [str(COMMAND), *words, *helm, *store]
    env = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*tracing, *command], cwd=root, env=env, input=stdin, capture_output=True, text=True, check=False
    )
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode < 2, done.stderr
    text = log.read_text("utf-8", "replace")
    return {(found["address"], int(found["port"])) for one in (CONNECT, SENT) for found in one.finditer(text)}


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
    for command, words in OFFLINE.items():
        said = spoken(root) if command == "server" else ""
        assert traced(root, command, *words, stdin=said) == set(), command


def test_no_command_is_left_out() -> None:
    assert {*OFFLINE, "fetch"} == set(cli.commands)
