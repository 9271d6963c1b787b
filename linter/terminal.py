"""The terminal that a run talks to: its colours, its width, how it would write a path, a bar for the long runs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from .source import SourceFile

FILES_WORTH_A_PROGRESS_BAR: Final = 400


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


def progress(files: Sequence[SourceFile], *, wanted: bool) -> Iterable[SourceFile]:
    """The files, with a bar while they are gone through if that takes long and somebody is looking."""
    if not wanted or len(files) < FILES_WORTH_A_PROGRESS_BAR or not sys.stderr.isatty():
        return files
    return _with_bar(files)


def _with_bar(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    with click.progressbar(length=len(files), label="Reading", file=sys.stderr, update_min_steps=50) as bar:
        for file in files:
            yield file
            bar.update(1)
    with suppress(OSError):
        sys.stderr.write("\x1b[1A\x1b[2K")  # leave the terminal to the findings
        sys.stderr.flush()
