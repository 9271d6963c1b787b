"""What cannot be changed once an object exists: which fields, and what a sync makes of it."""

from .differences import Difference, difference
from .fields import Frozen, frozen_custom_fields, frozen_fields
from .outcome import Outcome, outcome
from .pairs import Rewritten, app_pairs, rewritten
from .stored import stored
from .telling import advice, answer, others, place_of

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
