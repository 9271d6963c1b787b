"""What a run would find in a revision, were it checked out: the rules are those of the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping

from ...facts.file_names import JSONNET
from ...yaml.source import SourceFile
from ..discover import Found, is_never_walked, is_read, sort_in
from .revision_files import RevisionReader, same_text


def find_in(
    reader: RevisionReader,
    like: Found,
    is_excluded: Callable[[str], bool],
    known: Mapping[str, SourceFile],
    left_out: Collection[str] = (),
) -> Found:
    """In the folders that another revision was looked at in; what that knows already is not read again."""
    found = Found(
        like.root,
        base=like.base,
        remotes=like.remotes,
        requested=like.requested,
        requested_files=like.requested_files,
        requested_below=like.requested_below,
        whole=like.whole,
        below=like.below,
        reader=reader,
        versioned=like.versioned,
    )
    walk = _Walk(reader, like, is_excluded, left_out)
    names = sorted({*walk.names(), *(path for path in like.requested or () if path in reader.listing)})
    found.folders, found.passed_over, found.empty = walk.folders, walk.passed_over, walk.empty
    found.jsonnet = walk.jsonnet
    charts = {os.path.dirname(name) for name in names if os.path.basename(name) == "Chart.yaml"}
    reader.prefetch([name for name in names if name not in known or reader.oid(name) != reader.other_oid(name)])
    for name in names:
        file = _file(reader, name, known.get(name))
        if file is not None:
            sort_in(found, file, charts)
    return found


def _file(reader: RevisionReader, name: str, known: SourceFile | None) -> SourceFile | None:
    """The very same where the other revision has the same."""
    if known is not None and reader.oid(name) == reader.other_oid(name):
        return known
    file = reader.file(name)
    return known if known is not None and file is not None and same_text(file, known) else file


class _Walk:
    def __init__(
        self, reader: RevisionReader, like: Found, is_excluded: Callable[[str], bool], left_out: Collection[str]
    ) -> None:
        self._reader = reader
        self._below = like.below
        self._is_excluded = is_excluded
        self._left_out = left_out
        self._verdicts: dict[str, bool] = {}
        self.passed_over: list[str] = []
        self.empty: list[str] = []
        self.jsonnet: list[str] = []

    @property
    def folders(self) -> list[str]:
        walked = [one for one, is_walked in self._verdicts.items() if is_walked and f"{one}/".startswith(self._below)]
        walked = [folder for folder in walked if folder]
        return [".", *walked] if "" in self._below else walked

    def names(self) -> Iterator[str]:
        for path, entry in self._reader.listing.items():
            folder, _, name = path.rpartition("/")
            if not path.startswith(self._below) or path in self._left_out or not self._is_walked(folder):
                continue
            if entry.is_submodule:
                self.passed_over.append(path)
                self.empty.append(path)
            elif entry.is_link and self._is_folder(path):
                self.passed_over.append(path)
            elif is_read(name) and not self._is_excluded(path):
                yield path
            elif name.endswith(JSONNET) and not self._is_excluded(path):
                self.jsonnet.append(path)

    def _is_folder(self, path: str) -> bool:
        target = self._reader.target(path)
        return bool(target.path) and target.entry is None

    def _is_walked(self, folder: str) -> bool:
        if folder not in self._verdicts:
            self._verdicts[folder] = self._judge(folder)
        return self._verdicts[folder]

    def _judge(self, folder: str) -> bool:
        if not folder or any(prefix.startswith(f"{folder}/") for prefix in self._below):
            return True  # the walk begins here, or further down
        above, _, name = folder.rpartition("/")
        if not self._is_walked(above):
            return False
        if is_never_walked(name) or self._is_excluded(folder):
            self.passed_over.append(folder)
            return False
        return True
