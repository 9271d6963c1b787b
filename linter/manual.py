"""A rule's docstring, read as its manual: summary, why, fix, references, examples."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

HERE = "# <- here"
"""In an example, the mark of a line that has a finding."""


@dataclass(frozen=True)
class Manual:
    summary: str
    """One line: what is wrong and what it leads to."""
    why: str
    fix: str
    see: tuple[str, ...]
    """Evidence: issues and pages that show the failure."""
    bad: str
    good: str

    @classmethod
    def parse(cls, docstring: str) -> Manual:
        summary, _, rest = textwrap.dedent(docstring).strip().partition("\n")
        parts = re.split(r"^(Fix|See|Bad|Good):[ \t]*", rest, flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        return cls(
            summary=summary.strip(),
            why=parts[0].strip(),
            fix=sections.get("Fix", "").strip(),
            see=tuple(line.strip() for line in sections.get("See", "").split(",") if line.strip()),
            bad=_example(sections.get("Bad", "")),
            good=_example(sections.get("Good", "")),
        )


def _example(section: str) -> str:
    return textwrap.dedent(section).strip("\n") + "\n" if section.strip() else ""


def unmarked(example: str) -> str:
    """An example as a file: the marks taken out."""
    return re.sub(rf"[ \t]*{re.escape(HERE)}[ \t]*$", "", example, flags=re.MULTILINE)


def marked_lines(example: str) -> list[int]:
    return [number for number, line in enumerate(example.splitlines(), 1) if line.rstrip().endswith(HERE)]
