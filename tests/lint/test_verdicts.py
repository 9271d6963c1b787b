"""Findings on real repositories that people have judged: what was false stays away, what was worth acting on stays.

`VERDICT_REPOS` names a folder with the repositories, each called ``owner+name``; those that are
missing there are left out, and so are verdicts on files that they no longer have. `scripts/judge.py`
collects such verdicts; tests/data/verdicts.json has, by repository, code, severity, path, line, whether it
was true, and whether a maintainer would act on it. Where that was looked into once more, an entry says how it
is told today, and that is tested instead: ``unread``, nobody applies the file, so that --show-unread tells it, or
the code and the path of the finding that has the same cause.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from gitops_lint.linter.lint.rule import Severity

FOLDER = os.environ.get("VERDICT_REPOS", "")
DATA = Path(__file__).parents[1] / "data" / "verdicts.json"
COMMAND = Path(sys.executable).with_name("gitops-lint")
KEPT = 0.95
"""The share of what was true and worth acting on that must still be reported."""
UNREAD = "unread"
TOLD = re.compile(r"GL\d{3} [^/].*")
needs_repositories = pytest.mark.skipif(not FOLDER, reason="VERDICT_REPOS names no folder of judged repositories")


class Judged(NamedTuple):
    repo: str
    code: str
    severity: Severity
    path: str
    line: int
    verdict: str
    act: str
    today: str = ""
    """How it is told since it was looked into again."""

    @property
    def told_as(self) -> tuple[str, str]:
        """Code and path of what tells it."""
        code, _, path = self.today.partition(" ")
        return (code, path) if path else (self.code, self.path)


def judged() -> list[Judged]:
    return [
        Judged(repo, code, Severity[severity.upper()], path, line, verdict, act, *today)
        for repo, rows in json.loads(DATA.read_text("utf-8")).items()
        for code, severity, path, line, verdict, act, *today in rows
    ]


def here() -> Iterator[Judged]:
    yield from (one for one in judged() if (Path(FOLDER) / one.repo / one.path).is_file())


@cache
def reported(repo: str, *options: str) -> dict[tuple[str, str], dict[int, Severity]]:
    """By code and path: the lines and how severe each is."""
    command = [str(COMMAND), "check", ".", "--isolated", "--exit-zero", "--output-format", "json", *options]
    done = subprocess.run(command, cwd=Path(FOLDER) / repo, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, str], dict[int, Severity]] = {}
    for one in json.loads(done.stdout)["findings"]:
        lines = found.setdefault((one["code"], one["path"]), {})
        line = one["range"]["start"]["line"]
        lines[line] = max(lines.get(line, Severity.NOTE), Severity[one["severity"].upper()])
    return found


def test_the_verdicts_are_well_formed() -> None:
    found = judged()
    assert len(found) > 1_000
    assert {one.verdict for one in found} == {"TRUE", "FALSE", "UNSURE"}
    assert {one.act for one in found} == {"ACT", "SHRUG"}
    assert all(not one.today or one.today == UNREAD or TOLD.fullmatch(one.today) for one in found)
    assert all(one.line >= 1 and not one.path.startswith("/") for one in found)


def seen_with(one: Judged) -> tuple[str, ...]:
    return ("--show-unread",) if one.today == UNREAD else ()


@needs_repositories
def test_nothing_that_was_judged_false_comes_back() -> None:
    """As severe as it was: a milder word on the same line may be a true one."""
    back = [
        one
        for one in here()
        if one.verdict == "FALSE" and reported(one.repo).get((one.code, one.path), {}).get(one.line, 0) >= one.severity
    ]
    assert not back, "\n".join(f"{one.code} {one.severity} {one.repo}/{one.path}:{one.line}" for one in back)


@needs_repositories
def test_what_was_true_and_worth_acting_on_is_still_reported() -> None:
    """In the same file: what has one cause may stand on another line of it."""
    wanted = [one for one in here() if (one.verdict, one.act) == ("TRUE", "ACT")]
    lost = [one for one in wanted if one.told_as not in reported(one.repo, *seen_with(one))]
    told = "\n".join(f"{one.code} {one.severity} {one.repo}/{one.path}:{one.line}" for one in lost)
    assert len(lost) <= (1 - KEPT) * len(wanted), f"{len(lost)} of {len(wanted)}:\n{told}"
