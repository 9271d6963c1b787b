"""Which files differ between two revisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Final, NamedTuple

from ..yaml.source import SourceFile

ALIKE: Final = 0.5
"""So much of its lines a renamed file keeps at least; git asks for as much."""
MAX_COMPARED: Final = 40_000
"""Pairs of files that are compared to find renamed ones."""


class FileStatus(Enum):
    ADDED = "added"
    REMOVED = "removed"
    MODIFIED = "modified"
    RENAMED = "renamed"
    MODE = "mode changed"
    """Its permissions only: no object differs because of it."""


class FileChange(NamedTuple):
    """Paths count from the root of the repository; empty on the side that does not have the file."""

    before: str
    after: str
    status: FileStatus


def compare(before: Mapping[str, SourceFile], after: Mapping[str, SourceFile]) -> tuple[FileChange, ...]:
    """Without git: by the texts alone."""
    both = before.keys() & after.keys()
    modified = [path for path in both if differ(before[path], after[path])]
    gone = {path: before[path] for path in before.keys() - both}
    new = {path: after[path] for path in after.keys() - both}
    changes = [FileChange(path, path, FileStatus.MODIFIED) for path in modified]
    return tuple(sorted([*changes, *renamed(gone, new)], key=lambda one: one.after or one.before))


def differ(before: SourceFile, after: SourceFile) -> bool:
    return before is not after and (before.text != after.text or before.refused or after.refused)


def renamed(gone: Mapping[str, SourceFile], new: Mapping[str, SourceFile]) -> Iterator[FileChange]:
    """Removed and added files, those that are one and the same joined: equal texts first, then like ones."""
    left = dict(sorted(new.items()))
    pairs: dict[str, str] = {}
    by_text: dict[str, list[str]] = {}
    for path, file in left.items():
        if file.text.strip():
            by_text.setdefault(file.text, []).append(path)
    for path in sorted(gone):
        if same := by_text.get(gone[path].text):
            pairs[path] = _nearest(path, same)
            same.remove(pairs[path])
            del left[pairs[path]]
    rest = {path: file for path, file in sorted(gone.items()) if path not in pairs}
    for old, path in _alike(rest, left):
        pairs[old] = path
        del left[path]
    for path in gone:
        status = FileStatus.RENAMED if path in pairs else FileStatus.REMOVED
        yield FileChange(path, pairs.get(path, ""), status)
    yield from (FileChange("", path, FileStatus.ADDED) for path in left)


def _alike(gone: Mapping[str, SourceFile], new: Mapping[str, SourceFile]) -> Iterable[tuple[str, str]]:
    if len(gone) * len(new) > MAX_COMPARED:
        return []
    lines = {id(file): Counter(file.text.split("\n")) for file in (*gone.values(), *new.values())}
    found = []
    for old, before in gone.items():
        for path, after in new.items():
            if _extension(old) == _extension(path):
                share = shared_part(lines[id(before)], lines[id(after)])
                if share >= ALIKE:
                    found.append((-share, old.rpartition("/")[2] != path.rpartition("/")[2], old, path))
    chosen: dict[str, str] = {}
    for _, _, old, path in sorted(found):
        if old not in chosen and path not in chosen.values():
            chosen[old] = path
    return list(chosen.items())


def shared_part(one: Counter[str], other: Counter[str]) -> float:
    """From 0 to 1: how much of both is in both."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _nearest(path: str, candidates: Iterable[str]) -> str:
    """The same name in another folder rather than another name."""
    name = path.rpartition("/")[2]
    return min(candidates, key=lambda other: (other.rpartition("/")[2] != name, other))


def _extension(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2]
