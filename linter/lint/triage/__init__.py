"""What users have decided to ignore: comments, annotations, config entries, and what became of each."""

from .decide import Hidden, Triaged, triage
from .suppression import Suppression, Suppressions, collect

__all__ = ["Hidden", "Suppression", "Suppressions", "Triaged", "collect", "triage"]
