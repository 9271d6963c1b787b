"""Where what was fetched lies, and which repositories are checked out beside: what the command line and config say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..files.disk import Reader
from .content_store import Store, default_store
from .lock_file import LOCK_NAME, read_lock
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

    def at(self, reader: Reader, more: Mapping[str, Path] | None = None) -> tuple[Shelf, ShelfReader]:
        """For one state of a repository, by the lock that it has itself. Raises BadLock."""
        shelf = Shelf(read_lock(reader.data(LOCK_NAME)), self.store, {**(more or {}), **self.mapped})
        return shelf, ShelfReader(reader, shelf)
