"""A fixed file is written whole or not at all, and nothing else is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from gitops_lint.linter.fix import FileFix, write
from gitops_lint.linter.fix.write_files import NotWritten
from gitops_lint.linter.yaml.source import SourceFile


def fix_of(path: str, before: str, after: str) -> FileFix:
    file = SourceFile(path, before)
    return FileFix(file, file.text, after, (), ())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "apps").mkdir(parents=True)
    (folder / "apps/a.yaml").write_bytes(b"a: 1\n")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_new_text_is_there_and_nothing_else(root: Path) -> None:
    write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 2\n"
    assert names(root / "apps") == ["a.yaml"]


def test_line_endings_and_byte_order_mark_stay(root: Path) -> None:
    (root / "apps/a.yaml").write_bytes(b"\xef\xbb\xbfa: \xc3\xbc\r\n")
    write(root, fix_of("apps/a.yaml", "\ufeffa: ü\r\n", "a: ö\r\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"\xef\xbb\xbfa: \xc3\xb6\r\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_the_mode_stays(root: Path, mode: int) -> None:
    (root / "apps/a.yaml").chmod(mode)
    write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert stat.S_IMODE((root / "apps/a.yaml").stat().st_mode) == mode


def test_a_file_that_changed_meanwhile_is_left_alone(root: Path) -> None:
    (root / "apps/a.yaml").write_bytes(b"a: 1\r\n")
    with pytest.raises(NotWritten, match=r"apps/a\.yaml: changed since it was read"):
        write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\r\n"


def test_a_file_that_went_is_not_made_anew(root: Path) -> None:
    (root / "apps/a.yaml").unlink()
    with pytest.raises(NotWritten, match="not a file"):
        write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert names(root / "apps") == []


def test_nothing_outside_the_folder_is_written(root: Path) -> None:
    outside = root.parent / "secret.yaml"
    outside.write_bytes(b"a: 1\n")
    (root / "link.yaml").symlink_to(outside)
    (root / "folder").symlink_to(root.parent)
    for path in ("link.yaml", "folder/secret.yaml", "../secret.yaml", str(outside)):
        with pytest.raises(NotWritten, match="leads out"):
            write(root, fix_of(path, "a: 1\n", "a: 2\n"))
    assert outside.read_bytes() == b"a: 1\n"


def test_a_link_is_left_alone_and_what_it_leads_to(root: Path) -> None:
    (root / "link.yaml").symlink_to("apps/a.yaml")
    with pytest.raises(NotWritten, match="is a link"):
        write(root, fix_of("link.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "link.yaml").is_symlink()
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\n"


def test_a_file_with_another_name_is_left_alone(root: Path) -> None:
    os.link(root / "apps/a.yaml", root / "other.yaml")
    with pytest.raises(NotWritten, match="other hard links"):
        write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\n"
    assert (root / "apps/a.yaml").samefile(root / "other.yaml")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_read_only_file_is_left_alone_even_by_root(root: Path) -> None:
    (root / "apps/a.yaml").chmod(0o444)
    with pytest.raises(NotWritten, match=r"read-only|may be written"):
        write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\n"


def test_without_nameless_files_it_works_as_well(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 2\n"
    assert names(root / "apps") == ["a.yaml"]


KILLED = """
import os, signal, sys
from pathlib import Path
from gitops_lint.linter.fix import write_files
name, root = sys.argv[1], Path(sys.argv[2])
def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, name, die)
write_files.replace_file(root, "apps/a.yaml", b"a: 1\\n", b"a: 2\\n" * 10000)
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
@pytest.mark.parametrize("call", ["fsync", "link"])
def test_who_is_killed_while_writing_leaves_the_old_file_and_nothing_else(root: Path, call: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, call, str(root)], check=False)
    assert done.returncode == -9
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\n"
    assert names(root / "apps") == ["a.yaml"]


def test_who_is_killed_at_the_last_moment_leaves_the_old_file_whole(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, "replace", str(root)], check=False)
    assert done.returncode == -9
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\n"


def test_the_root_itself_may_be_a_link(root: Path) -> None:
    (root.parent / "here").symlink_to(root)
    write(root.parent / "here", fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 2\n"


def test_when_the_disk_fails_the_old_file_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NotWritten, match="No space left"):
        write(root, fix_of("apps/a.yaml", "a: 1\n", "a: 2\n"))
    assert (root / "apps/a.yaml").read_bytes() == b"a: 1\n"
    assert names(root / "apps") == ["a.yaml"]
