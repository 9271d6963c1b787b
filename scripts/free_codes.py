"""Prints the next free codes of every topic, by the table in CONTRIBUTING.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gitops_lint.rules import load

ROOT = Path(__file__).parents[1]
_ROW = re.compile(r"\| `(\w+)` \| (GL[^|]*)")
_RANGE = re.compile(r"GL(\d{3})\WGL(\d{3})")
SHOWN = 3


def ranges() -> dict[str, list[range]]:
    """Which codes belong to which topic."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return {
        topic: [range(int(first), int(last) + 1) for first, last in _RANGE.findall(cell)]
        for topic, cell in _ROW.findall(text)
    }


def free(topic: str) -> Iterator[str]:
    taken = {rule.code for rule in load()}
    codes = (f"GL{number:03}" for numbers in ranges()[topic] for number in numbers)
    return (code for code in codes if code not in taken)


if __name__ == "__main__":
    for topic in ranges():
        print(f"{topic:14}{' '.join(islice(free(topic), SHOWN))}")
