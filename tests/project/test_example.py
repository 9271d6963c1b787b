"""What `make example` shows: a sync that never ends, a prune that takes data, the plan, on one screen."""

from __future__ import annotations

import re
import subprocess
import sys

from checkout import ROOT

SCREEN = 50


def test_the_example_shows_what_is_different_here() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "example.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(re.findall(r"error\[(GL\d+)\]", done.stdout)) == {"GL105", "GL931"}
    assert "the sync never gets past" in " ".join(done.stdout.split())
    assert "- prune       PersistentVolumeClaim    orders-data" in done.stdout
    assert "> run         Job                      migrate" in done.stdout
    assert len(done.stdout.splitlines()) <= SCREEN


def test_the_readme_shows_what_it_prints() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "example.py")], capture_output=True, text=True)
    readme = (ROOT / "README.md").read_text("utf-8")
    block = readme[readme.index("$ gitops-lint --diff-base main") :]
    shown = block[: block.index("```")].splitlines()
    printed = " ".join(done.stdout.split())
    for line in filter(None, shown):
        assert " ".join(line.removesuffix("…").removeprefix("   =").split()) in printed, line
