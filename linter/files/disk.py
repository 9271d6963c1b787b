"""Opening files of the repository. What is read before this is listed, and what `.gitignore` and the config say.

The repository is not trusted: nothing outside its root is read, whatever
links say, nor what git keeps for itself or ignores, and what is too large or no
text is named instead of read.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ..yaml.source import Problem, SourceFile, Span

MAX_BYTES: Final = 10 * 1024 * 1024
"""Argo CD refuses a folder whose manifests are larger than this together."""
OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting: a pipe that nobody writes to would hold us for ever. Not every system has both flags."""
LONGEST_PATH: Final = 4_096
"""Characters: Linux takes no longer ones, and following links costs something for each folder on the way."""
MAX_FOLDERS: Final = 20_000
"""In one walk. Links can make many ways out of few folders."""
MAX_DEPTH: Final = 100
PASSED_OVER: Final = ".git"
LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"
"""How a file begins that Git LFS keeps elsewhere, and that was not brought with the checkout."""


class Stamp(NamedTuple):
    """What changes when a file changes, without reading it."""

    text: str
    changed: int
    """When it last did, in nanoseconds; 0 where the text is of the content itself."""


class Reader:
    """Files below one root, opened when somebody asks: what a kustomization names may have any name."""

    def __init__(self, root: Path, is_hidden: Callable[[str], bool] = lambda path: False) -> None:
        """`is_hidden` says of a path from the root whether its file is none of the repository, though it lies there."""
        self._root = str(root)
        self._real = os.path.realpath(root)
        self._is_hidden = is_hidden
        self._inside: dict[str, bool] = {}
        self._open: dict[str, bool] = {}
        self._real_paths: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        """Their real paths: most files are no links, and a folder has many."""

    def file(self, path: str) -> SourceFile | None:
        """None when there is no such file: of the names that a kustomization may have, two are never there."""
        if not os.path.lexists(f"{self._root}/{path}"):
            return None
        return read_file(self._root, path) if self._may_be_opened(path) else None

    def data(self, path: str) -> bytes | None:
        """None when there is no such file, or none that may be read."""
        if not self._may_be_opened(path):
            return None
        try:
            found = _open(self._root, path)
            return found if isinstance(found, bytes) else None
        except (OSError, ValueError):
            return None

    def below(self, folder: str) -> Iterator[str]:
        """The files of any name in a folder and its folders. Links are followed as long as they stay inside.

        A link that leads out of the repository, or to what git keeps, is named like a file; `data` does not give it.
        """
        if self.is_folder(folder):
            yield from self._walk("" if folder == "." else f"{folder}/", frozenset(), [0])

    def _walk(self, prefix: str, above: frozenset[str], count: list[int]) -> Iterator[str]:
        count[0] += 1
        real = os.path.realpath(f"{self._root}/{prefix}")
        if count[0] > MAX_FOLDERS or len(above) > MAX_DEPTH or real in above:
            return
        try:
            with os.scandir(f"{self._root}/{prefix}") as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.name == PASSED_OVER:
                continue
            if entry.is_dir() and self._is_inside(path):
                yield from self._walk(f"{path}/", above | {real}, count)
            elif self._may_be_opened(path):
                yield path

    def stamp(self, path: str) -> Stamp | None:
        """None when there is no such file, or none that may be read."""
        try:
            status = os.stat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None
        is_link = os.path.islink(f"{self._root}/{path}")
        if not stat.S_ISREG(status.st_mode) or not self._may_be_opened(path) or (is_link and not self._is_inside(path)):
            return None
        numbers = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
        return Stamp("-".join(f"{number:x}" for number in numbers), max(numbers[:2]))

    def is_folder(self, path: str) -> bool:
        return self._is_inside(path) and os.path.isdir(f"{self._root}/{path}")

    def is_file(self, path: str) -> bool:
        try:
            return self._may_be_opened(path) and os.path.isfile(f"{self._root}/{path}")
        except ValueError:  # no system has such a name
            return False

    def real(self, path: str) -> str:
        """Where a path comes out, links followed; itself where that is not in the repository."""
        try:
            return _below(self._real, self._real_path(path)) or path
        except ValueError:
            return path

    def _is_inside(self, path: str) -> bool:
        """Whether every link on the way stays below the root, and out of what git keeps for itself."""
        if "\0" in path or len(path) > LONGEST_PATH:
            return False
        if path not in self._inside:
            try:
                real = self._real_path(path)
            except ValueError:  # half a character: no system has such a name
                return False
            self._inside[path] = _below(self._real, real) is not None
        return self._inside[path]

    def _may_be_opened(self, path: str) -> bool:
        """A link that leads out may: whoever opens it says what it is."""
        if path not in self._open:
            self._open[path] = self._is_inside(os.path.dirname(path)) and "\0" not in path and not self._hides(path)
        return self._open[path]

    def _real_path(self, path: str) -> str:
        """As `os.path.realpath` has it, which asks for every folder on the way each time."""
        found = self._real_paths.get(path)
        if found is None:
            found = self._real_paths[path] = self._followed(path)
        return found

    def _followed(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        whole = f"{self._root}/{path}"
        if name in ("", os.curdir, os.pardir) or os.path.islink(whole):
            return os.path.realpath(whole)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(f"{self._root}/{folder}")
        return os.path.join(self._folders[folder], name)

    def _hides(self, path: str) -> bool:
        inside = _below(self._real, self._real_path(path))
        return self._is_hidden(path) or (inside is not None and inside != path and self._is_hidden(inside))


def _below(root: str, real: str) -> str | None:
    """A real path seen from the real root; None outside, and in git's own folder."""
    above = f"{root}{os.sep}"
    inside = real[len(above) :] if real.startswith(above) else os.path.relpath(real, root)
    parts = inside.lower().split(os.sep)
    return None if parts[0] == os.pardir or PASSED_OVER in parts else inside.replace(os.sep, "/")


def read_file(root: str, name: str) -> SourceFile | None:
    """The file, or what kept us from reading it; None for what is no file at all."""
    try:
        found = _open(root, name)
    except (FileNotFoundError, ValueError):
        return None  # a link to nothing: Argo CD skips it, too; or a name that no system has
    except OSError as error:
        return _refuse(name, f"cannot be read: {error.strerror or error}")
    return decode(name, found) if isinstance(found, bytes) else found


def _open(root: str, name: str) -> bytes | SourceFile | None:
    """The bytes, or a file that says why they are not read; None for what is no regular file."""
    path = f"{root}/{name}"
    if os.path.islink(path) and _below(os.path.realpath(root), os.path.realpath(path)) is None:
        # Before it is opened: to open a device may be to do something.
        return _refuse(name, "a link that leads out of the repository: not read") if os.path.isfile(path) else None
    handle = os.open(path, OPEN_FLAGS)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None
        if status.st_size > MAX_BYTES:
            size, most = status.st_size / 1024**2, MAX_BYTES // 1024**2
            return _refuse(name, f"{size:.0f} MB: files over {most} MB are not read")
        return _read_all(handle, status.st_size)
    finally:
        os.close(handle)


def _read_all(handle: int, size: int) -> bytes:
    data = os.read(handle, size + 1)
    while len(data) < size and (more := os.read(handle, size - len(data))):
        data += more
    return data


def beginning(path: Path) -> str:
    """Of a file that is no part of the repository, but of git's own; empty for what is no regular file.

    Raises OSError, and ValueError for a name that no system has.
    """
    handle = os.open(path, OPEN_FLAGS)
    try:
        status = os.fstat(handle)
        size = min(status.st_size, MAX_BYTES) if stat.S_ISREG(status.st_mode) else 0
        return _read_all(handle, size)[:size].decode("utf-8", "replace")
    finally:
        os.close(handle)


def decode(name: str, data: bytes) -> SourceFile:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # Kustomize reads it, so it is no fault
        return _refuse(name, "it is in UTF-16, and only UTF-8 is read")
    try:
        return SourceFile(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode("utf-8"))
        at -= data.startswith(b"\xef\xbb\xbf")
        problem = Problem(Span(at, at), f"not UTF-8: the byte 0x{data[error.start]:02X} stands here")
        return SourceFile(name, data.decode("utf-8", "replace"), problem)


def _refuse(name: str, reason: str) -> SourceFile:
    return SourceFile(name, "", Problem(Span(0, 0), reason, unreadable=True))
