"""Findings + Baseline → those to report, those that are known, and entries that nothing answers to any more.

Every entry answers for one finding, or for as many as it counts: a second one
at the same place is new. The finding at the place that the entry names comes
first. Only what is left over may have moved, and an entry follows only where
its old place is gone: as long as the object is still in the old file, the same
finding in another file is another finding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from ...kubernetes.resource import resources_in
from ...yaml.source import SourceFile, Spot
from ..result import Reported
from ..rule import Scope
from .baseline_entries import Baseline, Entry
from .finding_identity import entry_of

NEVER_KNOWN: Final = frozenset((Scope.CRASH, Scope.BASELINE))
"""What these rules say is about the run itself."""


class Seen(NamedTuple):
    """What the run looked at; paths count from where the paths of the baseline do."""

    files: Mapping[str, SourceFile]
    ran: Collection[str] = ()
    """The codes of the rules that ran to their end."""
    known: Collection[str] = ()
    """The codes of all rules."""
    whole: bool = True
    """All of the repository was looked at, so that what was not found is not there."""
    unread: Collection[str] = ()
    """Files that were recognised and not looked into."""
    exists: Callable[[str], bool] = lambda path: False
    """Whether a file that is none of `files` is there all the same."""
    path_of: Callable[[str], str] = lambda path: path
    """The path of a finding as the baseline counts it."""


class StaleEntry(NamedTuple):
    """An entry that counts more findings than there are."""

    number: int
    """Among the entries, from 0."""
    entry: Entry
    at: Spot
    left: int
    """So many of its count."""


@dataclass(frozen=True)
class StaleEntries:
    """What the rule about the baseline looks at."""

    items: tuple[StaleEntry, ...] = ()


class Matched(NamedTuple):
    kept: tuple[Reported, ...]
    covered: tuple[Reported, ...]
    stale: StaleEntries


def match(findings: Sequence[Reported], baseline: Baseline, seen: Seen) -> Matched:
    left = [entry.count for entry in baseline.entries]
    covered = _covered(findings, baseline.entries, left, seen)
    stale = (
        StaleEntry(index, entry, baseline.at(index), left[index])
        for index, entry in enumerate(baseline.entries)
        if left[index] and _is_stale(entry, seen)
    )
    return Matched(
        tuple(item for number, item in enumerate(findings) if number not in covered),
        tuple(item for number, item in enumerate(findings) if number in covered),
        StaleEntries(tuple(stale)),
    )


# -- who answers for whom

_Key = Callable[[Entry], Hashable]
_AT_ITS_PLACE: Final[tuple[_Key, ...]] = (
    lambda entry: (entry.fingerprint, entry.path, entry.message),
    lambda entry: (entry.fingerprint, entry.path),
)
_MOVED: Final[tuple[_Key, ...]] = (
    lambda entry: (entry.fingerprint, entry.message),
    lambda entry: entry.fingerprint,
)


def _covered(findings: Sequence[Reported], entries: Sequence[Entry], left: list[int], seen: Seen) -> set[int]:
    """The numbers of the findings that an entry answers for; what is `left` of each entry's count is kept there."""
    open_: dict[int, Entry] = {}
    # In an order of their own, so that nothing depends on the order of files.
    for number in sorted(range(len(findings)), key=lambda number: findings[number].sort_key):
        item = findings[number]
        if item.rule.scope not in NEVER_KNOWN:
            open_[number] = entry_of(item, seen.path_of(item.file.path))
    covered: set[int] = set()
    for key in _AT_ITS_PLACE:
        covered |= _pair(open_, entries, left, key, range(len(entries)))
    if open_ and any(left):
        is_gone = _Gone(seen)
        wanted = {one.fingerprint for one in open_.values()}
        rest = [
            index
            for index, entry in enumerate(entries)
            if left[index] and entry.fingerprint in wanted and is_gone(entry)
        ]
        for key in _MOVED:
            covered |= _pair(open_, entries, left, key, rest)
    return covered


def _pair(
    open_: dict[int, Entry], entries: Sequence[Entry], left: list[int], key: _Key, usable: Sequence[int]
) -> set[int]:
    """Findings with an entry of the same key; they leave `open_`, and their share leaves `left`."""
    by_key: dict[Hashable, list[int]] = defaultdict(list)
    for index in reversed(usable):
        if left[index]:
            by_key[key(entries[index])].append(index)
    paired = set()
    for number, wanted in open_.items():
        candidates = by_key.get(key(wanted))
        if candidates:
            left[candidates[-1]] -= 1
            if not left[candidates[-1]]:
                candidates.pop()
            paired.add(number)
    for number in paired:
        del open_[number]
    return paired


class _Gone:
    """Whether what an entry is about has left the file that the entry names."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._objects_in = cache(self._read)

    def __call__(self, entry: Entry) -> bool:
        if entry.path not in self._seen.files:
            return not self._seen.exists(entry.path)
        return bool(entry.object) and entry.object not in self._objects_in(entry.path)

    def _read(self, path: str) -> frozenset[str]:
        documents = self._seen.files[path].documents
        return frozenset(one.identity for document in documents for one in resources_in(document.root))


# -- which entries are stale


def _is_stale(entry: Entry, seen: Seen) -> bool:
    """Only where its finding would have been seen: the rule ran, and the file could be read."""
    if not seen.whole:
        return False
    if entry.code in seen.known and entry.code not in seen.ran:
        return False
    file = seen.files.get(entry.path)
    return not (file is not None and file.problems) and entry.path not in seen.unread
