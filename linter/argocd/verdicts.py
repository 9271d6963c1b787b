"""An answer with its reason, for questions that a repository alone may not be able to answer."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..yaml.source import Node


class Answer(Enum):
    ALLOWED = "allowed"
    DENIED = "denied"
    UNKNOWN = "unknown"
    """It depends on something that is not in the repository, or not as it is applied."""


class Verdict(NamedTuple):
    answer: Answer
    why: str
    """One clause, fit to follow a colon."""
    at: Node | None = None
    """What decided it: the pattern that matched, or the list that nothing in matches. None where nobody wrote any."""

    explicit: bool = True
    """False for what is denied only because nothing permits it: something that git does not show may do so yet."""

    @property
    def is_denied(self) -> bool:
        return self.answer is Answer.DENIED

    @property
    def is_unknown(self) -> bool:
        return self.answer is Answer.UNKNOWN
