"""What is written about the rules, the version and the layout is what the code says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from gitops_lint.linter import VERSION
from gitops_lint.rules import load

ROOT = Path(__file__).parents[2]


def test_the_rule_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_there_is_one_version() -> None:
    project = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert project
    assert newest
    assert VERSION == project[1] == newest[1]


def test_the_readme_leads_to_files_that_exist() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text()):
            assert (ROOT / target).exists(), f"{page} leads to {target}"


def test_every_table_names_its_sources() -> None:
    sources = json.loads((ROOT / "schemas" / "SOURCES.json").read_text())
    for path in (ROOT / "schemas").glob("*.json"):
        if path.name != "SOURCES.json" and not path.name.endswith(".schema.json"):
            assert path.name in sources, f"{path.name} has no entry in SOURCES.json"


def test_what_contributing_names_is_there() -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert len(named) > 30
    missing = [path for path in named if not any((top / path).exists() for top in (ROOT, *(ROOT / "linter").iterdir()))]
    assert missing == []


def test_every_code_lies_in_the_range_of_its_topic() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    ranges = {
        topic: [(int(first), int(last)) for first, last in re.findall(r"GL(\d+)\WGL(\d+)", cell)]
        for topic, cell in re.findall(r"\| `(\w+)` \| ((?:GL\d+\WGL\d+(?:, )?)+)", text)
    }
    for rule in load():
        assert any(first <= int(rule.code[2:]) <= last for first, last in ranges[rule.topic]), rule.code
