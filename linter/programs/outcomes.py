"""How a program that renders for us may end."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    text: str


class Refused(NamedTuple):
    """The program says that what it was given cannot be rendered."""

    message: str


class Failed(NamedTuple):
    """The program did not come to an end that says anything about what it was given."""

    reason: str
    met_limit: bool = False
    """Whether it was not let come to its end."""
    never_began: bool = False
    """It could not be started at all."""


Outcome = Printed | Refused | Failed
