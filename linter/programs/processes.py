"""Programs that are not ours: found, started, watched and ended. The only module that starts a process.

Which program runs is said by whoever runs us, never by the repository. It is
started without a shell and without input, sees only the part of the environment
that it is given, has so much time, output and memory, and its children go when
it goes.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from time import monotonic
from typing import IO, Final, NamedTuple

from .outcomes import Failed, Outcome, Printed, Refused

MAX_COMPLAINT: Final = 64 * 1024
"""Of what a program says on its standard error, so much of the beginning is kept, and so much of the end."""
MAX_AT_ONCE: Final = 4
PROBE_LIMIT: Final = 20.0
MAX_ANSWER: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_GRACE: Final = 1.0
"""Seconds in which the children of a program that has ended may let go of its output."""


class NoBinary(Exception):
    """Why the program that was asked for cannot do the work."""


class Limits(NamedTuple):
    seconds: float
    output: int
    memory: int = 0
    """Bytes of addresses; 0 for no limit. Kept only where the system can set it from outside."""


class Ended(NamedTuple):
    """A program that came to its own end, whatever that was."""

    code: int
    printed: bytes
    complained: str

    def outcome(self, message: Callable[[str], str]) -> Outcome:
        """`message` makes the words of the refusal out of what was complained; empty if that names no error."""
        if self.code == 0:
            try:
                return Printed(self.printed.decode("utf-8"))
            except UnicodeDecodeError:
                return Failed("printed something that is no text")
        if self.code < 0:
            return Failed(f"was ended by signal {-self.code}")
        text = message(self.complained)
        return Refused(text) if text else Failed(f"ended with exit code {self.code}, and named no error")


# -- which program


def on_path(word: str) -> str | None:
    """The program of that name in an absolute folder of the PATH."""
    for folder in absolute_folders():
        found = shutil.which(str(Path(folder, word)))
        if found:
            return found
    return None


def program_at(word: str) -> str:
    found = shutil.which(Path(word).absolute())
    if found is None:
        raise NoBinary(f"{word}: no such program")
    return str(found)


def answer(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """What the program prints when it is asked a quick question; None if it does not end well."""
    ended = Processes().run(command, None, environment, Limits(PROBE_LIMIT, MAX_ANSWER))
    if isinstance(ended, Failed):
        if ended.never_began:
            raise NoBinary(f"{command[0]}: {ended.reason}")
        return None
    return ended.printed.decode("utf-8", "replace") if ended.code == 0 else None


def absolute_folders() -> list[str]:
    """Of the PATH: an entry like `.` would be a folder of the repository."""
    return [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]


def environment(kept: Collection[str], beginnings: tuple[str, ...] = (), /, **more: str) -> Mapping[str, str]:
    """Only these variables and those that begin so, a PATH without relative folders, and some more."""
    own = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in kept or (beginnings and name.upper().startswith(beginnings))
    }
    return {**own, "PATH": os.pathsep.join(absolute_folders()), "LC_ALL": "C", **more}


def confined(command: Sequence[str], folder: str, **limits: int) -> tuple[str, ...]:
    """The same program without network, without other files than its own and those of a folder, with such limits.

    Only Linux has the walls; elsewhere, and where they may not be put up, it is the program as it is.
    """
    if not sys.platform.startswith("linux") or not sys.executable:
        return tuple(command)
    words = ",".join(f"{name}={number}" for name, number in limits.items())
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("confine.py")), words, folder, "--", *command)


def guarded(command: Sequence[str], hatch: str, ports: Sequence[int], **limits: int) -> tuple[str, ...]:
    """The same program with its files, and with no network but the ports of a guard who listens at `hatch`."""
    if not sys.platform.startswith("linux") or not sys.executable:
        return tuple(command)
    words = ",".join(f"{name}={number}" for name, number in limits.items())
    doors = f"guard={hatch}:{','.join(map(str, ports))}"
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("confine.py")), words, doors, "--", *command)


# -- running it


class Processes:
    """Those that one user of programs has running, so that they can all be ended."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(
        self,
        command: Sequence[str],
        cwd: str | None,
        environment: Mapping[str, str],
        limits: Limits,
        *,
        given: IO[bytes] | None = None,
        take: Callable[[IO[bytes]], None] | None = None,
    ) -> Ended | Failed:
        """`given` is its input; `take` reads what it prints while it runs, and keeps what it wants of it itself."""
        try:
            process = subprocess.Popen(
                command,
                stdin=given if given is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return Failed(f"cannot be started: {getattr(error, 'strerror', None) or error}", never_began=True)
        _limit_memory(process, limits.memory)
        self._running.add(process)
        try:
            return _attended(process, limits, take)
        finally:
            if process.returncode is None:
                stop(process)
                process.wait()
            self._running.discard(process)

    def stop_all(self) -> None:
        for process in tuple(self._running):
            stop(process)


def _attended(
    process: subprocess.Popen[bytes], limits: Limits, take: Callable[[IO[bytes]], None] | None
) -> Ended | Failed:
    """What it printed until it ended, or was ended."""
    assert process.stdout is not None
    assert process.stderr is not None
    end = monotonic() + limits.seconds
    alarm = Timer(limits.seconds, stop, (process,))
    alarm.daemon = True
    complaints = _Complaints(process.stderr)
    with process.stdout, process.stderr:
        alarm.start()
        complaints.start()
        try:
            printed = b""
            if take:
                take(process.stdout)
            else:
                printed = process.stdout.read(limits.output + 1)
            if len(printed) > limits.output:
                stop(process)
            process.wait()
            complaints.join(_GRACE)
            if complaints.is_alive():
                stop(process)
                complaints.join()
        finally:
            alarm.cancel()
    if monotonic() >= end:
        return Failed(f"took longer than {limits.seconds:g} seconds", True)
    if len(printed) > limits.output:
        return Failed(f"printed more than {limits.output // 1024**2} MB", True)
    return Ended(process.returncode, printed, complaints.text)


class _Complaints(Thread):
    """Reads what a program says on its standard error, however much that is."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._first = self._last = b""

    def run(self) -> None:
        with suppress(OSError, ValueError):  # closed under our hands
            while chunk := os.read(self._stream.fileno(), _CHUNK):
                room = MAX_COMPLAINT - len(self._first)
                self._first += chunk[:room]
                self._last = (self._last + chunk[room:])[-MAX_COMPLAINT:]

    @property
    def text(self) -> str:
        return (self._first + self._last).decode("utf-8", "replace")


def _limit_memory(process: subprocess.Popen[bytes], memory: int) -> None:
    """From outside, right after the start: code between fork and exec is not safe among threads."""
    if not memory:
        return
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))


def stop(process: subprocess.Popen[bytes]) -> None:
    """With all that it started: a child that holds the pipe would keep us waiting."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
