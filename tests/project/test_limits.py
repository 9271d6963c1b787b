"""The table of limits: complete, with reasons, and the page is what it says."""

from __future__ import annotations

import json
import runpy
import signal
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from gitops_lint.linter.cli.main import cli
from gitops_lint.linter.facts import limits
from gitops_lint.linter.files import discover
from gitops_lint.linter.lint import engine, load_revisions
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.linter.programs import watch
from gitops_lint.linter.yaml.source import SourceFile

ROOT = Path(__file__).parents[2]


def test_the_page_is_written_from_the_table() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_limits.py"))
    assert (ROOT / "docs" / "limits.md").read_text("utf-8") == made["page"](), "run `make docs`"


def test_every_limit_of_the_table_has_a_reason() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_limits.py"))
    assert all(one.why for one in made["limits_in"](made["TABLE"]))


@pytest.fixture
def watched():  # type: ignore[no-untyped-def]
    watch.begin(seconds=0, megabytes=0)
    yield
    watch.finish()


def test_a_piece_of_work_ends_when_its_time_is_over(watched: None) -> None:
    with watch.Piece(0.3) as piece:
        while True:
            pass
    assert piece.over == "took longer than 0.3 s"


def test_an_import_is_not_cut_off(watched: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a module would be left for whoever asks next."""
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end:\n    pass\nwhole = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    with watch.Piece(0.1) as piece:
        import slow_to_import

        found.append(slow_to_import.whole)
        while True:
            pass
    assert found == [True]
    assert piece.over


def test_python_s_regular_expressions_are_ended_too(watched: None) -> None:
    import re

    start = time.process_time()
    with watch.Piece(0.3) as piece:
        re.match(r"(a+)+$", "a" * 40 + "b")
    assert piece.over
    assert time.process_time() - start < 10


@pytest.mark.skipif(sys.platform != "linux", reason="addresses are bounded on Linux")
def test_the_watch_ends_with_the_command(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    done = CliRunner().invoke(cli, ["check", str(tmp_path), "--max-memory", "4000"])
    assert done.exit_code == 0, done.output
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_of_two_pieces_the_one_that_is_over_ends(watched: None) -> None:
    with watch.Piece(30) as outer:
        with watch.Piece(0.2) as inner:
            time.sleep(20)
        assert inner.over
    assert not outer.over


def test_what_is_nested_too_deep_ends_its_piece_only() -> None:
    def endless() -> None:
        endless()

    with watch.Piece(5) as piece:
        endless()
    assert piece.over == "is nested too deep"


def test_many_pieces_share_their_time(watched: None) -> None:
    allowance = watch.Allowance(each=0.3, together=0.3)
    with allowance.piece() as first:
        time.sleep(5)
    assert first.over
    assert allowance.piece().seconds == 0.3 or allowance.piece().seconds == 1.0


# -- the whole run

BROKEN = "a: [\n"
WAVE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {argocd.argoproj.io/sync-wave: one}\n"


@pytest.fixture
def slow_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose model takes too long, with faults that files show by themselves."""

    def over(*words: object) -> None:
        raise watch.RunOver("the run took longer than 600 s (--timeout)")

    monkeypatch.setattr(load_revisions, "build_repo", over)
    texts = {
        "broken.yaml": BROKEN,
        "plain/wave.yaml": WAVE,
        "built/patch.yaml": WAVE,
        "uid.yaml": WAVE + "  uid: 0a1b\n",
    }
    for path, text in {**texts, "built/kustomization.yaml": "patches: [{path: patch.yaml}]\n"}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_what_files_say_by_themselves_is_reported_when_the_model_takes_too_long(slow_build: Path) -> None:
    done = CliRunner().invoke(cli, ["check", str(slow_build), "--output-format", "json"])
    assert done.exit_code == 2
    report = json.loads(done.stdout)
    assert {(one["code"], Path(one["path"]).name) for one in report["findings"]} >= {
        ("GL800", "broken.yaml"),
        ("GL203", "wave.yaml"),
    }
    # What is a part of something else is not judged by itself.
    assert not any(one["path"].endswith("patch.yaml") for one in report["findings"])
    assert not report["summary"]["complete"]
    assert any("longer than 600 s (--timeout)" in str(one) for one in report["notAnalysed"])
    assert "rules did not run" in done.stderr


def test_nothing_is_fixed_by_a_run_that_did_not_see_all(slow_build: Path) -> None:
    before = (slow_build / "uid.yaml").read_text()
    done = CliRunner().invoke(cli, ["check", str(slow_build), "--fix", "--unsafe-fixes"])
    assert done.exit_code == 2
    assert (slow_build / "uid.yaml").read_text() == before


def test_what_was_found_when_the_time_was_over_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when that was before all files were found."""
    for number in range(5):
        (tmp_path / f"{number}.yaml").write_text(WAVE)
    read = discover.read_file

    def slow(root: str, name: str) -> object:
        if name == "3.yaml":
            raise watch.RunOver("the run took longer than 600 s (--timeout)")
        return read(root, name)

    monkeypatch.setattr(discover, "read_file", slow)
    done = CliRunner().invoke(cli, ["check", str(tmp_path), "--output-format", "json"])
    assert done.exit_code == 2
    report = json.loads(done.stdout)
    assert {Path(one["path"]).name for one in report["findings"]} == {"0.yaml", "1.yaml", "2.yaml"}
    assert "2 of 5 files were not read" in str(report["notAnalysed"])


def test_what_fits_into_the_share_of_reading_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"{number}.yaml").write_text(WAVE.replace("name: a", f"name: a{number}"))
    room = iter(("", "", "the others take more than 400 MB"))
    monkeypatch.setattr(watch, "reading_has_its_share", lambda: next(room))
    monkeypatch.setattr(load_revisions, "LOOK_AFTER", 0)
    done = CliRunner().invoke(cli, ["check", str(tmp_path), "--output-format", "json"])
    assert done.exit_code == 2
    report = json.loads(done.stdout)
    assert {Path(one["path"]).name for one in report["findings"]} == {"0.yaml", "1.yaml", "2.yaml"}
    assert report["notAnalysed"][0]["detail"] == "2 files are not read: the others take more than 400 MB"


def test_the_share_of_reading_is_one_of_the_memory_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    assert watch.reading_has_its_share() == ""
    watch.begin(seconds=0, megabytes=100_000)
    try:
        assert watch.reading_has_its_share() == ""
        monkeypatch.setattr(watch, "resident", lambda: 1024**4)
        assert "10000 MB" in watch.reading_has_its_share()
    finally:
        watch.finish()


# -- one rule


def test_a_rule_that_takes_too_long_is_named_and_the_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text(WAVE)
    look = engine.Run._look

    def slow(run: engine.Run, rule: Rule, subject: object, file: SourceFile) -> None:
        while rule.name in ("duplicate-application-name", "annotation-value-not-string"):
            pass
        look(run, rule, subject, file)

    monkeypatch.setattr(engine.Run, "_look", slow)
    monkeypatch.setattr(limits, "RULE_SECONDS", 0.3)
    done = CliRunner().invoke(cli, ["check", str(tmp_path), "--output-format", "json"])
    assert done.exit_code == 2
    report = json.loads(done.stdout)
    assert [one["code"] for one in report["findings"]] == ["GL203"]
    unseen = {one["reason"]: one["path"] for one in report["notAnalysed"]}
    # One is about the whole repository, one about an object.
    assert unseen["duplicate-application-name took longer than 0.3 s"] == "."
    assert unseen["annotation-value-not-string took longer than 0.3 s"].endswith("a.yaml")


def test_a_busy_machine_is_no_slow_piece(watched: None) -> None:
    """Waiting for the processor does not count as work, for a while."""
    with watch.Piece(0.4) as piece:
        time.sleep(0.9)
    assert not piece.over
