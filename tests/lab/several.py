"""Several labs at a time. Most of a case is waiting, and labs share nothing but the processor."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from .processes import die_with_parent

Item = TypeVar("Item")


def deal(items: Sequence[Item], jobs: int, work: Callable[[Iterable[Item]], None]) -> None:
    """`work` in so many processes, each of which takes the next item when it is through with its last one.

    A process that fails does not stop the others: they do what is left.
    """
    jobs = min(jobs, len(items))
    if jobs <= 1:
        work(items)
        return
    fork = multiprocessing.get_context("fork")
    taken = fork.Value("i", 0)

    def turn() -> Iterator[Item]:
        while True:
            with taken.get_lock():
                mine = taken.value
                taken.value += 1
            if mine >= len(items):
                return
            yield items[mine]

    def run(parent: int) -> None:
        die_with_parent(signal.SIGTERM)  # which a lab hears, and ends what it started
        if os.getppid() == parent:
            work(turn())

    workers = [fork.Process(target=run, args=(os.getpid(),)) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    failed = [worker.exitcode for worker in workers if worker.exitcode]
    if failed:
        raise RuntimeError(f"{len(failed)} of {jobs} labs failed")
