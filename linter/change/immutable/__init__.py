"""What cannot be changed once an object exists: which fields, and what a sync makes of it."""

from .field_differences import Difference, difference
from .immutable_fields import Frozen, frozen_custom_fields, frozen_fields
from .immutable_words import advice, answer, others, place_of
from .outcome import Outcome, outcome
from .stored import stored
from .updated_objects import Rewritten, app_pairs, rewritten

__all__ = [
    "Difference",
    "Frozen",
    "Outcome",
    "Rewritten",
    "advice",
    "answer",
    "app_pairs",
    "difference",
    "frozen_custom_fields",
    "frozen_fields",
    "others",
    "outcome",
    "place_of",
    "rewritten",
    "stored",
]
