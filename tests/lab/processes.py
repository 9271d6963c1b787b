"""The processes of the lab: started on free ports of the loopback, ended by their id, also after a crash."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

LOOPBACK = "127.0.0.1"
_PR_SET_PDEATHSIG = 1


class DidNotStart(Exception):
    """A process ended, or did not answer in time; with the end of its log."""


def free_port() -> int:
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        return int(one.getsockname()[1])


def die_with_parent(how: signal.Signals = signal.SIGKILL) -> None:
    """The kernel ends a process of ours when we are gone, however we went."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how)


class Processes:
    """All processes of one lab, with a log each in a folder."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        logs.mkdir(parents=True, exist_ok=True)

    def start(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str] | None = None,
        ready: Callable[[], bool] | None = None,
        patience: float = 180,
    ) -> None:
        """Returns when `ready` says so."""
        with (self._logs / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env={**_bare_environment(), **(environment or {})},
                preexec_fn=die_with_parent,
            )
        self._running.append((name, process))
        end = time.monotonic() + patience
        while ready and not ready():
            if process.poll() is not None or time.monotonic() > end:
                raise DidNotStart(f"{name}: {self.log(name)[-3000:]}")
            time.sleep(0.2)

    def log(self, name: str) -> str:
        return (self._logs / f"{name}.log").read_text("utf-8", "replace")

    def stop(self) -> None:
        """The last one first: what depends on another ends before it."""
        for _, process in reversed(self._running):
            if process.poll() is None:
                process.terminate()
        for _, process in reversed(self._running):
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running.clear()


def _bare_environment() -> dict[str, str]:
    """Nothing of the user's: no proxy, no kubeconfig, no git settings."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def answers(port: int) -> bool:
    with socket.socket() as one:
        one.settimeout(1)
        return one.connect_ex((LOOPBACK, port)) == 0
