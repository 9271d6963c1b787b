"""A bound on the work that templates may cause."""

from __future__ import annotations

from typing import Final

from .template_errors import CannotEvaluate

FOR_ONE: Final = 50_000
"""Steps for a single template."""
FOR_A_SET: Final = 400_000
"""Steps for all templates of an ApplicationSet: some thousand Applications with ordinary templates."""


class Budget:
    """How many steps are left, for one template or for all of a set."""

    def __init__(self, steps: int = FOR_ONE) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise CannotEvaluate("templates that take too many steps")
