"""What a command says, where that goes, and its exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

import click

from .options import Options

CLEAN: Final = 0
FINDINGS: Final = 1
FAILED: Final = 2


def fail(message: str) -> NoReturn:
    say(f"error: {message}")
    sys.exit(FAILED)


def say(message: str) -> None:
    """On standard error; what a repository says in it stays on its line, and does nothing there."""
    from ..report.escape import terminal_line

    click.echo(terminal_line(message), err=True)


def remark(options: Options, message: str) -> None:
    """Besides what was asked for; who wants quiet does not hear it."""
    if message and not options.quiet:
        say(message)


def put(text: str, file: str | None, *roots: Path, to_stderr: bool = False) -> None:
    if file is None:
        print_all(text.encode("utf-8", "backslashreplace"), sys.stderr.buffer if to_stderr else sys.stdout.buffer)
        return
    from ..fix.write_files import NotWritten, write_report

    try:
        write_report(Path(file), text.encode("utf-8", "backslashreplace"), roots)
    except NotWritten as error:
        fail(str(error))


def print_all(data: bytes, stream: BinaryIO) -> None:
    """All of it: with PYTHONUNBUFFERED, as many images have it, a pipe whose reader is slow takes a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()
