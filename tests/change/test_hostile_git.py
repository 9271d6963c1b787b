"""A repository whose git config wants to run something: a real git is asked, and strace sees what it starts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from change_samples import application, config_map
from git_repository import Checkout

COMMAND = Path(sys.executable).with_name("gitops-lint")
COMMANDS = (
    ("check", "."),
    ("check", ".", "--diff-base", "HEAD~1"),
    ("check", ".", "--diff-base", "HEAD", "--staged"),
    ("check", ".", "--diff-base", "HEAD~1", "--new-only"),
    ("plan", ".", "--diff-base", "HEAD~1"),
    ("check", ".", "--fix", "--unsafe-fixes"),
    ("check", ".", "--config-from", "base", "--diff-base", "HEAD~1"),
)
TRAPPED = (
    "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
    "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "filter.x.process",
    "merge.x.driver", "credential.helper", "gpg.program", "gpg.ssh.program", "sequence.editor", "pager.ls-files",
    "pager.ls-tree", "uploadpack.packObjectsHook", "alias.ls-files", "alias.rev-parse", "trailer.x.command",
)  # fmt: skip
HOOKS = (
    "post-checkout",
    "pre-commit",
    "post-index-change",
    "fsmonitor-watchman",
    "reference-transaction",
    "post-rewrite",
)


def set_traps(checkout: Checkout, trap: Path) -> None:
    """Everything that git may be told to start: in the config, in what it includes, in hooks and attributes."""
    git = checkout.root / ".git"
    settings = "".join(
        f'[{section}{f" {chr(34)}{sub}{chr(34)}" if sub else ""}]\n\t{name} = "{trap}"\n'
        for section, sub, name in (
            (key.split(".")[0], ".".join(key.split(".")[1:-1]), key.split(".")[-1]) for key in TRAPPED
        )
    )
    included = checkout.root.parent / "included"
    included.write_text(f"{settings}[core]\n\thooksPath = {included.parent}/hooks\n")
    (git / "relative").write_text(settings)
    with (git / "config").open("a") as config:
        config.write(
            f"{settings}[include]\n\tpath = {included}\n\tpath = relative\n"
            f'[includeIf "gitdir:**"]\n\tpath = {included}\n[includeIf "onbranch:**"]\n\tpath = {included}\n'
            f'[includeIf "hasconfig:remote.*.url:**"]\n\tpath = {included}\n'
            f'[remote "origin"]\n\turl = "ext::{trap} %S"\n\tpromisor = true\n\tpartialclonefilter = blob:none\n'
            '[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n'
            f"[core]\n\trepositoryformatversion = 1\n\tuntrackedCache = true\n\tworktree = {checkout.root}\n"
        )
    for folder in (git / "hooks", included.parent / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            shutil.copy(trap, folder / name)
    (checkout.root / ".gitattributes").write_text("* filter=x diff=x merge=x ident text=auto\n")
    (git / "info").mkdir(exist_ok=True)
    (git / "info/attributes").write_text("* filter=x diff=x\n")


@pytest.fixture
def trapped(tmp_path: Path) -> tuple[Checkout, Path]:
    sprung = tmp_path / "sprung"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    checkout = Checkout(tmp_path / "repo")
    checkout.commit({"deploy/a.yaml": config_map("a"), "app.yaml": application("shop", "deploy")})
    checkout.commit({"deploy/a.yaml": config_map("a", data="x: y")})
    set_traps(checkout, trap)
    (checkout.root / "deploy/b.yaml").write_text(config_map("b"))
    return checkout, sprung


def state(root: Path) -> dict[str, bytes]:
    """All that git keeps, and its times do not count."""
    return {str(path): path.read_bytes() for path in sorted((root / ".git").rglob("*")) if path.is_file()}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_that_a_config_names_is_started(trapped: tuple[Checkout, Path], words: tuple[str, ...]) -> None:
    checkout, sprung = trapped
    before = state(checkout.root)
    done = subprocess.run([COMMAND, *words], cwd=checkout.root, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert not sprung.exists()
    assert state(checkout.root) == before, "git's own files are never written"


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not there")
@pytest.mark.parametrize("words", COMMANDS[1:5], ids=" ".join)
def test_git_alone_is_started_and_nothing_is_connected(
    trapped: tuple[Checkout, Path], tmp_path: Path, words: tuple[str, ...]
) -> None:
    checkout, sprung = trapped
    log = tmp_path / "log"
    traced = ["strace", "-f", "-e", "trace=execve,connect", "-o", str(log), sys.executable, str(COMMAND), *words]
    done = subprocess.run(traced, cwd=checkout.root, capture_output=True, text=True, env={**os.environ})
    if "Operation not permitted" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode in (0, 1), done.stderr
    text = log.read_text("utf-8", "replace")
    started = re.findall(r'execve\("([^"]+)".*\) = 0', text)
    assert len(started) > 1, "git is asked"
    assert {Path(one).name for one in started[1:]} <= {"git"}
    assert "AF_INET" not in text
    assert not sprung.exists()
