"""Asking git. Only when two revisions are compared, or the index is read.

Only commands that look at objects and the index are run, without a shell, with
so much time and output. Whatever the repository's own configuration says, none
of them starts another program: no hook, no file watcher, no filter, no pager,
and nothing is fetched, also not in a clone that leaves objects out. Libraries
(pygit2, dulwich) read the repository's configuration as well, and offer no such wall.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from ..programs.outcomes import Failed
from ..programs.processes import Ended, Limits, Processes, environment, on_path

TIME_LIMIT: Final = 120.0
"""Seconds for one command; the slowest is the listing of a very large tree."""
MAX_OUTPUT: Final = 256 * 1024**2

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
}
_KEPT: Final = frozenset(
    "HOME USERPROFILE SYSTEMROOT TMPDIR TEMP TMP XDG_CONFIG_HOME GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM"
    " GIT_CONFIG_NOSYSTEM GIT_CONFIG_COUNT GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM".split()
)
"""Where git may find that it can trust a folder that another user owns, and the like."""
_KEPT_LISTS: Final = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


class GitError(Exception):
    """Why git cannot tell what it is asked for, and what to do about it."""


class Git:
    """Git in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        program = on_path("git")
        if program is None:
            raise GitError("two revisions can only be compared with git, and there is no git on the PATH")
        self._program = program

    def ask(self, *arguments: str, index: str | None = None) -> Ended:
        """What a command prints, and how it ends; `index` is the file to read as such."""
        return self._run(arguments, index=index)

    def feed(self, arguments: Sequence[str], words: Sequence[str], take: Callable[[IO[bytes]], None]) -> None:
        """Give words to a command, a line each, and let `take` read what it prints."""
        with tempfile.TemporaryFile() as questions:
            questions.write("".join(f"{word}\n" for word in words).encode("ascii"))
            questions.seek(0)
            ended = self._run(arguments, given=questions, take=take)
        if ended.code != 0:
            raise GitError(f"git {arguments[0]} failed: {last_line(ended.complained) or f'exit code {ended.code}'}")

    def _run(
        self,
        arguments: Sequence[str],
        *,
        index: str | None = None,
        given: IO[bytes] | None = None,
        take: Callable[[IO[bytes]], None] | None = None,
    ) -> Ended:
        more = {"GIT_INDEX_FILE": index} if index else {}
        ended = Processes().run(
            (self._program, *_OPTIONS, *arguments),
            str(self.folder),
            {**environment(_KEPT, _KEPT_LISTS, **_SET), **more},
            Limits(TIME_LIMIT, MAX_OUTPUT),
            given=given,
            take=take,
        )
        if isinstance(ended, Failed):
            raise GitError(f"git {arguments[0]} {ended.reason}")
        return ended


def last_line(complained: str) -> str:
    """What git says in the end, without the word before it."""
    lines = [line for line in complained.splitlines() if line.strip()]
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ").strip() if lines else ""
