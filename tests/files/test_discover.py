"""What is read, what is not, and that the difference is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gitops_lint.linter.files import disk as module
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.files.disk import read_file
from gitops_lint.linter.files.tops import NoSuchPath


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_yaml", ".yaml").replace("_json", ".json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def problems(root: Path) -> dict[str, str]:
    return {file.path: file.problems[0].message for file in discover([root]).files if file.problems}


def test_yaml_and_manifests_in_json_are_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_yaml="a: 1",
        sub__b_yaml="b: 1",
        c_json='{"apiVersion": "v1", "kind": "List"}',
        package_json='{"name": "x"}',
    )
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "d.yml").write_text("d: 1")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "folder.yaml" / "e.yaml").write_text("e: 1")
    assert [file.path for file in discover([tmp_path]).files] == [
        "a.yaml",
        "c.json",
        "d.yml",
        "folder.yaml/e.yaml",
        "sub/b.yaml",
    ]


def test_helm_templates_are_recognised_and_left(tmp_path: Path) -> None:
    write(
        tmp_path,
        chart__Chart_yaml="name: x\n",
        chart__templates__a_yaml="kind: {{ .Values.kind }}\n",
        chart__templates__plain_yaml="kind: ConfigMap\n",
        appset_yaml="name: '{{path}}'\n",
    )
    found = discover([tmp_path])
    assert [file.path for file in found.templates] == ["chart/templates/a.yaml"]
    assert [file.path for file in found.files] == ["appset.yaml", "chart/Chart.yaml", "chart/templates/plain.yaml"]


def test_named_files_bring_their_repository_as_context(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, a_yaml="a: 1", sub__b_yaml="b: 1")
    found = discover([tmp_path / "sub" / "b.yaml"])
    assert found.root == tmp_path
    assert [file.path for file in found.files] == ["a.yaml", "sub/b.yaml"]
    assert found.requested == {"sub/b.yaml"}


def test_a_folder_is_read_alone_and_named_from_the_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, a_yaml="a: 1", sub__b_yaml="b: 1")
    found = discover([tmp_path / "sub"])
    assert [file.path for file in found.files] == ["sub/b.yaml"]
    assert found.requested is None


def test_excludes(tmp_path: Path) -> None:
    write(tmp_path, a_yaml="a: 1", vendor__b_yaml="b: 1", x__vendor__c_yaml="c: 1", node_modules__d_yaml="d: 1")
    found = discover([tmp_path], lambda path: path == "x/vendor")
    assert [file.path for file in found.files] == ["a.yaml", "vendor/b.yaml"]


def test_folders_that_exist_and_are_not_walked_are_known(tmp_path: Path) -> None:
    write(tmp_path, a_yaml="a: 1", vendor__b_yaml="b: 1", ignored__c_yaml="c: 1", node_modules__d_yaml="d: 1")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    (tmp_path / "link").symlink_to("vendor")
    found = discover([tmp_path], lambda path: path == "vendor")
    assert found.passed_over == ["ignored", "link", "node_modules", "vendor"]


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoSuchPath, match="nope"):
        discover([tmp_path / "nope"])


def test_links_out_of_the_tree_are_not_read(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    write(repo, a_yaml="a: 1")
    (tmp_path / "secret.yaml").write_text("kind: Secret")
    (repo / "out.yaml").symlink_to("../secret.yaml")
    (repo / "in.yaml").symlink_to("a.yaml")
    (repo / "dangling.yaml").symlink_to("nothing.yaml")
    (repo / "loop").symlink_to(".")
    (repo / "self.yaml").symlink_to("self.yaml")
    found = {file.path: file for file in discover([repo]).files}
    assert set(found) == {"a.yaml", "in.yaml", "out.yaml", "self.yaml"}
    assert "leads out of the repository" in found["out.yaml"].problems[0].message
    assert found["out.yaml"].text == ""
    assert found["self.yaml"].problems[0].unreadable


def test_large_binary_and_forbidden_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    write(tmp_path, big_yaml="x" * 2000)
    (tmp_path / "latin.yaml").write_bytes("a: 1\nb: caf\xe9\n".encode("latin-1"))
    (tmp_path / "nul.yaml").write_bytes(b"a: \x00\n")
    os.mkfifo(tmp_path / "pipe.yaml")
    found = problems(tmp_path)
    assert set(found) == {"big.yaml", "latin.yaml", "nul.yaml"}
    assert "are not read" in found["big.yaml"]
    assert found["latin.yaml"] == "not UTF-8: the byte 0xE9 stands here"
    latin = next(file for file in discover([tmp_path]).files if file.path == "latin.yaml")
    assert latin.position(latin.problems[0].span.start) == (2, 7)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    write(tmp_path, a_yaml="a: 1")
    (tmp_path / "a.yaml").chmod(0)
    assert "Permission denied" in problems(tmp_path)["a.yaml"]


def test_a_reader_opens_what_is_below_its_root_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    write(root, a_yaml="a: 1", sub__b_yaml="b: 1")
    (root / "sub" / "b.txt").write_text("text")
    (tmp_path / "outside.yaml").write_text("secret: 1\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "c.yaml").write_text("secret: 2\n")
    (root / "out.yaml").symlink_to("../outside.yaml")
    (root / "away").symlink_to("../elsewhere")
    (root / "in").symlink_to("sub")
    reader = module.Reader(root)
    assert reader.data("sub/b.txt") == b"text" == reader.data("in/b.txt")
    assert reader.is_folder("sub")
    assert not reader.is_folder("away")
    for path in ("out.yaml", "away/c.yaml", "../outside.yaml", "gone.yaml"):
        assert reader.data(path) is None, path
        file = reader.file(path)
        assert file is None or (file.refused and not file.text), path


def test_a_link_that_leads_out_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To open a device may be to do something."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "outside.yaml").write_text("a: 1\n")
    for name, target in {"a.yaml": "../outside.yaml", "b.yaml": "/dev/zero", "c.yaml": "/nowhere/at/all"}.items():
        (tmp_path / "repo" / name).symlink_to(target)
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda *words: opened.append(words))
    found = {name: read_file(str(tmp_path / "repo"), name) for name in ("a.yaml", "b.yaml", "c.yaml")}
    assert not opened
    assert [name for name, file in found.items() if file is not None and file.refused] == ["a.yaml"]


# -- git's own files, which somebody may have packed with the others


@pytest.mark.parametrize(
    "text", ["gitdir: a\0b\n", "gitdir: .git\n", f"gitdir: {'a/' * 50_000}\n", "gitdir: /dev\n", "\0", ""]
)
def test_a_git_file_that_leads_nowhere_is_none(tmp_path: Path, text: str) -> None:
    write(tmp_path, a_yaml="kind: A\n")
    (tmp_path / ".git").write_text(text)
    found = discover([tmp_path])
    assert [file.path for file in found.files] == ["a.yaml"]
    assert found.remotes == []


def test_a_pipe_in_git_s_folder_holds_nobody(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "config")
    write(tmp_path, a_yaml="kind: A\n")
    assert discover([tmp_path]).remotes == []


def test_a_link_that_is_named_leads_out_of_its_repository_no_more_than_another(tmp_path: Path) -> None:
    """A job names the same paths for every pull request, and the pull request says what they are."""
    write(tmp_path / "elsewhere", a_yaml="kind: Secret\nname: hush\n")
    write(tmp_path / "repo", b_yaml="kind: A\n", real__c_yaml="kind: C\n")
    (tmp_path / "repo" / ".git").mkdir()
    (tmp_path / "repo" / "file.yaml").symlink_to("../elsewhere/a.yaml")
    (tmp_path / "repo" / "folder").symlink_to("../elsewhere")
    (tmp_path / "repo" / "inside").symlink_to("real")
    found = discover([tmp_path / "repo" / "file.yaml"])
    assert found.root == tmp_path / "repo"
    assert not any("hush" in file.text for file in found.files)
    with pytest.raises(NoSuchPath, match="leads out of the repository"):
        discover([tmp_path / "repo" / "folder"])
    assert [file.path for file in discover([tmp_path / "repo" / "inside"]).files] == ["real/c.yaml"]
    (tmp_path / "alias").symlink_to("repo")  # not in a repository: whoever runs us made it
    assert discover([tmp_path / "alias" / "inside"]).root == tmp_path / "repo"
