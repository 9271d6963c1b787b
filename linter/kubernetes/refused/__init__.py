"""What the API server refuses in code, beyond any schema: each with the server's own words.

A module a subject; every check takes an object and yields what is wrong with it. What an
object leaves open, or another tool fills in later, is no fault.
"""

from .all_checks import refusals_of
from .refused import Refused

__all__ = ["Refused", "refusals_of"]
