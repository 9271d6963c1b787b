"""Files of a revision, from git; what is the same on the disk is read there, or not read again at all."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ...git import Entry, Listing, Repository, blob_id
from ...yaml.lazy import lazy
from ...yaml.source import Problem, SourceFile, Span
from ..disk import LFS_POINTER, MAX_BYTES, Reader, Stamp, decode


class DiskReader(Reader):
    """The working tree, with the names that git would give to what is in its files."""

    def __init__(
        self,
        root: Path,
        files: Mapping[str, SourceFile],
        algorithm: str,
        is_hidden: Callable[[str], bool] = lambda path: False,
    ) -> None:
        super().__init__(root, is_hidden)
        self._files = files
        self._algorithm = algorithm
        self._oids: dict[str, str | None] = {}
        self._last: tuple[str, bytes | None] = ("", None)

    def oid(self, path: str) -> str | None:
        """None when there is no such file, or none that may be read."""
        if path not in self._oids:
            file = self._files.get(path)
            data = _bytes_of(file) if file is not None and not file.refused else self.data(path)
            self._oids[path] = None if data is None else blob_id(data, self._algorithm)
        return self._oids[path]

    def data(self, path: str) -> bytes | None:
        if self._last[0] != path:  # whoever asks for the name mostly asks for the content next
            self._last = (path, super().data(path))
        return self._last[1]


class RevisionReader(Reader):
    """`other` is where the same content may be found without asking git."""

    def __init__(self, repository: Repository, listing: Listing, other: DiskReader | RevisionReader) -> None:
        super().__init__(repository.root)
        self.listing = listing
        self._repository = repository
        self._other = other
        self._blobs: dict[str, bytes | int | None] = {}

    @lazy
    def folders(self) -> frozenset[str]:
        found = {"."}
        for path in self.listing:
            folder = os.path.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = os.path.dirname(folder)
        return frozenset(found)

    @lazy
    def submodules(self) -> tuple[str, ...]:
        return tuple(path for path, entry in self.listing.items() if entry.is_submodule)

    def prefetch(self, paths: Iterable[str]) -> None:
        """Ask git once for what is to be read."""
        links = [entry.oid for path in paths if (entry := self.listing.get(path)) and entry.is_link]
        self._fetch(links)
        wanted = []
        for path in paths:
            target = self.target(path)
            if target.entry and self._other.oid(target.path) != target.entry.oid:
                wanted.append(target.entry.oid)
        self._fetch(wanted)

    def target(self, path: str) -> Target:
        entry = self.listing.get(path)
        if entry is not None and not entry.is_link:
            return Target(path, entry)
        return follow(path, self.listing, self.folders, self._link_text)

    def oid(self, path: str) -> str | None:
        entry = self.listing.get(path)
        if entry is None or entry.is_link:  # the rest is for few paths only
            if self._submodule_of(path):
                return self._other.oid(path)
            entry = self.target(path).entry
        return entry.oid if entry and not entry.is_submodule else None

    def other_oid(self, path: str) -> str | None:
        """What the other side has at a path."""
        return self._other.oid(path)

    # -- as a Reader

    def real(self, path: str) -> str:
        return self.target(path).path or path

    def file(self, path: str) -> SourceFile | None:
        if self._submodule_of(path):
            return self._other.file(path)
        target = self.target(path)
        if target.leads_out:
            return _refused(path, "a link that leads out of the repository: not read")
        if target.entry is None or target.entry.is_submodule:
            return None
        content = self._content(target)
        if content is None:
            return _refused(path, "git lacks the object that holds it: not read")
        if isinstance(content, int):
            most = MAX_BYTES // 1024**2
            return _refused(path, f"{content / 1024**2:.0f} MB: files over {most} MB are not read")
        if content.startswith(LFS_POINTER):
            return self._behind_pointer(path, content)
        return decode(path, content)

    def data(self, path: str) -> bytes | None:
        if self._submodule_of(path):
            return self._other.data(path)
        target = self.target(path)
        if target.entry is None or target.entry.is_submodule:
            return None
        content = self._content(target)
        return content if isinstance(content, bytes) else None

    def stamp(self, path: str) -> Stamp | None:
        oid = self.oid(path)
        return None if oid is None else Stamp(oid, 0)

    def is_folder(self, path: str) -> bool:
        if self._submodule_of(path):
            return self._other.is_folder(path)
        return path in self.folders or path in self.submodules or self.target(path).path in self.folders

    def below(self, folder: str) -> Iterator[str]:
        """Every file in a folder and its folders; those of submodules are not listed."""
        prefix = "" if folder in ("", ".") else f"{folder}/"
        return (path for path, entry in self.listing.items() if path.startswith(prefix) and not entry.is_submodule)

    # -- contents

    def _submodule_of(self, path: str) -> str | None:
        """A submodule that a path is in: what it holds is in another repository."""
        return next((one for one in self.submodules if path.startswith(f"{one}/")), None)

    def _content(self, target: Target) -> bytes | int | None:
        """The bytes, the size of what is too large, or None for what git should have and has not."""
        assert target.entry is not None
        oid = target.entry.oid
        if oid in self._blobs:
            return self._blobs[oid]
        if self._other.oid(target.path) == oid:
            data = self._other.data(target.path)
            if data is not None:
                return data
        self._fetch([oid])
        return self._blobs[oid]

    def _link_text(self, entry: Entry) -> str:
        self._fetch([entry.oid])
        content = self._blobs[entry.oid]
        return os.fsdecode(content) if isinstance(content, bytes) else ""

    def _fetch(self, oids: Iterable[str]) -> None:
        missing = [oid for oid in oids if oid not in self._blobs]
        if missing:
            self._blobs.update(self._repository.contents(missing, MAX_BYTES))

    def _behind_pointer(self, path: str, pointer: bytes) -> SourceFile:
        """Git LFS keeps the content elsewhere: only if it is what the other side has, it is known."""
        import hashlib

        data = self._other.data(path)
        if data is not None and f"oid sha256:{hashlib.sha256(data).hexdigest()}".encode() in pointer:
            return decode(path, data)
        return _refused(path, "kept by Git LFS, and not in the repository itself: not read")


def same_text(one: SourceFile, other: SourceFile) -> bool:
    """Whether two files say the same; ends of lines do not count, which git may change on the way to the disk."""
    if one.refused or other.refused:
        return False
    return one.text == other.text or one.text.replace("\r\n", "\n") == other.text.replace("\r\n", "\n")


def _bytes_of(file: SourceFile) -> bytes:
    return (b"\xef\xbb\xbf" if file.has_bom else b"") + file.text.encode("utf-8", "surrogatepass")


def _refused(path: str, reason: str) -> SourceFile:
    return SourceFile(path, "", Problem(Span(0, 0), reason, unreadable=True))


# -- links as git has them: the content of the entry is where it leads

MAX_HOPS: Final = 20


class Target(NamedTuple):
    """Where a path comes out, links followed."""

    path: str = ""
    entry: Entry | None = None
    """None for a folder, and for what is not there."""
    leads_out: bool = False
    """Out of the repository: not followed."""


def follow(path: str, listing: Listing, folders: frozenset[str], text_of: Callable[[Entry], str]) -> Target:
    """Links to files and to folders on the way, as a file system would follow them."""
    for _ in range(MAX_HOPS):
        entry = listing.get(path)
        if entry is not None and not entry.is_link:
            return Target(path, entry)
        if path in folders:
            return Target(path)
        above = _link_on_the_way(path, listing)
        if above is None:
            return Target()
        target = text_of(listing[above])
        if not target or target.startswith("/"):
            return Target(leads_out=bool(target))
        path = posixpath.normpath(posixpath.join(posixpath.dirname(above), target) + path[len(above) :])
        if path == ".." or path.startswith("../"):
            return Target(leads_out=True)
    return Target()


def _link_on_the_way(path: str, listing: Listing) -> str | None:
    """The first part of a path that is a link."""
    parts = path.split("/")
    for length in range(1, len(parts) + 1):
        above = "/".join(parts[:length])
        entry = listing.get(above)
        if entry is not None:
            return above if entry.is_link else None
    return None
