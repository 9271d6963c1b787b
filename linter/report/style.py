"""Colours, as escape sequences of our own: importing a library for them costs more than most runs."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..facts.severity import Severity

BOLD: Final = "1"
DIM: Final = "2"
CYAN: Final = "36"
BLUE: Final = "1;34"
SEVERITY: Final = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}


class Paint(NamedTuple):
    color: bool

    def __call__(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.color and text else text

    def severity(self, severity: Severity) -> str:
        return self(str(severity), SEVERITY[severity])
