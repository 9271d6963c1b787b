"""One run of fetching: what the repository asks for is brought, as long as that asks for more.

Imported by the command `fetch` alone, and only when it is asked for: what it imports reaches the network.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from ..dialects.phrases import counted
from ..facts import limits
from ..files.disk import Reader
from .content_store import Store, digest_of
from .getting import Getter, Got, NotFetched
from .guard import Guard, Upstream
from .lock_file import Lock, Locked, hosts_in
from .permission import NotAllowed, Permission, target_of
from .shelf import Shelf, ShelfReader
from .shelf_choice import ShelfChoice
from .wanted import Wanted

_SHOWN_HOSTS: Final = 20

Say = Callable[[str], None]
Build = Callable[[ShelfChoice], None]
"""Builds the repository with what a choice finds on its shelf."""


@dataclass(frozen=True)
class _Watched(ShelfChoice):
    """A shelf with a lock that is not written yet; it is kept, since it knows what was asked for."""

    lock: Lock = field(default_factory=dict)
    shelves: list[Shelf] = field(default_factory=list)

    def at(
        self, reader: Reader, more: Mapping[str, Path] | None = None, own: Iterable[str] = ()
    ) -> tuple[Shelf, ShelfReader]:
        shelf, beside = super().at(reader, more, own)
        self.shelves.append(shelf)
        return shelf, beside

    def _lock(self, reader: Reader) -> Lock:
        return self.lock


class Fetched(NamedTuple):
    lock: dict[Wanted, Locked]
    """Of everything that the repository asks for and that is here now."""
    failed: dict[Wanted, str]
    """What was not brought, and why."""
    refused_hosts: tuple[str, ...]
    brought: int
    asked: frozenset[Wanted] = frozenset()


class Fetching:
    """One run: looks through the repository, brings what it asks for, and looks again for what that asks for."""

    def __init__(
        self, choice: ShelfChoice, permission: Permission, get: Callable[[Wanted, str], Got], say: Say
    ) -> None:
        self._choice = choice
        self._permission = permission
        self._get = get
        self._say = say
        self._failed: dict[Wanted, str] = {}
        self._refused: dict[str, None] = {}
        self._brought = 0

    def locked(self, lock: Lock) -> Fetched:
        """Exactly what a lock names."""
        for wanted, locked in lock.items():
            self._bring_locked(wanted, locked)
        return self._result(dict(lock), frozenset(lock))

    def all(self, lock: Lock, build: Build) -> Fetched:
        """What the repository asks for; what the lock has already stays as it is there."""
        now = dict(lock)
        asked: dict[Wanted, None] = {}
        for _ in range(limits.FETCH_ROUNDS):
            shelf = self._look(now, build)
            asked = dict.fromkeys(shelf.asked)
            new = [one for one in shelf.lacking if one not in self._failed]
            if not new:
                break
            for wanted in new:
                self._bring(wanted, now)
        return self._result({one: now[one] for one in asked if one in now}, frozenset(asked))

    def _look(self, lock: Lock, build: Build) -> Shelf:
        watched = _Watched(self._choice.store_folder, self._choice.mapped, lock)
        build(watched)
        return watched.shelves[-1]

    def _result(self, lock: dict[Wanted, Locked], asked: frozenset[Wanted]) -> Fetched:
        return Fetched(lock, self._failed, tuple(self._refused), self._brought, asked)

    def _bring(self, wanted: Wanted, lock: dict[Wanted, Locked]) -> None:
        if wanted in lock:
            self._bring_locked(wanted, lock[wanted])
            return
        if len(lock) >= limits.FETCHED_THINGS:
            self._failed[wanted] = f"there are more than {limits.FETCHED_THINGS:,} things already"
            return
        got = self._gotten(wanted, "")
        if got is not None:
            lock[wanted] = Locked(got.version, self._kept(got.data))

    def _bring_locked(self, wanted: Wanted, locked: Locked) -> None:
        store = self._choice.store
        if store.get(locked.digest) is not None:
            return
        got = self._gotten(wanted, locked.got)
        if got is None:
            return
        if digest_of(got.data) != locked.digest:
            self._failed[wanted] = f"what came is not what the lock has: {digest_of(got.data)}, not {locked.digest}"
            return
        self._kept(got.data)

    def _kept(self, data: bytes) -> str:
        self._brought += 1
        return self._choice.store.put(data)

    def _gotten(self, wanted: Wanted, version: str) -> Got | None:
        try:
            self._permission.demand(target_of(wanted.host, 80 if wanted.url.startswith("http:") else 443))
        except NotAllowed as reason:
            self._failed[wanted] = str(reason)
            self._refused[wanted.host] = None
            return None
        self._say(f"fetching {wanted}")
        try:
            return self._get(wanted, version)
        except NotFetched as reason:
            self._failed[wanted] = str(reason)
            return None


# -- from where


@contextmanager
def from_network(permission: Permission, helm: str | None) -> Iterator[Callable[[Wanted, str], Got]]:
    proxy = os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy") or ""
    with (
        tempfile.TemporaryDirectory(prefix="gitops-lint-") as scratch,
        Guard(permission, scratch, upstream=Upstream.of(proxy) if proxy else None) as guard,
    ):
        yield Getter(guard, helm).get


def from_folder(folder: Path, lock: Lock) -> Callable[[Wanted, str], Got]:
    """A store that somebody carried here."""
    other = Store(folder)

    def get(wanted: Wanted, version: str) -> Got:
        locked = lock.get(wanted)
        data = other.get(locked.digest) if locked else None
        if locked is None or data is None:
            raise NotFetched("the lock does not name it" if locked is None else f"{folder} does not have it")
        return Got(locked.got, data)

    return get


# -- what is said


def trusted_hosts(lock: Lock, configured: tuple[str, ...], given: tuple[str, ...]) -> Permission:
    """Those that somebody wrote down, and those that a lock has which is known to be ours."""
    return Permission.of((*hosts_in(lock), *configured, *given))


def summary(fetched: Fetched, store: Path) -> Iterator[str]:
    for wanted, reason in fetched.failed.items():
        yield f"not fetched: {wanted}: {reason}"
    if fetched.refused_hosts:
        hosts = fetched.refused_hosts[:_SHOWN_HOSTS]
        words = " ".join(f"--allow-host {host}" for host in hosts)
        yield f"allow these hosts in the config (fetch: hosts:), or now: gitops-lint fetch {words}"
    there, missing = counted(len(fetched.lock), "thing"), len(fetched.failed)
    yield f"{there} in the lock, {fetched.brought} fetched now, {missing} missing ({store})"
