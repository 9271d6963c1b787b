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
        tests = [one for one in shown_by if one.startswith("tests/")]
        assert tests, row
        assert all(_has_tests(ROOT / one) for one in tests), row


def _has_tests(path: Path) -> bool:
    files = path.rglob("test_*.py") if path.is_dir() else [path]
    return any("\ndef test_" in file.read_text("utf-8") for file in files)
