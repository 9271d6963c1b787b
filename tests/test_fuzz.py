"""A short time of what `make fuzz` does for long."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

SECONDS = 12
FUZZ = Path(__file__).parents[1] / "scripts" / "fuzz.py"


def test_no_change_of_a_file_makes_a_command_fail() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(4_000)  # as the command line has it
    try:
        found = list(runpy.run_path(str(FUZZ))["failures"](SECONDS, seed=7))
    finally:
        sys.setrecursionlimit(limit)
    assert found[-1] > 3, "hardly anything was tried"
    assert not found[:-1], found[0]
