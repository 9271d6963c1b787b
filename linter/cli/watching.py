"""`--watch`: a run after every change, each in a process of its own, as if somebody typed it again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import sleep
from typing import Final

from ..programs import watch

BETWEEN: Final = 0.3
"""Seconds between two looks."""
_UNSEEN: Final = frozenset((".git", "node_modules", ".venv", "__pycache__"))
_CLEAR: Final = "\x1b[2J\x1b[H"


def again_and_again(paths: Sequence[Path]) -> None:
    """Returns in a new process, once for every run; the one that waits never does, until it is interrupted."""
    watch.finish()  # the limits are for one run, and each has its own
    try:
        while True:
            before = stamps(paths)
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if not child:
                return
            os.waitpid(child, 0)
            print("Waiting for a change; Ctrl-C ends it.", file=sys.stderr, flush=True)
            while stamps(paths) == before:
                sleep(BETWEEN)
    except KeyboardInterrupt:
        sys.exit(0)


def stamps(paths: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Of every file: when it was written, and its size."""
    return dict(stamp for path in paths for stamp in _below(path))


def _below(path: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    if not path.is_dir():
        yield from _stamp(os.fspath(path))
    for folder, folders, files in os.walk(path):
        folders[:] = [name for name in folders if name not in _UNSEEN]
        for name in files:
            yield from _stamp(os.path.join(folder, name))


def _stamp(path: str) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return  # gone since it was listed
    yield path, (status.st_mtime_ns, status.st_size)
