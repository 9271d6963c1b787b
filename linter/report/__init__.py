"""One module a format, each with a function `render` from the result to text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from .formats import FINDINGS
from .report_options import ReportOptions

if TYPE_CHECKING:
    from ..lint.result import Result

__all__ = ["Render", "ReportOptions", "renderer"]


class Render(Protocol):
    def __call__(self, result: Result, options: ReportOptions) -> str: ...


def renderer(name: str) -> Render:
    """Raises KeyError for a format that does not exist. A run pays only for the formats it writes."""
    return cast(Render, import_module(f".{FINDINGS[name]}", __name__).render)
