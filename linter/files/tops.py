"""Where a repository begins, seen from a path in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


class NoSuchPath(Exception):
    """A path that was asked for and cannot be looked at."""


def repository_root(start: Path) -> Path:
    """The nearest folder above that git manages; without one, the folder itself."""
    folder = folder_of(start)
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)


def folder_of(start: Path) -> Path:
    return start.resolve() if start.is_dir() else start.parent.resolve()


def common_root(paths: Sequence[Path]) -> Path:
    """The top of the repository that holds the paths; of several, the folder above them all."""
    roots = {repository_root(path) for path in paths}
    return roots.pop() if len(roots) == 1 else Path(os.path.commonpath(roots))


def located(path: Path) -> Path:
    """Where a path really is; a file that is a link stays one, so that it is judged as one.

    Raises NoSuchPath for a folder that a link of a repository leads out to: whoever named it meant one inside.
    """
    if not path.is_dir():
        return path.parent.resolve() / path.name
    real = path.resolve()
    written = Path(os.path.abspath(path))
    root = next((above for above in written.parents if (above / ".git").exists()), None)
    if root is not None and written != real and not real.is_relative_to(root.resolve()):
        raise NoSuchPath(f"{path}: a link that leads out of the repository: not read")
    return real
