"""gitops-lint.lock: what was asked for, which version came, and the digest of what that was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ..facts import limits
from ..facts.regexes import regex
from .wanted import KINDS, Wanted

LOCK_NAME: Final = "gitops-lint.lock"
_FORMAT: Final = 1
_DIGEST: Final = regex(r"sha256:[0-9a-f]{64}")
_KEYS: Final = ("kind", "url", "name", "asked", "got", "digest")


class BadLock(Exception):
    """Why a lock cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{LOCK_NAME} {reason}")


class Locked(NamedTuple):
    got: str
    """The version of the chart, the commit of the repository; empty for a file."""
    digest: str


Lock = Mapping[Wanted, Locked]


def read_lock(data: bytes | None) -> dict[Wanted, Locked]:
    """Nothing for a file that is not there. Raises BadLock."""
    if data is None:
        return {}
    if len(data) > limits.LOCK_BYTES:
        raise BadLock(f"is larger than {limits.LOCK_BYTES // 1024**2} MB")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise BadLock("is no JSON") from None
    if not isinstance(value, dict) or value.get("version") != _FORMAT:
        raise BadLock(f"is not of version {_FORMAT}, the only one that this gitops-lint reads")
    entries = value.get("entries")
    if not isinstance(entries, list) or len(entries) > limits.FETCHED_THINGS:
        raise BadLock(f"has no list of entries, or more than {limits.FETCHED_THINGS:,} of them")
    return dict(_read_entry(number, one) for number, one in enumerate(entries, 1))


def _read_entry(number: int, entry: Any) -> tuple[Wanted, Locked]:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in _KEYS):
        raise BadLock(f"entry {number} lacks one of {', '.join(_KEYS)}")
    kind, url, name, asked, got, digest = (entry[key] for key in _KEYS)
    if kind not in KINDS or not _DIGEST.fullmatch(digest) or "@" in url or len(url) > limits.ADDRESS_LENGTH:
        raise BadLock(f"entry {number} has a kind, an address or a digest that is none")
    return Wanted(kind, url, name, asked), Locked(got, digest)


def written_lock(lock: Lock) -> str:
    """Sorted, an entry a line: what changes is what a review sees."""
    lines = [json.dumps(dict(zip(_KEYS, (*one, *lock[one]), strict=True))) for one in sorted(lock)]
    body = ",\n    ".join(lines)
    return f'{{\n  "version": {_FORMAT},\n  "entries": [\n    {body}\n  ]\n}}\n' if lines else _EMPTY


_EMPTY: Final = f'{{\n  "version": {_FORMAT},\n  "entries": []\n}}\n'


def hosts_in(wanted: Iterable[Wanted]) -> frozenset[str]:
    return frozenset(one.host for one in wanted)
