"""What `apps` and `check` say of every Application and set: seen, or why not, and the same in both."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from real_tools import helm3

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(path for path in (ROOT / "tests" / "golden").iterdir() if path.is_dir())
CORPUS = sorted(path for path in Path(os.environ.get("SIGHT_REPOS", "/nowhere")).glob("*") if path.is_dir())
"""A folder of repositories, for a look at more than the samples."""


def answer(root: Path, command: str) -> Any:
    done = run(command, "--output-format", "json", "--helm", str(helm3()), "--isolated", cwd=root)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


@pytest.mark.parametrize("root", [*SAMPLES, *CORPUS], ids=lambda path: path.name)
def test_nothing_is_silent(root: Path, tmp_path: Path) -> None:
    if root in SAMPLES:  # which lie in a repository of their own
        root = Path(shutil.copytree(root, tmp_path / "copy"))
    apps, check = answer(root, "apps"), answer(root, "check")
    if check is None:
        pytest.skip("there is nothing to check")
    found, sets = apps["applications"], apps["applicationSets"]
    summary = check["summary"]
    assert summary["applications"] == len(found)
    assert summary["applicationsSeenWhole"] == sum(one["seen"] == "whole" for one in found)
    assert all(bool(one["notSeen"]) == (one["seen"] != "whole") for one in found)
    told = json.dumps(check["notAnalysed"], ensure_ascii=False)
    fails = [one for one in found if any(source["failures"] for source in one["sources"])]
    for one in found:
        for source in one["sources"]:
            for words in source["unresolved"]:
                detail = json.dumps(words, ensure_ascii=False)[1:-1]
                assert detail in told or any(part in told for part in _parts(detail)), (one["name"], words)
    unseen = [one for one in sets if one["seen"] != "expanded" and one["unresolved"]]
    assert all(json.dumps(one["name"], ensure_ascii=False)[1:-1] in told for one in unseen)
    if any(one["seen"] != "whole" for one in found if one not in fails) or unseen:
        assert summary["complete"] is False


def _parts(words: str) -> list[str]:
    """What a build lacks is told with the build: the reason, and what it is about."""
    reason, _, detail = words.rpartition(": ")
    return [one for one in (reason, detail) if one]
