"""Ignore patterns, with git itself as the yardstick."""

from __future__ import annotations

import subprocess
from pathlib import Path
from time import process_time

import pytest
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.files.gitignore import Ignores

TREE = [
    "a.yaml", "b.yaml", "sub/a.yaml", "sub/deep/a.yaml", "sub/deep/keep.yaml", "out/x.yaml", "out/keep.yaml",
    "build/x.yaml", "sub/build/y.yaml", "x y.yaml", "doc[1].yaml", "tmp1.yaml", "tmp22.yaml", ".hidden/a.yaml",
]  # fmt: skip
PATTERNS = [
    "a.yaml", "/a.yaml", "sub/a.yaml", "build/", "/build/", "**/deep", "sub/**", "out/*\n!out/keep.yaml",
    "*.yaml\n!keep.yaml", "tmp?.yaml", "tmp[0-9].yaml", "tmp[!1]*.yaml", "# comment\n\n  ", "\\#x", "x\\ y.yaml", "x y.yaml  ",
    "doc\\[1\\].yaml", "sub/*/keep.yaml", "**", "deep/", "sub/deep/", ".hidden", "out\n!out/keep.yaml", "**/build/*.yaml",
    "[z-a].yaml", "!a.yaml", "s**/a.yaml", "su**/deep", "/t**", "/sub/**/", "*/\n!sub/", "[[:lower:]].yaml", "sub?deep", "*p*2*.*l",
    "[!x]ub", "tmp1.yaml\\", "\\", "[", "\ufeffa.yaml", "a.yaml\r",
]  # fmt: skip


@pytest.mark.parametrize("patterns", PATTERNS)
@pytest.mark.parametrize("where", ["", "sub/"])
def test_the_same_files_as_git(tmp_path: Path, patterns: str, where: str) -> None:
    for name in TREE:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a: 1\n")
    (tmp_path / where / ".gitignore").write_text(patterns + "\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "ls-files", "-z", "--others", "--exclude-standard", "*.yaml"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert {file.path for file in discover([tmp_path]).files} == set(filter(None, listed.split("\0")))


@pytest.mark.parametrize("pattern", ["name-{}.yaml", "/a/name-{}", "name-{}*.yaml", "a/*/name-{}.yaml"])
def test_many_patterns_take_little_time(pattern: str) -> None:
    begun = process_time()
    ignores = Ignores("\n".join(pattern.format(number) for number in range(20_000)))
    for number in range(300):
        assert ignores.verdict(f"a/b/c/file-{number}.yaml", False) is None
    assert process_time() - begun < 8  # by a look at each pattern for each name it was more than 20


@pytest.mark.parametrize(
    "pattern",
    [
        "name-*.yaml", "name-?.yaml", "b/**/name-*", "/b/c/*-x", "na*me-x", "**/name-x", "b**/name-x", "b/**", "*-[x]",
        "[n]ame-x", "\\name-*", "*", "name-*/", "!name-*", "name-*\t", "*" + "n" * 40, "?" + "n" * 40, "name-[z-a]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["name-x", "name-1.yaml", "b/name-x", "b/c/name-x", "b/c/d-x", "bname-x", "n" * 41])
def test_one_of_many_patterns_means_what_it_means_alone(pattern: str, path: str) -> None:
    others = "\n".join(f"other-{number}-*\nx/*/other-{number}" for number in range(200))
    for is_folder in (False, True):
        alone = Ignores(pattern).verdict(path, is_folder)
        assert Ignores(f"{others}\n{pattern}\n{others}").verdict(path, is_folder) is alone
        if alone is not None:
            assert Ignores(f"{pattern}\n{others}\n!{path}").verdict(path, is_folder) is False


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "x/" + "/".join(["**", "a"] * 60) + "/b", "*" * 5000 + "b"])
def test_no_pattern_takes_for_ever(pattern: str) -> None:
    begun = process_time()
    assert Ignores(pattern).verdict("x/" + "a/" * 200 + "a" * 250, False) is None
    assert process_time() - begun < 5
