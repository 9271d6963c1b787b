"""Where what was fetched lies, and which repositories are checked out beside: what the command line and config say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..files.disk import Reader
from .content_store import Store, default_store
from .lock_file import LOCK_NAME, Lock, read_lock
from .own_address import OwnAddress
from .shelf import Shelf, ShelfReader


@dataclass(frozen=True)
class ShelfChoice:
    store_folder: Path | None = None
    """None: that of the user."""
    mapped: Mapping[str, Path] = field(default_factory=dict)
    """Address of a git repository → where it is checked out."""

    @property
    def store(self) -> Store:
        return Store(self.store_folder or default_store())

    def at(
        self, reader: Reader, more: Mapping[str, Path] | None = None, own: Iterable[str] = ()
    ) -> tuple[Shelf, ShelfReader]:
        """For one state of a repository, by the lock that it has itself; `own` are its addresses. Raises BadLock."""
        shelf = Shelf(self._lock(reader), self.store, {**(more or {}), **self.mapped}, OwnAddress(own, reader))
        return shelf, ShelfReader(reader, shelf)

    def _lock(self, reader: Reader) -> Lock:
        return read_lock(reader.data(LOCK_NAME))
