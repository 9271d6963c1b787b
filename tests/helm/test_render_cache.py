"""What Helm said is kept by content: no second process, and never an old answer."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.files.disk import Reader, Stamp
from gitops_lint.linter.helm.answer import LeftOut, MissingDependency, Rendering
from gitops_lint.linter.helm.helm_request import Request
from gitops_lint.linter.helm.run import render_cache
from gitops_lint.linter.helm.run.real_helm import RealHelm, find_helm
from gitops_lint.linter.helm.run.render_cache import RenderCache, default_folder, key_of
from gitops_lint.linter.programs.outcomes import Failed, Printed, Refused
from gitops_lint.linter.programs.processes import Ended, Processes
from real_tools import helm

REQUEST = Request("c", "r", value_files=("v.yaml",))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "c/templates").mkdir(parents=True)
    (root / "c/Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 0.1.0\n")
    (root / "c/templates/a.yaml").write_text("a: {{ .Values.a }}\n")
    (root / "v.yaml").write_text("a: 1\n")
    return root


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Helm that can be changed; what it is asked is written down by us, since behind its walls it can write nothing."""
    path = tmp_path / "bin/helm"
    path.parent.mkdir()
    shutil.copy(helm(), path.with_name("the-real-one"))
    path.write_text('#!/bin/sh\nexec "${0%/*}/the-real-one" "$@"\n')
    path.chmod(0o755)
    run = Processes.run

    def noted(self: Processes, command: Sequence[str], *rest: Any, **more: Any) -> Ended | Failed:
        with (tmp_path / "log").open("a") as log:
            log.write(f"{command[command.index(str(path)) + 1]}\n")
        return run(self, command, *rest, **more)

    monkeypatch.setattr(Processes, "run", noted)
    return path


def started(tmp_path: Path) -> list[str]:
    log = tmp_path / "log"
    words = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return words


def rendered(repo: Path, program: Path, folder: Path, request: Request = REQUEST) -> Rendering:
    """As a new run would."""
    cache = RenderCache(folder, repo)
    binary = find_helm(str(program), cache)
    assert binary is not None
    return RealHelm(binary, Reader(repo), cache).template(request)


def said(value: int) -> Printed:
    return Printed(f"---\n# Source: c/templates/a.yaml\na: {value}\n")


def test_a_second_run_starts_no_process(repo: Path, program: Path, tmp_path: Path) -> None:
    first = rendered(repo, program, tmp_path / "cache")
    assert first.outcome == said(1)
    assert started(tmp_path) == ["version", "template"]
    assert rendered(repo, program, tmp_path / "cache") == first
    assert started(tmp_path) == []


def test_whatever_changes_is_asked_again(repo: Path, program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    rendered(repo, program, folder)
    started(tmp_path)
    (repo / "v.yaml").write_text("a: 2\n")
    assert rendered(repo, program, folder).outcome == said(2)
    assert started(tmp_path) == ["template"]
    (repo / "c/templates/b.yaml").write_text("b: 1\n")
    outcome = rendered(repo, program, folder).outcome
    assert isinstance(outcome, Printed)
    assert "b: 1" in outcome.text
    (repo / "c/templates/b.yaml").unlink()
    started(tmp_path)
    assert rendered(repo, program, folder).outcome == said(2)
    assert started(tmp_path) == [], "it is what it was"
    rendered(repo, program, folder, REQUEST._replace(release="other"))
    rendered(repo, program, folder, REQUEST._replace(values="a: 3\n"))
    rendered(repo, program, folder, REQUEST._replace(values="a: 4\n"))
    assert started(tmp_path) == ["template"] * 3


def test_a_refusal_is_kept_and_a_failure_is_not(repo: Path, program: Path, tmp_path: Path) -> None:
    (repo / "c/templates/a.yaml").write_text('{{ fail "no" }}')
    first = rendered(repo, program, tmp_path / "cache")
    assert isinstance(first.outcome, Refused)
    started(tmp_path)
    assert rendered(repo, program, tmp_path / "cache") == first
    assert started(tmp_path) == []
    cache = RenderCache(tmp_path / "cache", repo)
    cache.keep("f" * 64, Rendering(Failed("took too long")))
    assert cache.rendering("f" * 64) is None


def test_another_program_is_asked_for_its_version(repo: Path, program: Path, tmp_path: Path) -> None:
    rendered(repo, program, tmp_path / "cache")
    started(tmp_path)
    program.write_text(program.read_text() + "# another one\n")
    rendered(repo, program, tmp_path / "cache")
    assert started(tmp_path) == ["version"], "the same version says the same"


def test_everything_about_a_rendering_is_kept(repo: Path, tmp_path: Path) -> None:
    cache = RenderCache(tmp_path / "cache", repo)
    whole = Rendering(
        Printed("a: ä\n"),
        (MissingDependency("a", "1", "https://x.example.com", "b"), MissingDependency("c")),
        (LeftOut("x", "too large"),),
        ("c/templates/a.yaml",),
        "unchecked",
        ("a warning",),
    )
    cache.keep("a" * 64, whole)
    assert RenderCache(tmp_path / "cache", repo).rendering("a" * 64) == whole


class Counting(Reader):
    """Counts what is read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.read: list[str] = []

    def data(self, path: str) -> bytes | None:
        self.read.append(path)
        return super().data(path)


def test_files_that_did_not_change_are_not_read_again(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time_ns
    monkeypatch.setattr(render_cache.time, "time_ns", lambda: now() + 10**10)
    first, second, third = Counting(repo), Counting(repo), Counting(repo)
    cache = RenderCache(tmp_path / "cache", repo)
    digest = cache.digest(first, "v.yaml")
    cache.save()
    assert RenderCache(tmp_path / "cache", repo).digest(second, "v.yaml") == digest
    assert (first.read, second.read) == (["v.yaml"], [])
    os.utime(repo / "v.yaml", (1, 1))
    assert RenderCache(tmp_path / "cache", repo).digest(third, "v.yaml") == digest
    assert third.read == ["v.yaml"]


def test_a_file_that_changed_just_now_is_not_taken_for_known(repo: Path, tmp_path: Path) -> None:
    cache = RenderCache(tmp_path / "cache", repo)
    cache.digest(Reader(repo), "v.yaml")
    cache.save()
    second = Counting(repo)
    RenderCache(tmp_path / "cache", repo).digest(second, "v.yaml")
    assert second.read == ["v.yaml"]


def test_files_of_another_revision_are_known_by_their_own_stamps(repo: Path, tmp_path: Path) -> None:
    class Revision(Counting):
        def stamp(self, path: str) -> Stamp | None:
            return Stamp("blob 1", 0)

    cache = RenderCache(tmp_path / "cache", repo)
    first, second = Revision(repo), Revision(repo)
    assert cache.digest(first, "v.yaml") == cache.digest(second, "v.yaml") != ""
    assert (first.read, second.read) == (["v.yaml"], [])


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"outcome": {"Printed": 1}}', '{"outcome": {"Printed": ""}}',
    '{"outcome": {"Failed": "x"}}', "[" * 100_000, '{"outcome": {"Printed": ""}, "missing": [["a", "b", "c", "d", "e"]],'
    ' "left_out": [], "marked": [], "schema_unchecked": "", "warnings": []}'])  # fmt: skip
def test_a_broken_cache_is_ignored(repo: Path, program: Path, tmp_path: Path, content: str) -> None:
    folder = tmp_path / "cache"
    first = rendered(repo, program, folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 2
    for path in files:
        path.write_text(content)
    started(tmp_path)
    assert rendered(repo, program, folder) == first
    assert started(tmp_path) == ["version", "template"]
    assert rendered(repo, program, folder) == first
    assert started(tmp_path) == [], "it was mended"


def test_a_cache_that_cannot_be_written_is_as_good_as_none(repo: Path, program: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert rendered(repo, program, tmp_path / "file").outcome == said(1)
    assert rendered(repo, program, tmp_path / "file/below").outcome == said(1)


@pytest.mark.parametrize("inside", [".", "c/cache", "../repo/cache"])
def test_nothing_is_kept_inside_the_repository(repo: Path, program: Path, inside: str) -> None:
    before = sorted(repo.rglob("*"))
    assert rendered(repo, program, repo / inside).outcome == said(1)
    assert sorted(repo.rglob("*")) == before


def test_the_oldest_go_first(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = RenderCache(tmp_path / "cache", repo)
    for number in range(4):
        key = f"{number}" * 64
        cache.keep(key, Rendering(Printed("x" * 1000)))
        os.utime(tmp_path / f"cache/helm/renders/{key}.json", (number, number))
    assert cache.rendering("0" * 64) is not None  # asked for, and so the newest
    monkeypatch.setattr(render_cache, "MAX_CACHE", 2500)
    cache.save()
    left = {path.name[0] for path in (tmp_path / "cache/helm/renders").iterdir()}
    assert left == {"0", "3"}


def test_every_part_makes_another_key() -> None:
    keys = {
        key_of("v3", ("a",), "", {"a": "1"}),
        key_of("v4", ("a",), "", {"a": "1"}),
        key_of("v3", ("a", ""), "", {"a": "1"}),
        key_of("v3", ("a",), "b", {"a": "1"}),
        key_of("v3", ("a",), "", {"a": "2"}),
        key_of("v3", ("a",), "", {"b": "1"}),
        key_of("v3", ("a",), "", {"a": "1", "b": ""}),
    }
    assert len(keys) == 7


def test_the_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert default_folder() == Path("/x/cache/gitops-lint")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/a")
    assert default_folder() == Path("/home/a/.cache/gitops-lint")


def test_what_is_kept_is_plain_text(repo: Path, program: Path, tmp_path: Path) -> None:
    rendered(repo, program, tmp_path / "cache")
    for path in (tmp_path / "cache").rglob("*.json"):
        assert isinstance(json.loads(path.read_text("ascii")), dict)
