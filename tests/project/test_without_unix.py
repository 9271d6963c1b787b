"""What is not there on Windows is not needed: every command, in a Python without it (tests/without_unix.py)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import ROOT

SHOP = ROOT / "examples" / "shop"


def run(*arguments: str, cwd: Path) -> tuple[int, str]:
    command = [sys.executable, str(ROOT / "tests" / "without_unix.py"), *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert "internal error" not in done.stderr, done.stderr
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    shutil.copytree(SHOP, tmp_path / "shop")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path / "shop", check=True)
    return tmp_path / "shop"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["check", "--output-format", "concise"], 1, "GL102 hook-without-deadline"),
        (["check", "--timeout", "60", "--max-memory", "2000", "--output-format", "json"], 1, '"GL102"'),
        (["check", "--diff-base", "HEAD", "--new-only"], 0, "not shown: HEAD has them, too"),
        (["plan"], 0, "PreSync"),
        (["apps"], 0, "Applications: 1"),
        (["render", "shop", "--output-format", "json"], 1, '"object"'),
        (["rule", "GL102"], 0, "hook-without-deadline"),
        (["init"], 0, ".gitops-lint.yaml"),
        (["check", "--watch"], 2, "needs a system that can fork"),
    ],
)
def test_a_command(shop: Path, arguments: list[str], code: int, said: str) -> None:
    ended, text = run(*arguments, cwd=shop)
    assert said in text
    assert ended == code, text


def test_fixes_are_written(shop: Path) -> None:
    ended, _ = run("check", "--fix", "--unsafe-fixes", cwd=shop)
    assert ended == 1
    assert "activeDeadlineSeconds: 600" in (shop / "shop" / "migrate.yaml").read_text("utf-8")
    assert sorted(path.name for path in (shop / "shop").iterdir()) == sorted(
        path.name for path in (SHOP / "shop").iterdir()
    )
