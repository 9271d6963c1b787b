"""The baseline: findings that a repository had on the day it began, so that only new ones are reported."""

from .baseline_entries import Baseline, BaselineError, Entry, parse
from .baseline_text import entries_of, to_text, without
from .finding_identity import entry_of
from .known_findings import Matched, Seen, StaleEntries, StaleEntry, match

__all__ = [
    "Baseline",
    "BaselineError",
    "Entry",
    "Matched",
    "Seen",
    "StaleEntries",
    "StaleEntry",
    "entries_of",
    "entry_of",
    "match",
    "parse",
    "to_text",
    "without",
]
