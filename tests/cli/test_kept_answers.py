"""What was said is said again while nothing has changed, and only then."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.cli import kept_answers
from gitops_lint.linter.cli.arguments import Output
from gitops_lint.linter.cli.kept_answers import answered
from gitops_lint.linter.cli.options import Options
from gitops_lint.linter.cli.output import CLEAN, FAILED, FINDINGS, put, rests_on_more, say

Ask = Callable[..., tuple[int, bool]]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_answers, "SETTLED", 0)
    root = tmp_path / "repository"
    (root / "apps").mkdir(parents=True)
    (root / "apps" / "service.yaml").write_text("kind: Service\n")
    return root


@pytest.fixture
def ask(repository: Path) -> Ask:
    def asked(
        code: int = FINDINGS, *, paths: tuple[Path, ...] = (), more: bool = False, **given: Any
    ) -> tuple[int, bool]:
        asked_for = []

        def run() -> int:
            asked_for.append(True)
            put("a finding — é\n", None)
            say("note: a remark")
            if more:
                rests_on_more()
            return code

        return answered(paths or (repository,), Options(**given), run), bool(asked_for)

    return asked


def entries(repository: Path) -> list[Path]:
    return list((repository.parent / "cache" / "gitops-lint" / "answers").glob("*"))


@pytest.mark.parametrize("code", [CLEAN, FINDINGS])
def test_the_same_is_said_again(ask: Ask, capfd: pytest.CaptureFixture[str], code: int) -> None:
    assert ask(code) == (code, True)
    first = capfd.readouterr()
    assert ask(code) == (code, False)
    assert capfd.readouterr() == first
    assert first.out == "a finding — é\n"
    assert first.err == "note: a remark\n"


def test_a_change_that_keeps_size_and_time_is_seen(repository: Path, ask: Ask) -> None:
    file = repository / "apps" / "service.yaml"
    ask()
    before = file.stat()
    file.write_text("kind: Servicf\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ask() == (FINDINGS, True)


def test_files_that_come_and_go_are_seen(repository: Path, ask: Ask) -> None:
    ask()
    (repository / "values.txt").write_text("")
    assert ask() == (FINDINGS, True)
    (repository / "values.txt").unlink()
    (repository / "empty").mkdir()
    assert ask() == (FINDINGS, True)


def test_what_git_knows_is_part_of_the_question(repository: Path, ask: Ask) -> None:
    (repository / ".git").mkdir()
    ask()
    assert ask() == (FINDINGS, False)
    (repository / ".git" / "config").write_text('[remote "origin"]\n')
    assert ask() == (FINDINGS, True)


def test_other_words_are_another_question(repository: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    ask()
    assert ask(select=("GL1",)) == (FINDINGS, True)
    assert ask(paths=(repository / "apps",)) == (FINDINGS, True)
    monkeypatch.setenv("GITOPS_LINT_CHECK_SELECT", "GL1")
    assert ask() == (FINDINGS, True)


@pytest.mark.parametrize(
    "given",
    [
        {"fix": True},
        {"diff_base": "main"},
        {"staged": True},
        {"no_cache": True},
        {"verbose": True},
        {"config": ("other.yaml",)},
        {"schema_dir": Path("/schemas")},
        {"kustomize_binary": "kubectl"},
        {"outputs": (Output("json", "report.json"),)},
        {"repo": ("https://git.example.com/shop=/shop",)},
    ],
)
def test_what_reaches_further_is_asked_each_time(repository: Path, ask: Ask, given: dict[str, Any]) -> None:
    ask(**given)
    assert ask(**given) == (FINDINGS, True)
    assert not entries(repository)


def test_a_failure_is_not_kept(repository: Path, ask: Ask) -> None:
    ask(FAILED)
    ask(more=True)
    assert not entries(repository)


def test_what_was_fetched_is_asked_each_time(repository: Path, ask: Ask) -> None:
    (repository / "gitops-lint.lock").write_text("")
    ask()
    assert not entries(repository)


def test_a_file_changed_just_now_may_change_again_unseen(
    repository: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_answers, "SETTLED", 3_600_000_000_000)
    ask()
    assert not list((repository.parent / "cache" / "gitops-lint" / "stamps").iterdir())
    assert ask() == (FINDINGS, False)  # by its content, which is read
    (repository / "apps" / "service.yaml").write_text("kind: Servicf\n")
    assert ask() == (FINDINGS, True)


def test_a_fresh_checkout_is_known_by_its_content(repository: Path, ask: Ask) -> None:
    ask()
    file = repository / "apps" / "service.yaml"
    text = file.read_text()
    file.unlink()
    file.write_text(text)
    os.utime(file, ns=(1, 1))
    assert ask() == (FINDINGS, False)
    file.chmod(0o755)
    assert ask() == (FINDINGS, True)


def test_what_is_tracked_counts_and_not_when_it_was_checked_out(repository: Path, ask: Ask) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    ask()
    git("rm", "-r", "-q", "--cached", "apps")
    assert ask() == (FINDINGS, True)
    git("add", "-A")  # with another time in the index
    assert ask() == (FINDINGS, False)
    git("config", "http.https://git.example.com/.extraheader", "AUTHORIZATION: basic another")
    assert ask() == (FINDINGS, True)  # a section of its own
    git("config", "http.https://git.example.com/.extraheader", "AUTHORIZATION: basic one more")
    assert ask() == (FINDINGS, False)
    git("remote", "add", "origin", "https://git.example.com/shop")
    assert ask() == (FINDINGS, True)


@pytest.mark.parametrize("settled", [0, 3_600_000_000_000])
def test_what_changes_while_it_is_read_is_not_kept(
    repository: Path, monkeypatch: pytest.MonkeyPatch, settled: int
) -> None:
    monkeypatch.setattr(kept_answers, "SETTLED", settled)

    def run() -> int:
        (repository / "apps" / "service.yaml").write_text("kind: Secret\n")
        return CLEAN

    answered((repository,), Options(), run)
    assert not entries(repository)


def test_a_large_repository_is_not_read_to_know_it(repository: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "MOST_CONTENT", 10)
    ask()
    assert ask() == (FINDINGS, False)
    (repository / "apps" / "service.yaml").touch()
    assert ask() == (FINDINGS, True)
    monkeypatch.setattr(kept_answers, "SETTLED", 3_600_000_000_000)
    ask()
    assert ask() == (FINDINGS, True)


def test_a_cache_in_the_repository_is_none(repository: Path, ask: Ask) -> None:
    ask(cache_dir=repository / "cache")
    assert not (repository / "cache").exists()


def test_the_folder_and_its_files_are_the_users_alone(repository: Path, ask: Ask) -> None:
    ask()
    (kept,) = entries(repository)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o755])
def test_a_folder_that_others_can_see_is_not_believed(repository: Path, ask: Ask, mode: int) -> None:
    ask()
    entries(repository)[0].parent.chmod(mode)
    assert ask() == (FINDINGS, True)


def _other_name(kept: Path) -> None:
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "name": "other"}))


def _other_code(kept: Path) -> None:
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "code": 7}))


def _other_words(kept: Path) -> None:
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "said": [[True, 1]]}))


def _broken(kept: Path) -> None:
    kept.write_text("{")


def _linked(kept: Path) -> None:
    elsewhere = kept.parent.parent / "elsewhere.json"
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)


def _seen_by_others(kept: Path) -> None:
    kept.chmod(0o644)


@pytest.mark.parametrize("spoil", [_other_name, _other_code, _other_words, _broken, _linked, _seen_by_others])
def test_what_was_not_written_by_us_is_not_said(repository: Path, ask: Ask, spoil: Callable[[Path], None]) -> None:
    ask()
    spoil(entries(repository)[0])
    assert ask() == (FINDINGS, True)


def test_only_so_many_are_kept(repository: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "MOST_KEPT", 3)
    for number in range(5):
        ask(select=(f"GL{number}",))
    assert len(entries(repository)) == 3
