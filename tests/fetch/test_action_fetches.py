"""The GitHub Action: when it fetches, and who says what. The command is one that only writes down how it is called."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from action_runner import Action, Job, Step
from checkout import ROOT

ACTION = Action.read(ROOT)
RECORDER = """\
import json, sys
from pathlib import Path

words = sys.argv[1:]
with Path(__file__).with_name("calls").open("a") as calls:
    calls.write(json.dumps(words) + "\\n")
for before, word in zip(words, words[1:]):
    if before == "-o":
        Path(word).write_text(json.dumps({"causes": [], "summary": {"errors": 0, "warnings": 0, "notes": 0}}))
"""
OWN, FORK = "team/gitops", "stranger/gitops"


def used(tmp_path: Path, fetch: str, head: str = "", base: str = "", *, has_lock: bool = True) -> tuple[Job, list[str]]:
    """The action, and how it called `fetch`; nothing if it did not."""
    workspace, temp, directory = (tmp_path / name for name in ("workspace", "temp", "directory"))
    for one in (workspace, temp, directory / "venv" / "bin"):
        one.mkdir(parents=True)
    (directory / "venv" / "bin" / "python").symlink_to(sys.executable)
    (directory / "venv" / "bin" / "gitops-lint").write_text(RECORDER)
    if has_lock:
        (workspace / "gitops-lint.lock").write_text('{"version": 1, "entries": []}')
    event = (
        {"pull_request": {"head": {"repo": {"full_name": head}}, "base": {"repo": {"full_name": OWN}}}} if head else {}
    )
    done = {
        "install": Step({"directory": str(directory), "version": "1"}),
        "base": Step({"revision": base} if base else {}),
    }
    steps = [step for step in ACTION.steps if step.get("id") in ("store", "lint") or "cache" in step.get("uses", "")]
    action = Action({**ACTION.metadata, "runs": {"steps": steps}})
    job = Job(action, ROOT, workspace, temp, {"fetch": fetch}, event=event, steps=done).run()
    calls = directory / "venv" / "bin" / "calls"
    lines = calls.read_text().splitlines() if calls.exists() else []
    found = [line for line in lines if line.startswith('["fetch"')]
    return job, found


def test_what_the_lock_names_is_fetched_and_kept(tmp_path: Path) -> None:
    job, calls = used(tmp_path, "locked")
    assert job.exit_code == 0, job.log
    (call,) = calls
    assert '"--locked"' in call
    assert "--lock-from" not in call
    (cache,) = job.caches
    assert cache["path"] == job.steps["store"].outputs["path"]
    assert cache["path"] in call


def test_without_a_lock_nothing_is_fetched(tmp_path: Path) -> None:
    job, calls = used(tmp_path, "locked", has_lock=False)
    assert calls == job.caches == []


def test_off_fetches_nothing(tmp_path: Path) -> None:
    job, calls = used(tmp_path, "off")
    assert calls == job.caches == []


@pytest.mark.parametrize("fetch", ["locked", "auto"])
def test_a_fork_fetches_only_what_the_lock_of_the_base_has(tmp_path: Path, fetch: str) -> None:
    _, (call,) = used(tmp_path, fetch, FORK, "0123abcd")
    assert '"--diff-base=0123abcd"' in call
    assert '"--locked", "--lock-from=base"' in call


def test_a_fork_without_a_base_fetches_nothing(tmp_path: Path) -> None:
    job, calls = used(tmp_path, "auto", FORK)
    assert calls == []
    assert "comes from a fork" in job.log


def test_of_a_pull_request_of_our_own_the_base_says_whom_to_ask(tmp_path: Path) -> None:
    _, (call,) = used(tmp_path, "auto", OWN, "0123abcd")
    assert '"--diff-base=0123abcd"' in call
    assert "--locked" not in call


def test_another_word_is_refused(tmp_path: Path) -> None:
    job, calls = used(tmp_path, "always")
    assert job.exit_code == 2
    assert calls == []
