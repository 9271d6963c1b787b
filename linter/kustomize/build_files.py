"""What a build reads, and from where: the repository's files, and nothing outside of it."""

from __future__ import annotations

import posixpath
from typing import Final, Protocol

from ..facts.regexes import regex
from ..files.elsewhere import NOTHING, Elsewhere, fetched_root
from ..yaml.source import Node, SourceFile
from .kustomize_errors import BuildError, Cause, NotBuilt

_SCHEME: Final = regex(r"(?i)(?:[a-z][a-z0-9+.-]*::|[a-z][a-z0-9+.-]*://|git@|gh:|github\.com[/:])")


class Files(Protocol):
    """The files of one repository, by path from its root; whoever builds never touches the disk."""

    def source(self, path: str) -> SourceFile | None:
        """A file as text, parsed once however often it is asked for; None if there is none."""

    def data(self, path: str) -> bytes | None:
        """A file of any kind."""

    def is_folder(self, path: str) -> bool: ...

    def real(self, path: str) -> str:
        """Where a path comes out, links followed."""


def is_remote(entry: str) -> bool:
    """Whether Kustomize would fetch it, should there be no such file here."""
    host, colon, _ = entry.partition(":")
    has_user = bool(colon) and "@" in host[1:-1] and "/" not in host
    return has_user or bool(_SCHEME.match(entry)) or "?ref=" in entry or ".git/" in entry or "_git/" in entry


def joined(folder: str, entry: str) -> str:
    return posixpath.normpath(posixpath.join(folder, entry))


def is_within(path: str, folder: str) -> bool:
    """Whether a path is the folder itself or below it."""
    if folder == ".":
        return not leaves_repository(path)
    return path == folder or path.startswith(f"{folder}/")


def leaves_repository(path: str) -> bool:
    return path == ".." or path.startswith(("../", "/"))


def leaves_root(folder: str, path: str) -> bool:
    """Whether a path that is named in a folder lies in another repository than the folder: one of them was fetched."""
    return fetched_root(folder) != fetched_root(path)


def is_own(files: Files, folder: str, path: str) -> bool:
    """Whether a file below a folder stays there once links are followed."""
    real = files.real(path)
    return real == path or is_within(real, files.real(folder))


class Loader:
    """Reads the files that one kustomization names, as Kustomize lets it: none outside of its own folder.

    With the restriction switched off (`--load-restrictor LoadRestrictionsNone`) any file of the repository.
    """

    def __init__(self, files: Files, folder: str, *, restricted: bool = True, elsewhere: Elsewhere = NOTHING) -> None:
        self._files = files
        self.folder = folder
        self._restricted = restricted
        self.elsewhere = elsewhere
        """What is named by an address, if somebody brought it."""

    def moved_to(self, folder: str) -> Loader:
        return Loader(self._files, folder, restricted=self._restricted, elsewhere=self.elsewhere)

    def path(self, at: Node, entry: str) -> str:
        """The path of a file that is named here; refused when it lies elsewhere."""
        if is_remote(entry):
            fetched = self.elsewhere.file(at, entry)
            if fetched is not None:
                return fetched
            raise NotBuilt(at, self.elsewhere.why_not("a remote file"), entry)
        path = joined(self.folder, entry)
        if leaves_root(self.folder, path):
            path = f"../{path}"  # of another repository, whose root is a folder here
        if leaves_repository(path) and not self._restricted:
            raise NotBuilt(at, "a file outside the repository: not read", entry)
        if leaves_repository(path) or (self._restricted and not is_within(path, self.folder)):
            raise BuildError(
                Cause.OUTSIDE_ROOT,
                at,
                f"{entry} lies outside the folder of this kustomization",
            )
        if self._restricted and not is_own(self._files, self.folder, path):
            message = f"{entry} is a link out of the folder of this kustomization, and Kustomize does not follow it"
            raise BuildError(Cause.OUTSIDE_ROOT, at, message)
        return path

    def is_folder(self, path: str) -> bool:
        """By its path from the root of the repository."""
        return self._files.is_folder(path)

    def source(self, at: Node, entry: str) -> SourceFile:
        file = self._files.source(self.path(at, entry))
        if file is None:
            raise self._missing(at, entry)
        return file

    def source_at(self, path: str) -> SourceFile | None:
        """By its path from the root of the repository."""
        return self._files.source(path)

    def data(self, at: Node, entry: str) -> bytes:
        data = self._files.data(self.path(at, entry))
        if data is None:
            raise self._missing(at, entry)
        return data

    def _missing(self, at: Node, entry: str) -> BuildError:
        path = joined(self.folder, entry)
        is_folder = self._files.is_folder(path)
        what = "is a folder, and Kustomize wants a file here" if is_folder else "does not exist"
        return BuildError(Cause.MISSING_FILE, at, f"{entry} {what}", sought=path)
