"""What was brought, as folders beside the repository: read by path like any other, and never from the network.

Each thing is a folder below `SHELF`; no path that begins in one of them leads into another.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from ..facts.regexes import regex
from ..files.disk import MAX_BYTES, Reader, Stamp, decode
from ..files.elsewhere import LACKING, SHELF, Elsewhere, is_fetched
from ..yaml.source import Place, SourceFile
from .content_store import Store
from .lock_file import Lock, Locked
from .own_address import OwnAddress, address_key
from .packed import BadArchive, unpacked
from .wanted import (
    CHART,
    FILE,
    GIT,
    RemoteEntry,
    Wanted,
    artifact_wanted,
    chart_wanted,
    file_wanted,
    remote_entry,
    repository_wanted,
)

_NO_ADDRESS: Final = "nothing can be fetched from such an address"
_NOBODY: Final = "nobody has fetched it yet"
_CHART_FILE: Final = "Chart.yaml"
_ODD: Final = regex(r"[^A-Za-z0-9._+-]+")


class Shelf(Elsewhere):
    def __init__(
        self, lock: Lock, store: Store, mapped: Mapping[str, Path] | None = None, own: OwnAddress = OwnAddress()
    ) -> None:
        super().__init__()
        self.lock = lock
        self._store = store
        self._mapped = {address_key(url): path for url, path in (mapped or {}).items()}
        """By address: git repositories that are checked out beside this one."""
        self._own = own
        self.asked: dict[Wanted, list[Place]] = {}
        """Everything that anybody asked for, with the lines that name it."""
        self.lacking: dict[Wanted, str] = {}
        """What is not here, and why."""
        self._why_not = ""
        self.refused: dict[str, Place] = {}
        """What is no address that can be fetched from."""
        self._files: dict[str, Mapping[str, bytes]] = {}
        self._checkouts: dict[str, Reader] = {}
        self._roots: dict[Wanted, str | None] = {}

    @property
    def is_filled(self) -> bool:
        """Whether there may be a chart on it."""
        return bool(self.lock or self._mapped)

    # -- what builders ask

    def chart(self, at: Place, repository: str, name: str, version: str) -> str | None:
        wanted = chart_wanted(repository, name, version)
        root = self._root(wanted, at, f"{repository} {name}")
        return self._chart_in(root) if root else None

    def artifact(self, at: Place, url: str, version: str) -> str | None:
        root = self._root(artifact_wanted(url, version), at, url)
        return self._chart_in(root) if root else None

    def repository(self, at: Place, url: str, revision: str) -> str | None:
        return self._root(repository_wanted(url, revision), at, url)

    def here(self, entry: str) -> str:
        return self._own.path(entry)

    def base(self, at: Place, entry: str) -> str | None:
        if own := self._own.path(entry):
            return own
        found = remote_entry(entry)
        if found is None or found.wanted.kind != GIT:
            return None if found else self._root(None, at, entry)
        root = self._root(found.wanted, at, entry)
        return posixpath.normpath(posixpath.join(root, found.path)) if root else None

    def file(self, at: Place, entry: str) -> str | None:
        if own := self._own.file(entry):
            return own
        found = remote_entry(entry) or _plain_file(entry)
        if found is None or found.wanted.kind != FILE:
            return None if found else self._root(None, at, entry)
        root = self._root(found.wanted, at, entry)
        return f"{root}/{posixpath.basename(found.wanted.url)}" if root else None

    def why_not(self, words: str) -> str:
        """Of what was asked for last."""
        if self._why_not == _NO_ADDRESS:
            return f"{words}: {_NO_ADDRESS}"
        return super().why_not(f"{words} ({self._why_not})" if self._why_not not in ("", _NOBODY) else words)

    def is_mapped(self, url: str) -> bool:
        return bool(self._mapped) and address_key(url) in self._mapped

    def _root(self, wanted: Wanted | None, at: Place, written: str) -> str | None:
        self._why_not = ""
        if wanted is None:
            self.refused.setdefault(written, at)
            self._why_not = _NO_ADDRESS
            return None
        self.asked.setdefault(wanted, []).append(at)
        if wanted not in self._roots:
            self._roots[wanted] = self._placed(wanted)
        root = self._roots[wanted]
        self._why_not = self.lacking.get(wanted, "")
        if root is not None:
            self.brought_by.setdefault(root, at)
        return root

    # -- what is there

    def _placed(self, wanted: Wanted) -> str | None:
        if wanted.kind == GIT and (folder := self._mapped.get(address_key(wanted.url))) is not None:
            root = f"{SHELF}{_label(wanted, '', str(folder))}"
            self._checkouts[root] = Reader(folder)
            return root
        locked = self.lock.get(wanted)
        if locked is None:
            self.lacking[wanted] = _NOBODY
            return None
        data = self._store.get(locked.digest)
        if data is None:
            self.lacking[wanted] = LACKING
            return None
        root = f"{SHELF}{_label(wanted, locked.got, locked.digest)}"
        try:
            self._files[root] = self._unpacked(wanted, locked, data)
        except BadArchive as error:
            self.lacking[wanted] = f"what was fetched {error}"
            return None
        return root

    def _unpacked(self, wanted: Wanted, locked: Locked, data: bytes) -> Mapping[str, bytes]:
        return {posixpath.basename(wanted.url): data} if wanted.kind == FILE else unpacked(data)

    def _chart_in(self, root: str) -> str | None:
        """A packed chart is a folder of its name."""
        tops = [path for path in self._files[root] if posixpath.basename(path) == _CHART_FILE]
        top = min(tops, key=lambda path: path.count("/"), default=None)
        return None if top is None else posixpath.join(root, posixpath.dirname(top)).rstrip("/")

    # -- reading it

    def data(self, path: str) -> bytes | None:
        root, inside = self._split(path)
        if root in self._checkouts:
            return self._checkouts[root].data(inside)
        found = self._files.get(root, {}).get(inside)
        return found if found is not None and len(found) <= MAX_BYTES else None

    def below(self, folder: str) -> Iterator[str]:
        root, inside = self._split(folder)
        if root in self._checkouts:
            yield from (f"{root}/{path}" for path in self._checkouts[root].below(inside or "."))
            return
        prefix = f"{inside}/" if inside else ""
        yield from (f"{root}/{path}" for path in sorted(self._files.get(root, {})) if path.startswith(prefix))

    def is_folder(self, path: str) -> bool:
        root, inside = self._split(path)
        if root in self._checkouts:
            return self._checkouts[root].is_folder(inside or ".")
        return (not inside and root in self._files) or next(self.below(path), None) is not None

    def _split(self, path: str) -> tuple[str, str]:
        label, _, inside = path.removeprefix(SHELF).partition("/")
        return f"{SHELF}{label}", inside


class ShelfReader(Reader):
    """The files of a repository, and of what was brought for it."""

    def __init__(self, other: Reader, shelf: Shelf) -> None:
        self._other = other
        self._shelf = shelf

    def file(self, path: str) -> SourceFile | None:
        if not is_fetched(path):
            return self._other.file(path)
        data = self._shelf.data(path)
        return decode(path, data) if data is not None else None

    def data(self, path: str) -> bytes | None:
        return self._shelf.data(path) if is_fetched(path) else self._other.data(path)

    def stamp(self, path: str) -> Stamp | None:
        if not is_fetched(path):
            return self._other.stamp(path)
        data = self._shelf.data(path)
        return Stamp(sha256(data).hexdigest(), 0) if data is not None else None

    def below(self, folder: str) -> Iterator[str]:
        return self._shelf.below(folder) if is_fetched(folder) else self._other.below(folder)

    def is_folder(self, path: str) -> bool:
        return self._shelf.is_folder(path) if is_fetched(path) else self._other.is_folder(path)

    def real(self, path: str) -> str:
        return path if is_fetched(path) else self._other.real(path)

    def is_file(self, path: str) -> bool:
        return self._shelf.data(path) is not None if is_fetched(path) else self._other.is_file(path)


def _plain_file(entry: str) -> RemoteEntry | None:
    wanted = file_wanted(entry)
    return RemoteEntry(wanted) if wanted else None


def _label(wanted: Wanted, got: str, digest: str) -> str:
    """What it is called in paths; with some of its digest, since two may have one name."""
    name = wanted.name if wanted.kind == CHART else "-".join(wanted.url.split("/")[-2:])
    words = "-".join(filter(None, (name, got[:12] if wanted.kind == GIT else got)))
    mark = sha256(digest.encode()).hexdigest()[:8]
    return f"{_ODD.sub('-', words)}.{mark}"
