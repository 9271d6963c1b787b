"""Starting git. Only when two revisions are compared, or the index is read.

Only commands that look at objects and the index are run, without a shell, with
so much time and output. Whatever the repository's own configuration says, none
of them starts another program: no hook, no file watcher, no filter, no pager,
and nothing is fetched, also not in a clone that leaves objects out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import IO, Final, NamedTuple, TypeVar

from ..processes import stop

TIME_LIMIT: Final = 120.0
"""Seconds for one command; the slowest is the listing of a very large tree."""
MAX_OUTPUT: Final = 256 * 1024**2
MAX_COMPLAINT: Final = 16 * 1024

_OPTIONS: Final = (
    "--no-pager", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never",
    "-c", "core.quotePath=false", "-c", "safe.bareRepository=explicit", "-c", "diff.external=",
)  # fmt: skip
_SET: Final = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_FLUSH": "0",
    "LC_ALL": "C",
}
_KEPT: Final = frozenset(
    "HOME USERPROFILE SYSTEMROOT TMPDIR TEMP TMP XDG_CONFIG_HOME GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM"
    " GIT_CONFIG_NOSYSTEM GIT_CONFIG_COUNT GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM".split()
)
"""Where git may find that it can trust a folder that another user owns, and the like."""
_KEPT_LISTS: Final = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")

Taken = TypeVar("Taken")


class GitError(Exception):
    """Why git cannot tell what it is asked for, and what to do about it."""


class Answer(NamedTuple):
    code: int
    printed: bytes
    complained: str


class Git:
    """Git in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._program = _find_git()

    def ask(self, *arguments: str, index: str | None = None) -> Answer:
        """What a command prints, and how it ends; `index` is the file to read as such."""
        taken: list[bytes] = []

        def all_of_it(stream: IO[bytes]) -> None:
            taken.append(stream.read(MAX_OUTPUT + 1))
            if len(taken[0]) > MAX_OUTPUT:
                raise GitError(f"git {arguments[0]} prints more than {MAX_OUTPUT // 1024**2} MB: not read")

        code, complained = self._run(arguments, subprocess.DEVNULL, index, all_of_it)
        return Answer(code, taken[0], complained)

    def feed(self, arguments: Sequence[str], words: Sequence[str], take: Callable[[IO[bytes]], None]) -> None:
        """Give words to a command, a line each, and let `take` read what it prints."""
        with tempfile.TemporaryFile() as questions:
            questions.write("".join(f"{word}\n" for word in words).encode("ascii"))
            questions.seek(0)
            code, complained = self._run(arguments, questions, None, take)
        if code != 0:
            raise GitError(f"git {arguments[0]} failed: {last_line(complained) or f'exit code {code}'}")

    def _run(
        self, arguments: Sequence[str], given: IO[bytes] | int, index: str | None, take: Callable[[IO[bytes]], None]
    ) -> tuple[int, str]:
        more = {"GIT_INDEX_FILE": index} if index else {}
        try:
            with tempfile.TemporaryFile() as complaints:
                process = subprocess.Popen(
                    (self._program, *_OPTIONS, *arguments),
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    cwd=self.folder,
                    env={**_environment(), **more},
                    start_new_session=True,
                )
                _attended(process, arguments[0], take)
                complaints.seek(max(0, complaints.tell() - MAX_COMPLAINT))
                complained = complaints.read().decode("utf-8", "replace")
        except OSError as error:
            raise GitError(f"git cannot be started: {error.strerror or error}") from None
        return process.returncode, complained


def _attended(process: subprocess.Popen[bytes], name: str, take: Callable[[IO[bytes]], None]) -> None:
    assert process.stdout is not None
    end = monotonic() + TIME_LIMIT
    alarm = Timer(TIME_LIMIT, stop, (process,))
    alarm.daemon = True
    with process.stdout:
        alarm.start()
        try:
            take(process.stdout)
            process.wait()
        finally:
            alarm.cancel()
            if process.returncode is None:
                stop(process)
                process.wait()
    if monotonic() >= end:
        raise GitError(f"git {name} took longer than {TIME_LIMIT:g} seconds")


def _find_git() -> str:
    for folder in _absolute_folders():
        found = shutil.which(str(Path(folder, "git")))
        if found:
            return found
    raise GitError("two revisions can only be compared with git, and there is no git on the PATH")


def _absolute_folders() -> list[str]:
    """Of the PATH: an entry like `.` would be a folder of the repository."""
    return [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]


def _environment() -> Mapping[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _KEPT or name.upper().startswith(_KEPT_LISTS)
    }
    return {**kept, "PATH": os.pathsep.join(_absolute_folders()), **_SET}


def last_line(complained: str) -> str:
    """What git says in the end, without the word before it."""
    lines = [line for line in complained.splitlines() if line.strip()]
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ").strip() if lines else ""
