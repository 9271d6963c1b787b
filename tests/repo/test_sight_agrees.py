"""What `apps` and `check` say of every Application and set: seen, or why not, and the same in both."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
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
    assert list(differences(apps, check)) == []


def differences(apps: Any, check: Any) -> Iterator[str]:
    """What one of the two says and the other does not."""
    found, sets, summary = apps["applications"], apps["applicationSets"], check["summary"]
    counted = (len(found), sum(one["seen"] == "whole" for one in found), len(sets))
    if counted != tuple(summary[key] for key in ("applications", "applicationsSeenWhole", "applicationSets")):
        yield f"apps counts {counted}, check {summary}"
    told = {(item["path"], item["reason"], item["detail"]) for item in check["notAnalysed"]}
    by_builds = {words for _, reason, detail in told for words in (reason, f"{reason}: {detail}")}
    judged = {one["path"] for one in check["findings"]} | {path for path, _, _ in told}
    for one in found:
        if bool(one["notSeen"]) != (one["seen"] != "whole"):
            yield f"{one['name']} is seen {one['seen']}: {one['notSeen']}"
        own = {detail.removeprefix(f"{one['name']}: ") for path, _, detail in told if path == one["path"]}
        for source in one["sources"]:
            yield from (f"{one['name']}: {words}" for words in source["unresolved"] if words not in own | by_builds)
            for failure in source["failures"]:
                if failure["path"] not in judged and one["path"] not in judged:
                    yield f"{one['name']} fails, and no finding says why: {failure}"
    for one in sets:
        is_told = any((path, detail) == (one["path"], one["name"]) for path, _, detail in told)
        if (one["seen"] != "expanded" and not one["problems"]) and not is_told:
            yield f"the set {one['name']} is seen {one['seen']}"
        if one["problems"] and one["path"] not in judged:
            yield f"the set {one['name']} has problems, and no finding says which: {one['problems']}"
    if summary["complete"] and any(item["seen"] not in ("whole", "expanded") for item in (*found, *sets)):
        yield "check calls itself complete"
