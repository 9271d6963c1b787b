"""The two sides of a comparison: the revision it starts from, and where it is asked for, the index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...dialects.phrases import some
from ...git import EMPTY, GitError, Repository, Revision
from ...yaml.source import SourceFile
from ..discover import Found
from .changed_paths import Differences
from .revision_files import DiskReader, RevisionReader
from .revision_walk import find_in

MAX_NAMED: Final = 3


class Base(NamedTuple):
    """The revision to compare with, as a run finds it."""

    revision: Revision
    found: Found
    differences: Differences
    notes: tuple[str, ...] = ()
    """What is not compared, and why."""


def index_of(repository: Repository, like: Found, is_excluded: Callable[[str], bool]) -> Found:
    """What the next commit would have, in place of what is on the disk."""
    index = repository.index
    if index.unmerged:
        raise GitError(f"the index holds a merge that is not finished: {some(index.unmerged, MAX_NAMED)}")
    known = {file.path: file for file in (*like.files, *like.others)}
    reader = RevisionReader(repository, index.entries, _disk(repository, known, like))
    return find_in(reader, like, is_excluded, known)


def base_of(repository: Repository, word: str, head: Found, is_excluded: Callable[[str], bool]) -> Base:
    """The revision that a word means, next to the head that was found already."""
    revision = repository.revision(word)
    listing, index = repository.listing(revision), repository.index
    known = {file.path: file for file in (*head.files, *head.others)}
    disk = _disk(repository, known, head)
    other = head.reader if isinstance(head.reader, RevisionReader) else disk
    reader = RevisionReader(repository, listing, other)
    left_out = index.left_out if other is disk else ()
    absent = [path for path in left_out if path in listing and disk.oid(path) is None]
    found = find_in(reader, head, is_excluded, known, absent)
    notes = [f"{revision} has no commit yet, so everything counts as new"] if revision.oid == EMPTY else []
    notes += _submodules(reader, repository, found, head)
    if absent:
        notes.append(f"a sparse checkout leaves out files, which are not compared: {some(sorted(absent), MAX_NAMED)}")
    differences = Differences(found, head, reader, other, index.entries)
    found.files.sort(key=lambda file: file.path)
    notes += _unreadable(revision, [one for one in found.files if one.problems and known.get(one.path) is not one])
    return Base(revision, found, differences, tuple(notes))


def _disk(repository: Repository, known: Mapping[str, SourceFile], found: Found) -> DiskReader:
    hidden = (found.versioned.hides,) if found.versioned else ()
    return DiskReader(repository.root, known, repository.algorithm, *hidden)


def _submodules(reader: RevisionReader, repository: Repository, base: Found, head: Found) -> Iterator[str]:
    """What a submodule holds is in another repository: the base takes it as the head has it."""
    for path in reader.submodules:
        if path not in base.passed_over:
            continue
        now = repository.index.entries.get(path)
        if now is None or not now.is_submodule:
            yield f"the submodule {path} is removed; what it held is not known here"
            continue
        if now.oid != reader.listing[path].oid:
            yield f"the submodule {path} is at another commit now; what is in it is not compared"
        if path in head.folders and path not in head.empty:
            _take(base, head, path)


def _take(base: Found, head: Found, path: str) -> None:
    inside = f"{path}/"
    base.files += (file for file in head.files if file.path.startswith(inside))
    base.others += (file for file in head.others if file.path.startswith(inside))
    base.templates += (file for file in head.templates if file.path.startswith(inside))
    base.folders += (folder for folder in head.folders if folder == path or folder.startswith(inside))
    base.passed_over = [folder for folder in base.passed_over if folder != path]
    base.empty = [folder for folder in base.empty if folder != path]


def _unreadable(revision: Revision, files: Sequence[SourceFile]) -> Iterator[str]:
    if files:
        count = f"{len(files)} files" if len(files) > 1 else "one file"
        problems = some(map(_problem, files), MAX_NAMED)
        yield f"{count} cannot be read as {revision} has it, and the rest is compared: {problems}"


def _problem(file: SourceFile) -> str:
    problem = file.problems[0]
    line = "" if problem.unreadable else f":{file.position(problem.span.start).line}"
    return f"{file.path}{line} ({problem.message})"
