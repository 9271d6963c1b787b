"""What `make example` shows: a sync that never ends, a prune that takes data, a chart from a registry, the plan."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from checkout import ROOT
from real_tools import helm

SCREEN = 50


@cache
def printed() -> str:
    path = f"{Path(helm()).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "example.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_shows_what_is_different_here() -> None:
    assert set(re.findall(r" error (GL\d+) ", printed())) == {"GL105", "GL903", "GL931"}
    assert "the sync never gets past" in printed()
    assert "- prune       PersistentVolumeClaim    orders-data" in printed()
    assert "> run         Job                      migrate" in printed()
    assert "! refused     StatefulSet              queue" in printed(), "the chart is seen, without a network"
    assert len(printed().splitlines()) <= SCREEN


def test_the_readme_shows_what_it_prints() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    block = readme[readme.index("$ gitops-lint --diff-base main") :]
    shown = block[: block.index("```")].splitlines()
    text = " ".join(printed().split())
    for line in filter(None, shown):
        assert " ".join(line.removesuffix("…").split()) in text, line
