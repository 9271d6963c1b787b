"""One module a format, each with a function `render` from the result to text."""

from __future__ import annotations

from importlib import import_module
from typing import Final, Protocol, cast

from ..result import Result
from .options import ReportOptions

__all__ = ["FORMATS", "Render", "ReportOptions", "renderer"]

FORMATS: Final = {
    "full": "full",
    "concise": "concise",
    "json": "findings_json",
    "sarif": "sarif",
    "github": "github",
    "markdown": "markdown",
}
"""What people call a format, and the module that writes it."""


class Render(Protocol):
    def __call__(self, result: Result, options: ReportOptions) -> str: ...


def renderer(name: str) -> Render:
    """Raises KeyError for a format that does not exist. A run pays only for the formats it writes."""
    return cast(Render, import_module(f".{FORMATS[name]}", __name__).render)
