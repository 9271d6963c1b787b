"""Work shared out among copies of this process.

A copy has all that this process has, at no cost: nothing is sent to it. It takes one task after the other from
a queue that all read from, and at its end it says what it found. A copy that cannot go on, whatever the reason,
says nothing: whoever asked does its tasks himself.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import sleep
from typing import Final, NamedTuple

from . import watch

MOST_TASKS: Final = 2_000
"""A queue is written before anybody reads: so many numbers fit into the smallest pipe."""
_WIDTH: Final = 2
_CHUNK: Final = 1024**2
_PATIENCE: Final = 0.2
"""Seconds for threads that are done to be gone."""


class _Copy(NamedTuple):
    process: int
    mouth: int
    """Where it says what it found."""


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_copy() -> bool:
    """Whether this process may be copied: a thread would be missing in the copy, with all that it holds."""
    if not hasattr(os, "fork") or threading.current_thread() is not threading.main_thread():
        return False
    for _ in range(10):
        if threading.active_count() == 1:
            return True
        sleep(_PATIENCE / 10)
    return False


def shared_out(
    tasks: Sequence[int],
    copies: int,
    do: Callable[[int], None],
    said: Callable[[], bytes],
    *,
    enough: Callable[[], bool] = lambda: False,
) -> list[bytes]:
    """Each task is done once, here or in one of so many copies; what each copy says at its end.

    `enough` is asked after each task of our own: then no copy is waited for.
    """
    queue = _filled(tasks)
    children: list[_Copy] = []
    try:
        for _ in range(copies):
            mouth, tongue = os.pipe()
            process = os.fork()
            if not process:
                _live_as_copy(copies, queue, tongue, do, said)
            os.close(tongue)
            children.append(_Copy(process, mouth))
        for task in _taken(queue):
            do(task)
            if enough() or not watch.has_its_share(copies):
                return []
        return [_heard(one.mouth) for one in children]
    finally:
        os.close(queue)
        for one in children:
            os.close(one.mouth)
            with suppress(ProcessLookupError):
                os.kill(one.process, signal.SIGKILL)
            os.waitpid(one.process, 0)


def _filled(tasks: Sequence[int]) -> int:
    queue, end = os.pipe()
    os.write(end, b"".join(task.to_bytes(_WIDTH, "big") for task in tasks[:MOST_TASKS]))
    os.close(end)
    return queue


def _taken(queue: int) -> Iterator[int]:
    """A read of so few bytes is never divided among several readers."""
    while taken := os.read(queue, _WIDTH):
        yield int.from_bytes(taken, "big")


def _live_as_copy(copies: int, queue: int, tongue: int, do: Callable[[int], None], said: Callable[[], bytes]) -> None:
    """Never returns: what this process would do next is for the one that it was copied from."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        watch.go_on_in_copy(copies)
        for task in _taken(queue):
            do(task)
        words = memoryview(said())
        while words:
            words = words[os.write(tongue, words) :]
    finally:
        os._exit(0)


def _heard(mouth: int) -> bytes:
    parts = []
    while part := os.read(mouth, _CHUNK):
        parts.append(part)
    return b"".join(parts)
