"""Which files of a working tree are git's: those that it tracks, and those that it would take.

What is ignored and not tracked never reaches a cluster, and may be anybody's
secret: a credential that an earlier step of a job has left in the workspace is
no more for a chart of the repository than for its rules.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

from ..facts.regexes import regex
from ..yaml.lazy import lazy
from .disk import MAX_BYTES
from .gitignore import Ignores

_BUILT_DEPENDENCY: Final = regex(r"(?:^|/)charts/[^/]+\.tgz$")
"""`helm dependency build` puts it there, and hardly anybody commits it. Helm takes it only if it is a chart."""

Listing = Callable[[], Collection[str]]


class Versioned:
    """Git is asked what it tracks only when something is ignored; `tracked` may know that already."""

    def __init__(self, root: Path, *, respect_gitignore: bool = True, tracked: Listing | None = None) -> None:
        self.notes: list[str] = []
        """What could not be known, and why."""
        self._root = root
        self._respects = respect_gitignore
        self._listing = tracked or self._asked
        self._ignored: dict[str, bool] = {"": False}
        self._chains: dict[str, tuple[tuple[str, Ignores], ...]] = {}

    @lazy
    def tracked(self) -> frozenset[str]:
        """The files, and every folder above them."""
        return frozenset(above for path in self._listing() for above in _way_to(path))

    def leaves_out(self, path: str, is_folder: bool = False) -> bool:
        return self._is_ignored(path, is_folder) and path not in self.tracked

    def would_ignore(self, path: str) -> bool:
        """Whether git would leave out a file of that name, be it there or not."""
        return self._is_ignored(path, False)

    def hides(self, path: str) -> bool:
        """Whether nobody is to open a file, whoever names it."""
        return self.leaves_out(path) and not _BUILT_DEPENDENCY.search(path)

    def mean(self, folder: str) -> None:
        """Somebody asks for this folder by its name."""
        self._ignored.update(dict.fromkeys(_way_to(folder), False))

    def take_only_tracked(self, folder: str) -> None:
        self._ignored[folder] = True

    def _asked(self) -> Collection[str]:
        if not (self._root / ".git").exists():
            return ()
        from ..git import GitError, Repository  # starts processes

        try:
            return Repository(self._root).index.entries
        except GitError as error:
            self.notes.append(
                f"whether git tracks files that .gitignore names is not known, they are not read: {error}"
            )
            return ()

    def _is_ignored(self, path: str, is_folder: bool) -> bool:
        if not self._respects:
            return False
        if is_folder and path in self._ignored:
            return self._ignored[path]
        folder = os.path.dirname(path)
        ignored = self._is_ignored(folder, True)
        if not ignored:
            for prefix, patterns in self._chain(folder):
                verdict = patterns.verdict(path.removeprefix(prefix), is_folder)
                ignored = ignored if verdict is None else verdict
        if is_folder:
            self._ignored[path] = ignored
        return ignored

    def _chain(self, folder: str) -> tuple[tuple[str, Ignores], ...]:
        """The ignore files from the root down to a folder."""
        if folder not in self._chains:
            above = self._chain(os.path.dirname(folder)) if folder else ()
            self._chains[folder] = (*above, *self._ignores_in(f"{folder}/" if folder else ""))
        return self._chains[folder]

    def _ignores_in(self, prefix: str) -> Iterator[tuple[str, Ignores]]:
        path = self._root / prefix / ".gitignore"
        try:
            if not path.is_symlink() and path.is_file() and path.stat().st_size <= MAX_BYTES:
                yield prefix, Ignores(path.read_text("utf-8-sig", "replace"))
        except OSError:
            return


def _way_to(path: str) -> Iterator[str]:
    """The path and every folder above it."""
    while path:
        yield path
        path = os.path.dirname(path)
