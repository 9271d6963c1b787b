"""Our build of a kustomization against the real one.

The pages hold what the real Kustomize printed, so that they say something
without it; with it, they are held against it as well. `--update` records anew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kustomize_pages import Case, cases, record
from kustomize_yardstick import (
    NOT_BUILT,
    differences,
    open_repository,
    our_build,
    outcome_of,
    read_objects,
    real_build,
    run_real,
)
from real_tools import kubectl

COMMAND = Path(sys.executable).with_name("gitops-lint")
CASES = cases()
BUILT_FIRST = {case.page: case for case in reversed(CASES) if not case.marks}.values()
REFUSED_FIRST = {case.page: case for case in reversed(CASES) if case.marks and case.marks[0].what == "refused"}.values()
CORPUS = os.environ.get("CORPUS", "")
"""A folder of repositories with a list, kustomize-ok.txt, of the folders in it that the real tool builds."""


def test_no_two_cases_have_one_name() -> None:
    names = [str(case) for case in CASES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path)
    ours = our_build(open_repository(tmp_path), case.folder)
    if case.marks:
        got = [(one.path, one.line, "not built" if one.cause == NOT_BUILT else "refused") for one in ours.refusals]
        assert got == [(mark.path, mark.line, mark.what) for mark in case.marks], ours.refusals or "it was built"
        for mark, refusal in zip(case.marks, ours.refusals, strict=True):
            assert mark.cause in ("", refusal.cause), refusal.message
    else:
        assert case.expected is not None, "nothing is recorded: run with --update"
        assert not ours.refusals, ours.refusals
        found = differences(ours.objects, read_objects(case.expected))
        assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_page_tells_the_truth(case: Case, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    case.write(tmp_path)
    done = run_real(kubectl(), tmp_path / case.folder)
    refused = [mark for mark in case.marks if mark.what == "refused"]
    if refused:
        assert done.returncode, "the real tool builds it"
        meant = outcome_of(done.returncode, done.stdout, done.stderr).refusals[0].cause
        assert refused[0].cause in ("", meant), done.stderr
    elif not case.marks:
        assert done.returncode == 0, done.stderr
        if pytestconfig.getoption("--update"):
            record(case, done.stdout)
        else:
            assert case.expected == done.stdout


def rendered(case: Case, root: Path) -> subprocess.CompletedProcess[str]:
    case.write(root)
    (root / ".git").mkdir()
    command = [str(COMMAND), "render", "--isolated", "--output-format", "json", case.folder]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)


@pytest.mark.parametrize("case", BUILT_FIRST, ids=str)
def test_the_command_prints_what_is_built(case: Case, tmp_path: Path) -> None:
    done = rendered(case, tmp_path)
    assert done.returncode == 0, done.stderr
    found = differences([one["object"] for one in json.loads(done.stdout)], read_objects(case.expected or ""))
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("case", REFUSED_FIRST, ids=str)
def test_the_command_tells_what_is_refused(case: Case, tmp_path: Path) -> None:
    done = rendered(case, tmp_path)
    assert done.returncode != 0
    assert f"{case.marks[0].path}:{case.marks[0].line}:" in done.stderr


def listed_folders() -> list[str]:
    return (Path(CORPUS) / "kustomize-ok.txt").read_text("utf-8").split("\n") if CORPUS else []


@pytest.mark.skipif(not CORPUS, reason="CORPUS names no folder of repositories")
def test_real_overlays() -> None:
    """At least 995 of 1,000 are equal, and none of the others is refused."""
    folders = [folder for folder in listed_folders() if folder]
    builders = {name: open_repository(Path(CORPUS) / name) for name in {folder.split("/")[0] for folder in folders}}
    unequal = []
    for folder in folders:
        repository, _, inner = folder.partition("/")
        ours = our_build(builders[repository], inner or ".")
        theirs = real_build(kubectl(), Path(CORPUS) / folder)
        assert not ours.refusals or theirs.refusals, f"{folder}: {ours.refusals}"
        found = differences(ours.objects, theirs.objects)
        if found:
            unequal.append(f"{folder}: {found[0]}")
    assert len(unequal) <= len(folders) * 0.005, "\n".join(unequal)
