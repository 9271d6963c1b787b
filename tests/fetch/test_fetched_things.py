"""What is asked for, how it is kept, and how archives are read."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest
from gitops_lint.linter.facts import limits
from gitops_lint.linter.fetch.content_store import Store, digest_of
from gitops_lint.linter.fetch.lock_file import BadLock, Locked, read_lock, written_lock
from gitops_lint.linter.fetch.packed import BadArchive, packed, unpacked
from gitops_lint.linter.fetch.wanted import (
    Wanted,
    artifact_wanted,
    chart_wanted,
    file_wanted,
    remote_entry,
    repository_wanted,
)

# -- addresses


@pytest.mark.parametrize(
    ("repository", "url"),
    [
        ("https://charts.example.com/stable/", "https://charts.example.com/stable"),
        ("HTTPS://Charts.Example.com", "https://charts.example.com"),
        ("registry.example.com/charts", "oci://registry.example.com/charts"),
        ("oci://registry.example.com:5000/charts", "oci://registry.example.com:5000/charts"),
        ("https://user:word@charts.example.com", "https://charts.example.com"),
    ],
)
def test_one_chart_has_one_spelling(repository: str, url: str) -> None:
    assert chart_wanted(repository, "shop", "1.0.0") == Wanted("chart", url, "shop", "1.0.0")


@pytest.mark.parametrize(
    "repository",
    [
        "file:///etc", "ftp://example.com", "s3://bucket", "git+https://example.com/x", "https://", "https://a b/c",
        "https://example.com/{{ .x }}", "https://example.com/../x", "@alias", "alias:name", "--repo=x", "",
        "https://exa\nmple.com", "https://example.com\\x", "https://$HOST/x",
    ],
)  # fmt: skip
def test_what_is_no_address_of_charts_is_not_asked_for(repository: str) -> None:
    assert chart_wanted(repository, "shop", "1.0.0") is None


@pytest.mark.parametrize("name", ["--debug", "../x", "a/../b", "", "a b", "-x", "a\nb", "{{ x }}"])
def test_a_name_is_never_a_word_for_helm(name: str) -> None:
    assert chart_wanted("https://charts.example.com", name, "1.0.0") is None


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b"),
        ("git@github.com:a/b.git", "https://github.com/a/b"),
        ("ssh://git@github.com:22/a/b.git", "https://github.com/a/b"),
        ("github.com/a/b", "https://github.com/a/b"),
        ("git::https://github.com/a/b", "https://github.com/a/b"),
    ],
)
def test_one_repository_has_one_spelling(written: str, url: str) -> None:
    assert repository_wanted(written, "v1") == Wanted("git", url, "", "v1")


@pytest.mark.parametrize(
    "written",
    [
        "ext::sh -c touch% x",
        "file:///srv/x",
        "/srv/x",
        "../x",
        "-oProxyCommand=x",
        "https://a/$(x)",
        "git://h/x",
        "ssh://[x/y",
        "git::ssh://[::1/x",
        "https://[x/y",
        "[x/y",
    ],
)
def test_what_is_no_address_of_git_is_not_asked_for(written: str) -> None:
    assert repository_wanted(written, "v1") is None


def test_a_revision_is_never_a_word_for_git() -> None:
    assert repository_wanted("https://github.com/a/b", "--upload-pack=x") is None
    assert repository_wanted("https://github.com/a/b", "a:refs/heads/b") is None
    assert repository_wanted("https://github.com/a/b", "") == Wanted("git", "https://github.com/a/b", "", "HEAD")


@pytest.mark.parametrize(
    ("entry", "url", "revision", "path"),
    [
        ("https://github.com/a/b//config/default?ref=v1", "https://github.com/a/b", "v1", "config/default"),
        ("https://github.com/a/b/config/default?ref=v1", "https://github.com/a/b", "v1", "config/default"),
        ("github.com/a/b/config?ref=v1", "https://github.com/a/b", "v1", "config"),
        ("github.com/a/b", "https://github.com/a/b", "HEAD", "."),
        ("git@github.com:a/b.git//x?ref=v1&timeout=90s", "https://github.com/a/b", "v1", "x"),
        ("git@github.com:a/b/x?ref=v1", "https://github.com/a/b", "v1", "x"),
        ("https://git.example.com/group/sub/b.git/x?ref=v1", "https://git.example.com/group/sub/b", "v1", "x"),
        ("https://dev.azure.com/o/p/_git/r/x?version=v1", "https://dev.azure.com/o/p/_git/r", "v1", "x"),
        ("gh:a/b//x", "https://github.com/a/b", "HEAD", "x"),
    ],
)
def test_an_entry_of_a_kustomization_is_a_folder_of_a_repository(
    entry: str, url: str, revision: str, path: str
) -> None:
    found = remote_entry(entry)
    assert found is not None
    assert (found.wanted, found.path) == (Wanted("git", url, "", revision), path)


def test_an_entry_may_be_a_file() -> None:
    url = "https://github.com/a/b/releases/download/v1/install.yaml"
    assert remote_entry(url) == (Wanted("file", url), "")
    assert file_wanted("file:///etc/passwd") is None
    assert remote_entry("https://github.com/a/b//../../x?ref=v1") is None


def test_an_artifact_is_a_chart_by_itself() -> None:
    assert artifact_wanted("oci://r.example.com/a/shop", "1") == Wanted("chart", "oci://r.example.com/a", "shop", "1")


# -- archives


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for one, content in members:
            one.size = len(content) if one.isreg() else 0
            archive.addfile(one, io.BytesIO(content))
    return out.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    one = tarfile.TarInfo(name)
    one.type, one.linkname = kind, target
    return one


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "..", "a\\b"])
def test_a_path_that_leads_out_ends_it(name: str) -> None:
    with pytest.raises(BadArchive, match="leads out"):
        unpacked(tar_of((member(name), b"x")))


def test_links_count_as_what_they_lead_to_inside() -> None:
    found = unpacked(
        tar_of(
            (member("a/x"), b"1"),
            (member("b", tarfile.SYMTYPE, "a"), b""),
            (member("c/y", tarfile.SYMTYPE, "../a/x"), b""),
            (member("out", tarfile.SYMTYPE, "../../etc/passwd"), b""),
            (member("far", tarfile.SYMTYPE, "/etc/passwd"), b""),
            (member("hard", tarfile.LNKTYPE, "a/x"), b""),
            (member("round", tarfile.SYMTYPE, "round"), b""),
            (member("device", tarfile.CHRTYPE), b""),
            (member("pipe", tarfile.FIFOTYPE), b""),
        )
    )
    assert found == {"a/x": b"1", "b/x": b"1", "c/y": b"1", "hard": b"1"}


def test_what_grows_beyond_measure_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_BYTES", 1024**2)
    bomb = gzip.compress(tar_of((member("x"), bytes(4 * 1024**2))))
    assert len(bomb) < 10_000
    with pytest.raises(BadArchive, match="more than 1 MB"):
        unpacked(bomb)
    monkeypatch.setattr(limits, "UNPACKED_FILES", 3)
    with pytest.raises(BadArchive, match="more than 3 files"):
        unpacked(tar_of(*((member(str(number)), b"") for number in range(4))))


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\x1f\x8bnonsense", gzip.compress(b"x" * 100, mtime=0)])
def test_what_is_no_archive_is_said(data: bytes) -> None:
    with pytest.raises(BadArchive):
        unpacked(data)


def test_equal_files_are_packed_equally() -> None:
    files = {"b": b"2", "a/x": b"1"}
    assert packed(files) == packed(dict(reversed(files.items())))
    assert unpacked(packed(files)) == files


# -- store and lock


def test_nothing_stands_for_something_else(tmp_path: Path) -> None:
    store = Store(tmp_path)
    digest = store.put(b"one")
    assert digest == digest_of(b"one")
    assert store.get(digest) == b"one"
    store.path(digest).write_bytes(b"two")
    assert store.get(digest) is None
    assert store.put(b"one") == digest
    assert store.get(digest) == b"one"
    assert store.get(digest_of(b"three")) is None


def test_a_lock_is_read_as_it_is_written() -> None:
    lock = {
        Wanted("git", "https://github.com/a/b", "", "v1"): Locked("0" * 40, digest_of(b"1")),
        Wanted("chart", "https://charts.example.com", "shop", "1.*"): Locked("1.2.3", digest_of(b"2")),
    }
    assert read_lock(written_lock(lock).encode()) == lock
    assert written_lock(lock) == written_lock(dict(reversed(lock.items())))
    assert read_lock(written_lock({}).encode()) == {} == read_lock(None)


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "sha256:1"},
        {"digest": "../../etc"},
        {"kind": "exec"},
        {"url": "https://u:p@h"},
        {"name": 1},
        {"got": None},
    ],
)
def test_a_lock_with_a_bad_entry_is_none(change: dict[str, object]) -> None:
    good = {"kind": "chart", "url": "https://h", "name": "n", "asked": "1", "got": "1", "digest": digest_of(b"")}
    read_lock(json.dumps({"version": 1, "entries": [good]}).encode())
    with pytest.raises(BadLock):
        read_lock(json.dumps({"version": 1, "entries": [good | change]}).encode())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2, "entries": []}', '{"version": 1}', "[" * 100_000])
def test_a_text_that_is_no_lock_is_none(text: str) -> None:
    with pytest.raises(BadLock):
        read_lock(text.encode())
