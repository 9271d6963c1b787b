"""How messages on changes sum up many objects: as all others do."""

from __future__ import annotations

from ..phrases import by_line as by_place
from ..phrases import counted, listed

__all__ = ["by_place", "counted", "listed"]
