"""Which files differ between a revision and what it is compared with, of any name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from ...git import Entry, Listing
from ...yaml.lazy import lazy
from ...yaml.source import SourceFile
from ..discover import Found
from ..file_changes import FileChange, FileStatus, renamed
from .revision_files import DiskReader, RevisionReader


class Differences:
    """`listing` is what git has of the head: the index.

    Files that were read are compared by what they say. Others are compared as git has them, since reading all of
    them would cost too much; those that a kustomization names are looked at when somebody asks.
    """

    def __init__(
        self,
        base: Found,
        head: Found,
        reader: RevisionReader,
        head_reader: DiskReader | RevisionReader,
        listing: Listing,
    ) -> None:
        self._reader = reader
        self._head_reader = head_reader
        self._below = base.below
        self._before = {file.path: file for file in (*base.files, *base.others)}
        self._after = {file.path: file for file in (*head.files, *head.others)}
        self._listing = listing

    @lazy
    def files(self) -> tuple[FileChange, ...]:
        found = [*self._of_sources(), *self._of_others(), *self._of_modes()]
        return tuple(sorted(found, key=lambda one: one.after or one.before))

    def touched(self, path: str) -> bool:
        """Whether a file, or anything in a folder, differs."""
        if path in self._touched:
            return True
        if path in self._before or path in self._after or path not in self._reader.listing:
            return False
        return self._reader.oid(path) != self._head_reader.oid(path)

    @lazy
    def _touched(self) -> frozenset[str]:
        """The paths, and the folders above them."""
        found = {"."} if self.files else set()
        for change in self.files:
            for path in (change.before, change.after):
                while path and path not in found:
                    found.add(path)
                    path = os.path.dirname(path)
        return frozenset(found)

    def _of_sources(self) -> Iterator[FileChange]:
        both = self._before.keys() & self._after.keys()
        for path in both:
            if self._before[path] is not self._after[path]:
                yield FileChange(path, path, FileStatus.MODIFIED)
        yield from renamed(_without(self._before, both), _without(self._after, both))

    def _of_others(self) -> Iterator[FileChange]:
        before = dict(self._unread(self._reader.listing.items()))
        after = dict(self._unread(self._listing.items()))
        gone = {path: entry for path, entry in before.items() if path not in after}
        new = {path: entry for path, entry in after.items() if path not in before}
        moved: dict[str, list[str]] = {}
        for path, entry in new.items():
            moved.setdefault(entry.oid, []).append(path)
        for path, entry in gone.items():
            targets = moved.get(entry.oid)
            target = targets.pop(0) if targets else ""
            new.pop(target, None)
            yield FileChange(path, target, FileStatus.RENAMED if target else FileStatus.REMOVED)
        yield from (FileChange("", path, FileStatus.ADDED) for path in new)
        for path, entry in before.items():
            if path in after and entry.oid != after[path].oid:
                yield FileChange(path, path, FileStatus.MODIFIED)

    def _of_modes(self) -> Iterator[FileChange]:
        for path, entry in self._reader.listing.items():
            now = self._listing.get(path)
            if now is not None and now.oid == entry.oid and now.mode != entry.mode and path.startswith(self._below):
                yield FileChange(path, path, FileStatus.MODE)

    def _unread(self, entries: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, Entry]]:
        for path, entry in entries:
            if path not in self._before and path not in self._after and path.startswith(self._below):
                yield path, entry


def _without(files: Mapping[str, SourceFile], paths: Iterable[str]) -> dict[str, SourceFile]:
    known = set(paths)
    return {path: file for path, file in files.items() if path not in known}
