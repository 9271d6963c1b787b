"""The threat model names the test that shows each of its lines."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_line_names_what_shows_it_and_that_is_there() -> None:
    rows = [line for line in (ROOT / "SECURITY.md").read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 12
    for row in rows:
        shown_by = re.findall(r"`((?:tests|scripts)/[^`]+)`", row.split(" | ")[-1])
        assert shown_by, row
        assert all((ROOT / one).exists() for one in shown_by), row
