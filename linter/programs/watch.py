"""The clock and the memory of a run, watched while everything else works.

Whoever does a piece of work says how long it may take. When that is over, or
the run needs more memory than it may, an exception ends the piece, wherever it
is: in a loop of ours, or in a regular expression of Python's, which looks for
signals while it matches. The piece is told as not done, and the rest goes on.

The watch begins when the command line says so; without it, as in a library or
on systems without such signals, nothing is interrupted.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, process_time
from types import FrameType, TracebackType
from typing import Final

from ..facts.limits import GRACE, READING_SHARE

TICK: Final = 0.2
"""Seconds between two looks."""
SOON: Final = 0.005
"""Until the next look, if now is no good time."""
MB: Final = 1024**2
BUSY: Final = 4
"""A piece has its seconds of the processor, and of the clock so many times more: a busy machine is no slow piece."""


class RunOver(BaseException):
    """The whole run met a limit. No `Exception`: nobody on the way may take it for something else."""


class _PieceOver(BaseException):
    def __init__(self, piece: Piece, reason: str) -> None:
        super().__init__(reason)
        self.piece = piece
        self.reason = reason


class Piece:
    """Some work that may take so long. `over` says why it was not done; empty when it was."""

    def __init__(self, seconds: float, allowance: Allowance | None = None) -> None:
        self.seconds = seconds
        self.over = ""
        self._allowance = allowance
        self._start = self.end = self.last = 0.0
        """The end is one of the processor's time, the last moment one of the clock; both are set at the first look."""

    def __enter__(self) -> Piece:
        # A run has tens of thousands of pieces, and hardly one of them lives to see a tick: only that asks the clock.
        if self._allowance is not None:
            self._start = monotonic()
        self.end, self.over = 0.0, ""
        _pieces.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        _pieces.pop() if _pieces[-1] is self else _pieces.remove(self)
        if kind is None and self._allowance is None:
            return False
        if self._allowance is not None:
            self._allowance.used += monotonic() - self._start
        if isinstance(error, _PieceOver) and error.piece is self:
            self.over = error.reason
        elif isinstance(error, RecursionError):
            self.over = "is nested too deep"
        elif isinstance(error, MemoryError):
            self.over = "needs too much memory"
        return bool(self.over)


class Allowance:
    """Time for many pieces of one kind together."""

    def __init__(self, each: float, together: float) -> None:
        self.each = each
        self.together = together
        self.used = 0.0

    def piece(self) -> Piece:
        """Once all is used up the next one has a moment, which is enough for nearly all that is ordinary."""
        return Piece(max(min(self.each, self.together - self.used), 1.0), self)


_pieces: list[Piece] = []
_limit: dict[str, float] = {}
_bounds_before: list[tuple[int, int]] = []
"""Of addresses, as they were before the watch began."""
_was_over_memory = False
_is_looking = False
_is_copy = False


def begin(seconds: float, megabytes: float) -> None:
    """From now on; 0 for no limit."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return
    end = monotonic() + seconds if seconds else float("inf")
    _limit.update(seconds=seconds, megabytes=megabytes, end=end, empty=resident())
    if megabytes and sys.platform == "linux":
        _bound_addresses(int(megabytes * 1.5 * MB) + 1024 * MB)
    signal.signal(signal.SIGALRM, _look)
    signal.setitimer(signal.ITIMER_REAL, min(TICK, seconds or TICK), TICK)


def copies_within_memory(wanted: int) -> int:
    """How many copies of this process may work beside it: what each changes of its memory it has for itself."""
    while wanted and _limit.get("megabytes") and resident() > _share_of_each(wanted) / 2:
        wanted -= 1
    return wanted


def has_its_share(copies: int) -> bool:
    """Whether there is room for so many copies still."""
    return not _limit.get("megabytes") or resident() <= _share_of_each(copies)


def go_on_in_copy(copies: int) -> None:
    """In a copy of the process that was watched, one of so many: it ends when it needs more than its share."""
    global _is_copy
    _is_copy = True
    if _limit:
        _limit["share"] = _share_of_each(copies)
        signal.setitimer(signal.ITIMER_REAL, TICK, TICK)  # which no process has from another one


def _share_of_each(copies: int) -> float:
    return _limit["megabytes"] * MB / (copies + 1)


def reading_has_its_share() -> str:
    """Why no more is to be read; empty while there is room for it."""
    share = _limit.get("megabytes", 0) * READING_SHARE
    if not share or resident() - _limit["empty"] <= share * MB:
        return ""
    return f"the others take more than {share:.0f} MB, which is the share of reading (--max-memory)"


def finish() -> None:
    """Nothing is interrupted any more."""
    if _limit:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _limit.clear()
    while _bounds_before:
        import resource

        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, _bounds_before.pop())


def _bound_addresses(size: int) -> None:
    """One allocation can be larger than all that is left: it fails, instead of being noticed too late."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(ValueError, OSError):
        _bounds_before.append((soft, hard))
        resource.setrlimit(resource.RLIMIT_AS, (size if hard < 0 else min(size, hard), hard))


def _look(number: int, frame: FrameType | None) -> None:
    global _is_looking
    # A last tick may come after the end, and tidying up may take longer than a tick.
    if not _limit or _is_looking:
        return
    if _is_importing(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON, TICK)
    else:
        _is_looking = True
        try:
            _raise_what_is_over()
        finally:
            _is_looking = False


def _is_importing(frame: FrameType | None) -> bool:
    """An import that is cut off leaves half a module for whoever asks next; it is over soon."""
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def _raise_what_is_over() -> None:
    now, used = monotonic(), process_time()
    if now > _limit["end"]:
        message = f"the run took longer than {_limit['seconds']:g} s (--timeout)"
        _limit["end"] = now + GRACE
        raise RunOver(message)
    _look_at_memory()
    for piece in _pieces:  # the outermost first
        if not piece.end:
            piece.end, piece.last = used + piece.seconds, now + piece.seconds * BUSY
        elif used > piece.end or now > piece.last:
            piece.end, piece.last = used + 1.0, now + 1.0  # should somebody on the way have taken it for an error
            raise _PieceOver(piece, f"took longer than {piece.seconds:g} s")


def _look_at_memory() -> None:
    global _was_over_memory
    if _is_copy and _limit["megabytes"] and resident() > _limit["share"]:
        os._exit(0)  # whoever it works for does without it
    if not _limit["megabytes"] or resident() <= _limit["megabytes"] * MB:
        _was_over_memory = False
        return
    message = f"needs more than {_limit['megabytes']:g} MB (--max-memory)"
    if _pieces and not _was_over_memory:
        _was_over_memory = True
        raise _PieceOver(_pieces[-1], message)
    gc.collect()
    if resident() > _limit["megabytes"] * MB:
        _limit["megabytes"] *= 1.25  # to report what was found
        raise RunOver(f"the run {message}")


_STATM: Final = "/proc/self/statm"
"""Linux has it, unless somebody shuts the run in without /proc."""


def _resident_on_linux() -> int:
    with open(_STATM, "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


resident: Callable[[], int] = _resident_on_linux if os.path.exists(_STATM) else _peak
"""Bytes of memory that the run has now; where the system does not tell, that it had at most."""
