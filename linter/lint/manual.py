"""A rule's docstring, read as its manual: summary, why, fix, references, examples."""

from __future__ import annotations

import re
import textwrap
from typing import NamedTuple

from ..facts.regexes import regex

_MARK = regex(
    r"[ \t]*# <- here(?:: (?P<severity>(?:error|warning|note)(?: at \w+)?))?[ \t]*$",
    re.MULTILINE,
)
"""In an example, the end of a line that has a finding, and perhaps how severe it is.

``note`` is what is reported, ``error at install`` how bad it is and when it bites, of which a note may be made.
"""


class Manual(NamedTuple):
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
    return _MARK.sub("", example)


def marks(example: str) -> dict[int, str | None]:
    """The lines that must have a finding, each with its severity if the mark says one."""
    return {
        number: mark["severity"] for number, line in enumerate(example.split("\n"), 1) if (mark := _MARK.search(line))
    }
