"""How messages on changes sum up many objects: as all others do."""

from __future__ import annotations

from ..wording import by_line as by_place
from ..wording import counted, listed

__all__ = ["by_place", "counted", "listed"]
