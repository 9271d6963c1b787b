"""Where a repository begins, seen from a path in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def repository_root(start: Path) -> Path:
    """The nearest folder above that git manages; without one, the folder itself."""
    folder = folder_of(start)
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)


def folder_of(start: Path) -> Path:
    start = start.resolve()
    return start if start.is_dir() else start.parent


def common_root(paths: Sequence[Path]) -> Path:
    """The top of the repository that holds the paths; of several, the folder above them all."""
    roots = {repository_root(path) for path in paths}
    return roots.pop() if len(roots) == 1 else Path(os.path.commonpath(roots))


def located(path: Path) -> Path:
    """Where a path really is; a file that is a link stays one, so that it is judged as one."""
    return path.resolve() if path.is_dir() else path.parent.resolve() / path.name
