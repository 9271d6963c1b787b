"""What a command says, where that goes, and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, NoReturn

import click

from .options import Options

CLEAN: Final = 0
FINDINGS: Final = 1
FAILED: Final = 2


class Said(NamedTuple):
    """Something printed, and where."""

    on_stderr: bool
    text: str


class Heard(list[Said]):
    """What was printed while somebody listened."""

    rests_on_more: bool = False
    """True when it may be another thing tomorrow though the repository is the same."""


_heard: list[Heard] = []


@contextmanager
def recorded() -> Iterator[Heard]:
    """What is said meanwhile is said, and remembered."""
    _heard.append(Heard())
    try:
        yield _heard[-1]
    finally:
        _heard.pop()


def say_again(said: Iterable[Said]) -> None:
    for one in said:
        print_all(one.text.encode(), sys.stderr.buffer if one.on_stderr else sys.stdout.buffer)


def rests_on_more() -> None:
    """What is said rests on more than the repository and the command line: nobody is to remember it."""
    for heard in _heard:
        heard.rests_on_more = True


def _remember(on_stderr: bool, text: str) -> None:
    for heard in _heard:
        heard.append(Said(on_stderr, text))


def fail(message: str) -> NoReturn:
    say(f"error: {message}")
    sys.exit(FAILED)


def say(message: str) -> None:
    """On standard error; what a repository says in it stays on its line, and does nothing there."""
    from ..report.escape import terminal_line

    line = terminal_line(message)
    _remember(True, f"{line}\n")
    click.echo(line, err=True)


def remark(options: Options, message: str) -> None:
    """Besides what was asked for; who wants quiet does not hear it."""
    if message and not options.quiet:
        say(message)


def put(text: str, file: str | None, *roots: Path, to_stderr: bool = False) -> None:
    if file is None:
        data = text.encode("utf-8", "backslashreplace")
        _remember(to_stderr, data.decode())
        print_all(data, sys.stderr.buffer if to_stderr else sys.stdout.buffer)
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
