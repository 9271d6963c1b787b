"""Bytes → a file: whole or not at all, and only where the user would expect it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path


class NotWritten(Exception):
    """The file stays as it is; the message says why."""


def replace_file(root: Path, path: str, before: bytes, after: bytes) -> None:
    """Replace a file's content in one step and keep its mode; `before` is what it must still be."""
    target = _inside(root, path)
    try:
        _demand_unchanged(target, path, before)
        with _beside(target, after) as name:
            _copy_owner_and_mode(target, name)
            # Once more, as late as can be: an editor may have saved it meanwhile.
            _demand_unchanged(target, path, before)
            os.replace(name, target)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or error}") from error


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
            link = next((one for one in (path, *path.parents) if one.is_relative_to(above) and one.is_symlink()), None)
            if link is not None and link != above:
                raise NotWritten(f"{target}: {link.name} is a link in the repository; nothing is written through it")


@contextlib.contextmanager
def _beside(target: Path, data: bytes) -> Iterator[str]:
    """A file with this content in the same folder, which is gone afterwards unless it was renamed."""
    handle, name = tempfile.mkstemp(prefix=".gitops-lint-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _umask() -> int:
    """There is no way to ask but to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _inside(root: Path, path: str) -> Path:
    """The file itself, links followed: replacing a link would cut it off from its target."""
    target = Path(os.path.realpath(root / path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise NotWritten(f"{path}: leads out of the folder that is linted")
    return target


def _demand_unchanged(target: Path, path: str, before: bytes) -> None:
    if not target.is_file() or not os.access(target, os.W_OK):
        raise NotWritten(f"{path}: is not a file that may be written")
    if target.read_bytes() != before:
        raise NotWritten(f"{path}: changed since it was read")


def _copy_owner_and_mode(target: Path, name: str) -> None:
    status = target.stat()
    if hasattr(os, "chown"):
        # In a container that runs as root the file would else become root's.
        with contextlib.suppress(PermissionError):
            os.chown(name, status.st_uid, status.st_gid)
    shutil.copymode(target, name)
