"""A short time of what `make fuzz` does for long."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SECONDS = "12"
FUZZ = Path(__file__).parents[2] / "scripts" / "fuzz.py"


def test_no_change_of_a_file_makes_a_command_fail() -> None:
    done = subprocess.run([sys.executable, str(FUZZ), SECONDS, "7"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = re.search(r"(\d+) runs", done.stdout)
    assert runs
    assert int(runs[1]) > 3, "hardly anything was tried"
