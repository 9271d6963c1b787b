"""Locks, indexes and archives as nobody would write them: each is refused in a word, or read within its bounds."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.facts import limits
from gitops_lint.linter.fetch.content_store import Store
from gitops_lint.linter.fetch.lock_file import BadLock, read_lock, written_lock
from gitops_lint.linter.fetch.packed import BadArchive, packed, unpacked
from gitops_lint.linter.fetch.wanted import chart_wanted, file_wanted, remote_entry, repository_wanted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FEW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
KEYS = ("kind", "url", "name", "asked", "got", "digest")
WORDS = st.sampled_from(
    ("version", "things", "entries", "kind", "url", "name", "revision", "digest", "sha256:" + "0" * 64, "chart", "git", "file",
     "https://example.com/x", "../../etc/passwd", "oci://r/x", "ext::sh", "-x", "\0", "{{ x }}")
)  # fmt: skip
NAMES = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    (
        "chart/Chart.yaml",
        "../x",
        "/etc/passwd",
        "chart/../../x",
        "a/./b",
        "C:\\x",
        "a\0b",
        "x" * 300,
        "./",
        "",
        "chart//x",
    )
)
KINDS = st.sampled_from(
    (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, b"Z")
)


def locks() -> st.SearchStrategy[Any]:
    """Nearly as they are written, so that some get past the first look."""
    shape = json.loads(written_lock({}))
    entry = st.fixed_dictionaries(dict.fromkeys(KEYS, WORDS | VALUES))
    return st.lists(entry, max_size=4).map(lambda entries: {**shape, "entries": entries})


@FEW
@given(locks() | VALUES)
def test_a_lock_is_read_or_refused(lock: Any) -> None:
    with contextlib.suppress(BadLock):
        known = read_lock(json.dumps(lock).encode())
        assert read_lock(written_lock(known).encode()) == known


@FEW
@given(st.binary(max_size=300))
def test_a_lock_of_any_bytes_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(BadLock):
        read_lock(data)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "9" * 100_000, '"\\ud800"', "NaN"])
def test_a_lock_that_is_a_bomb_is_refused(text: str) -> None:
    with pytest.raises(BadLock):
        read_lock(text.encode())


def archive(members: list[tuple[str, bytes, bytes, str]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as file:
        for name, data, kind, link in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            member.size = len(data) if kind in (tarfile.REGTYPE, b"Z") else 0
            file.addfile(member, io.BytesIO(data))
    return out.getvalue()


@FEW
@given(st.lists(st.tuples(NAMES, st.binary(max_size=60), KINDS, NAMES), max_size=8), st.data())
def test_an_archive_gives_only_files_below_itself(
    members: list[tuple[str, bytes, bytes, str]], data: st.DataObject
) -> None:
    try:
        whole = archive(members)
    except (ValueError, UnicodeError):
        return  # a name that not even tar can write
    cut = data.draw(st.integers(0, len(whole)))
    for one in (gzip.compress(whole), whole, gzip.compress(whole)[: cut % 400], gzip.compress(whole[:cut])):
        with contextlib.suppress(BadArchive):
            found = unpacked(one)
            assert not any(name.startswith("/") or ".." in name.split("/") or "\0" in name for name in found)
            assert unpacked(packed(found)) == found


@FEW
@given(st.binary(max_size=2_000))
def test_an_archive_of_any_bytes_is_read_or_refused(data: bytes) -> None:
    for one in (data, gzip.compress(data)):
        with contextlib.suppress(BadArchive):
            unpacked(one)


def test_an_archive_that_unpacks_to_much_is_refused_before_it_is_there() -> None:
    bomb = gzip.compress(b"\0" * (limits.UNPACKED_BYTES + 1024), 9)
    with pytest.raises(BadArchive):
        unpacked(bomb)


@FEW
@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_addresses_and_names_of_any_letters_are_asked_for_or_not(url: str, name: str, version: str) -> None:
    for wanted in (
        chart_wanted(url, name, version),
        repository_wanted(url, version),
        file_wanted(url),
        remote_entry(url),
    ):
        if wanted is not None and hasattr(wanted, "url"):
            assert wanted.url.startswith(("https://", "oci://", "ssh://", "http://", "git"))
            assert not wanted.url.startswith("-")
            assert "\n" not in wanted.url


@FEW
@given(data=st.binary(max_size=200), other=st.binary(max_size=200))
def test_a_store_never_gives_what_has_another_digest(tmp_path_factory: Any, data: bytes, other: bytes) -> None:
    folder: Path = tmp_path_factory.mktemp("store")
    store = Store(folder)
    digest = store.put(data)
    assert store.get(digest) == data
    store.path(digest).write_bytes(other)
    assert store.get(digest) in (None, data)
