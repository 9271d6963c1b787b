"""How bad it is; `lint/grading.py` says what becomes of it."""

from __future__ import annotations

from enum import IntEnum


class Severity(IntEnum):
    """How bad it is: an error fails the sync or loses data; a warning hangs it, drifts for ever
    or silently does nothing; a note is hygiene, or true only on some versions.

    When it happens is the moment, and `grading` makes one severity of the two."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()
