"""All files below a folder, as a chart needs them, and what says that one of them changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gitops_lint.linter.files import disk
from gitops_lint.linter.files.disk import Reader


def put(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_files_of_any_name_but_not_those_of_git(tmp_path: Path) -> None:
    for name in ("a.yaml", "c/.helmignore", "c/templates/_x.tpl", "c/b.tgz", ".git/config", "c/.git/HEAD", "d/x"):
        put(tmp_path / name)
    reader = Reader(tmp_path)
    assert list(reader.below("c")) == ["c/.helmignore", "c/b.tgz", "c/templates/_x.tpl"]
    assert list(reader.below(".")) == ["a.yaml", "c/.helmignore", "c/b.tgz", "c/templates/_x.tpl", "d/x"]
    assert list(reader.below("nowhere")) == list(reader.below("../x")) == list(reader.below("a.yaml")) == []


def test_links_stay_inside(tmp_path: Path) -> None:
    put(tmp_path / "outside/secret", "hush")
    root = tmp_path / "repo"
    put(root / "c/a", "a")
    put(root / "shared/b", "b")
    for name, target in {
        "c/shared": root / "shared", "c/file": root / "shared/b", "c/out": tmp_path / "outside",
        "c/secret": tmp_path / "outside/secret", "shared/circle": root / "c",
    }.items():  # fmt: skip
        (root / name).symlink_to(target)
    reader = Reader(root)
    assert list(reader.below("c")) == ["c/a", "c/file", "c/out", "c/secret", "c/shared/b"]
    content = {path: reader.data(path) for path in reader.below("c")}
    assert content == {"c/a": b"a", "c/file": b"b", "c/out": None, "c/secret": None, "c/shared/b": b"b"}
    assert [path for path in content if reader.stamp(path)] == ["c/a", "c/file", "c/shared/b"]
    assert list(reader.below("c/out")) == []
    assert reader.stamp("c/out/secret") is None


def test_deep_folders_and_many_ways_come_to_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "deep"
    for _ in range(300):
        deep = deep / "x"
    put(deep / "file")
    assert list(Reader(tmp_path).below("deep")) == []
    names = [f"f{number}" for number in range(9)]
    for name in names:
        (tmp_path / "many" / name).mkdir(parents=True)
        for other in names:
            (tmp_path / "many" / name / other).symlink_to(tmp_path / "many" / other)
    monkeypatch.setattr(disk, "MAX_FOLDERS", 500)
    assert list(Reader(tmp_path).below("many")) == []


def test_a_stamp_changes_with_the_file(tmp_path: Path) -> None:
    path = put(tmp_path / "a", "1")
    reader = Reader(tmp_path)
    first = reader.stamp("a")
    assert first is not None
    assert reader.stamp("a") == first
    path.write_text("22")
    second = reader.stamp("a")
    assert second is not None
    assert second.text != first.text
    os.utime(path, (1, 1))
    third = reader.stamp("a")
    assert third is not None
    assert third.text != second.text
    assert third.changed >= second.changed, "the time of a change cannot be set back"
    assert reader.stamp("b") is reader.stamp(".") is reader.stamp("a\0") is reader.data("a\0") is None
