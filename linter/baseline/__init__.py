"""The baseline: findings that a repository had on the day it began, so that only new ones are reported."""

from .entries import Baseline, BaselineError, Entry, parse
from .identity import entry_of
from .matching import Matched, Seen, StaleEntries, StaleEntry, match
from .text import entries_of, to_text, without

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
