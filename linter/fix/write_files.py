"""Bytes → a file: whole or not at all, and only where the user would expect it."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

PREFIX: Final = ".gitops-lint-"
WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
NO_WAY: Final = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.EXDEV, errno.EPERM)
"""What systems and file systems say that have no files without a name, or no /proc to name them by."""


class NotWritten(Exception):
    """The file stays as it is; the message says why."""


def replace_file(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Replace a file's content in one step and keep its mode; `before` is what it must still be."""
    target = demand_writable(root, path)
    try:
        _demand_unchanged(target, path, before)
        with _beside(target, after) as name:
            _copy_owner_and_mode(target, name)
            # Once more, as late as can be: an editor may have saved it meanwhile.
            _demand_unchanged(target, path, before)
            os.replace(name, target)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}") from error


def demand_writable(root: Path, path: str) -> Path:
    """The file, if it may be replaced; raises NotWritten."""
    target = Path(os.path.realpath(root / path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise NotWritten(f"{path}: leads out of the folder that is linted")
    if os.path.islink(root / path):
        raise NotWritten(f"{path}: is a link; the file that it leads to is fixed where it lies")
    try:
        status = target.stat()
    except OSError as error:
        raise NotWritten(f"{path}: is not a file that may be written") from error
    if not stat.S_ISREG(status.st_mode) or not os.access(target, os.W_OK):
        raise NotWritten(f"{path}: is not a file that may be written")
    if not status.st_mode & WRITABLE:
        raise NotWritten(f"{path}: is read-only")
    if status.st_nlink > 1:
        raise NotWritten(f"{path}: has other hard links, which would keep the old text")
    return target


def create_file(target: Path, data: bytes) -> None:
    """A file that is not there yet, in one step; whatever took its place meanwhile stays."""
    try:
        with _beside(target, data) as name:
            os.chmod(name, 0o666 & ~_umask())
            if os.path.lexists(target):
                raise NotWritten(f"{target}: exists by now")
            os.replace(name, target)
    except OSError as error:
        raise NotWritten(f"{target}: {error.strerror or error}") from error


def write_report(target: Path, data: bytes, roots: Iterable[Path]) -> None:
    """A file that the user names. In a repository no link is followed: who wrote the link would say where to write."""
    demand_no_link(target, roots)
    try:
        target.write_bytes(data)
    except OSError as error:
        raise NotWritten(f"{target}: {error.strerror or error}") from error


def demand_no_link(target: Path, roots: Iterable[Path]) -> None:
    """Raises NotWritten for a path with a link below one of the roots."""
    path = Path(os.path.abspath(target))
    real_roots = {os.path.realpath(root) for root in roots}
    for above in path.parents:
        if os.path.realpath(above) in real_roots or os.path.lexists(above / ".git"):
            inside = (one for one in (path, *path.parents) if one.is_relative_to(above))
            link = next((one for one in inside if os.path.islink(one)), None)
            if link is not None and link != above:
                raise NotWritten(f"{target}: {link.name} is a link in the repository; nothing is written through it")


@contextlib.contextmanager
def _beside(target: Path, data: bytes) -> Iterator[str]:
    """A file with this content in the same folder, which is gone afterwards unless it was renamed."""
    name = _nameless(target, data) or _named(target, data)
    try:
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _nameless(target: Path, data: bytes) -> str:
    """Written before it has a name: who kills us meanwhile leaves nothing behind. Empty where there is no way."""
    if not hasattr(os, "O_TMPFILE"):
        return ""
    try:
        with open(os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o600), "wb") as file:
            _fill(file, data)
            name = f"{PREFIX}{secrets.token_hex(8)}"
            folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                # Only with a folder given the link in /proc is followed.
                os.link(f"/proc/self/fd/{file.fileno()}", name, dst_dir_fd=folder, follow_symlinks=True)
            finally:
                os.close(folder)
            return str(target.parent / name)
    except OSError as error:
        if error.errno in NO_WAY:
            return ""
        raise


def _named(target: Path, data: bytes) -> str:
    handle, name = tempfile.mkstemp(prefix=PREFIX, dir=target.parent)
    try:
        with open(handle, "wb") as file:
            _fill(file, data)
    except BaseException:
        os.unlink(name)
        raise
    return name


def _fill(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())


def _umask() -> int:
    """There is no way to ask but to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _demand_unchanged(target: Path, path: str, before: bytes) -> None:
    if target.read_bytes() != before:
        raise NotWritten(f"{path}: changed since it was read")


def _copy_owner_and_mode(target: Path, name: str) -> None:
    status = target.stat()
    if hasattr(os, "chown"):
        # In a container that runs as root the file would else become root's.
        with contextlib.suppress(PermissionError):
            os.chown(name, status.st_uid, status.st_gid)
    shutil.copymode(target, name)
