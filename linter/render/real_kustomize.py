"""A real kustomize or kubectl does the builds. The only module that starts a process, and only when it is asked to.

Which program runs is said on the command line, never by the repository. It is
started without a shell, without input, with nothing of the environment but
what fetching a remote base needs, and no plugin is switched on. It gets so
much time and so much output, and its children go when it goes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Final, NamedTuple

TIME_LIMIT: Final = 60.0
"""Seconds for one build; Argo CD gives it 90."""
PROBE_LIMIT: Final = 20.0
MAX_OUTPUT: Final = 32 * 1024**2
MAX_COMPLAINT: Final = 64 * 1024
MAX_AT_ONCE: Final = 4

_KEPT: Final = frozenset(
    "HOME USERPROFILE SYSTEMROOT TMPDIR TEMP TMP SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY".split()
)
_ON_THE_PATH: Final = ("kubectl", "kustomize")
_ERROR: Final = re.compile(r"^error: ", re.IGNORECASE | re.MULTILINE)
_SCRATCH: Final = re.compile(r"/\S*?/kustomize-\d+/")
"""Where Kustomize puts what it fetches: another name in every run."""


class NoBinary(Exception):
    """Why the program that was asked for cannot do the builds."""


class Printed(NamedTuple):
    text: str


class Refused(NamedTuple):
    """The program says that the kustomization cannot be built."""

    message: str


class Failed(NamedTuple):
    """The program did not come to an end that says anything about the kustomization."""

    reason: str


Outcome = Printed | Refused | Failed


class Binary(NamedTuple):
    command: tuple[str, ...]
    """The program and its subcommand; the folder comes after it."""

    @property
    def name(self) -> str:
        return Path(self.command[0]).name

    def at(self, root: Path) -> RealKustomize:
        return RealKustomize(self, root)


# -- which program


def find_binary(word: str) -> Binary:
    """What `--kustomize-binary` names; raises NoBinary."""
    program = _on_path(word) if word in _ON_THE_PATH else _at(word)
    name = Path(program).name.lower()
    kinds = [("kustomize", ("version",), "build"), ("kubectl", ("version", "--client"), "kustomize")]
    kinds = [kind for kind in kinds if name.startswith(kind[0])] or kinds
    for _, question, subcommand in kinds:
        if _answers([program, *question]):
            return Binary((program, subcommand))
    raise NoBinary(f"{word}: does not tell its version as a kustomize or a kubectl would")


def _on_path(word: str) -> str:
    for folder in _absolute_folders():
        found = shutil.which(str(Path(folder, word)))
        if found:
            return found
    raise NoBinary(f"there is no {word} on the PATH")


def _at(word: str) -> str:
    found = shutil.which(Path(word).absolute())
    if found is None:
        raise NoBinary(f"{word}: no such program")
    return str(found)


def _answers(command: Sequence[str]) -> bool:
    nowhere = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            command, stdin=nowhere, stdout=nowhere, stderr=nowhere, env=_environment(), start_new_session=True
        )
    except OSError as error:
        raise NoBinary(f"{command[0]}: cannot be started: {error.strerror or error}") from None
    try:
        return process.wait(PROBE_LIMIT) == 0
    except subprocess.TimeoutExpired:
        _stop(process)
        return False


def _absolute_folders() -> list[str]:
    """Of the PATH: an entry like `.` would be a folder of the repository."""
    return [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]


def _environment() -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.upper() in _KEPT}
    # Nobody is there to answer when git asks for a password.
    return {**kept, "PATH": os.pathsep.join(_absolute_folders()), "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


# -- builds


class RealKustomize:
    """Builds folders of one repository, each once, several at a time if they are known beforehand."""

    def __init__(self, binary: Binary, root: Path) -> None:
        self.name = binary.name
        self._binary = binary
        self._root = str(root)
        self._done: dict[str, Outcome] = {}
        self._running: set[subprocess.Popen[bytes]] = set()

    def build(self, folder: str) -> Outcome:
        if folder not in self._done:
            self._done[folder] = self._run(folder)
        return self._done[folder]

    def prepare(self, folders: Iterable[str]) -> None:
        """Build these at once: most of a build is waiting."""
        wanted = [folder for folder in dict.fromkeys(folders) if folder not in self._done]
        pool = ThreadPoolExecutor(max(1, min(MAX_AT_ONCE, os.cpu_count() or 1)))
        try:
            self._done.update(zip(wanted, pool.map(self._run, wanted), strict=True))
        finally:  # also when somebody presses Ctrl-C
            pool.shutdown(wait=False, cancel_futures=True)
            for process in tuple(self._running):
                _stop(process)

    def _run(self, folder: str) -> Outcome:
        # An absolute path, since Kustomize takes some relative ones for addresses to fetch from.
        command = (*self._binary.command, os.path.normpath(os.path.join(self._root, folder)))
        try:
            with tempfile.TemporaryFile() as complaints:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    cwd=self._root,
                    env=_environment(),
                    start_new_session=True,
                )
                printed, failure = self._attended(process)
                complaints.seek(max(0, complaints.tell() - MAX_COMPLAINT))
                complained = complaints.read()
        except OSError as error:
            return Failed(f"cannot be started: {error.strerror or error}")
        return failure or self._outcome(process.returncode, printed, complained.decode("utf-8", "replace"))

    def _attended(self, process: subprocess.Popen[bytes]) -> tuple[bytes, Failed | None]:
        """What it printed until it ended, or was ended."""
        assert process.stdout is not None
        end = monotonic() + TIME_LIMIT
        alarm = Timer(TIME_LIMIT, _stop, (process,))
        self._running.add(process)
        with process.stdout:
            alarm.start()
            try:
                printed = process.stdout.read(MAX_OUTPUT + 1)
                if len(printed) > MAX_OUTPUT:
                    _stop(process)
                process.wait()
            finally:
                alarm.cancel()
                if process.returncode is None:
                    _stop(process)
                self._running.discard(process)
        if monotonic() >= end:
            return b"", Failed(f"took longer than {TIME_LIMIT:g} seconds")
        if len(printed) > MAX_OUTPUT:
            return b"", Failed(f"printed more than {MAX_OUTPUT // 1024**2} MB")
        return printed, None

    def _outcome(self, code: int, printed: bytes, complained: str) -> Outcome:
        if code == 0:
            try:
                return Printed(printed.decode("utf-8"))
            except UnicodeDecodeError:
                return Failed("printed something that is no text")
        if code < 0:
            return Failed(f"was ended by signal {-code}")
        message = self._message(complained)
        return Refused(message) if message else Failed(f"ended with exit code {code}, and named no error")

    def _message(self, complained: str) -> str:
        """From its last error on, in one line, without the paths of this machine; empty if there is none."""
        last = max((found.end() for found in _ERROR.finditer(complained)), default=len(complained))
        text = complained[last:].replace(f"{self._root}{os.sep}", "").replace(self._root, ".")
        return " ".join(_SCRATCH.sub("", text).split())


def _stop(process: subprocess.Popen[bytes]) -> None:
    """With all that it started: a child that holds the pipe would keep us waiting."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
