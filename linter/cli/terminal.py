"""The terminal that a run talks to: its colours, its width, how it would write a path, a bar for the long runs.

A library (rich) does this and more, and takes longer to load than a small run takes.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final

from ..lint.progress import Item, Progress

WORTH_TELLING: Final = 0.5
"""Seconds: a shorter run only flickers."""
BETWEEN: Final = 0.1


def wants_color(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    somebody_says = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size((120, 24)).columns if somebody_says else 120


def shown_root(root: Path) -> str:
    """What to put before a path so that it can be opened from here."""
    here = Path.cwd()
    if here.is_relative_to(root):
        return ""
    return root.relative_to(here).as_posix() if root.is_relative_to(here) else root.as_posix()


def seen_from(root: Path) -> str:
    here = Path.cwd()
    return here.relative_to(root).as_posix() if here.is_relative_to(root) and here != root else ""


class Line(Progress):
    """One line on the terminal, written over and over, and gone when there is something to read."""

    def __init__(self) -> None:
        self._since = monotonic()
        self._shown = False

    def each(self, items: Sequence[Item], doing: str) -> Iterator[Item]:
        told = 0.0
        for number, item in enumerate(items):
            if monotonic() - told > BETWEEN:
                told = monotonic()
                self._write(f"{doing} {100 * number // len(items)} %")
            yield item
        self._write("")

    @contextmanager
    def during(self, doing: str) -> Iterator[None]:
        self._write(f"{doing} …")
        yield
        self._write("")

    def _write(self, text: str) -> None:
        if not (self._shown or text) or monotonic() - self._since < WORTH_TELLING:
            return
        self._shown = bool(text)
        with suppress(OSError):
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()


def progress(wanted: bool) -> Progress:
    """For a run that takes long, if somebody is looking."""
    return Line() if wanted and sys.stderr.isatty() else Progress()
