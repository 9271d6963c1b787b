"""Schemas of custom resources: where they come from, which defaults an object leaves out, which versions are served."""

from .released_fields import Released, released
from .schemas import Exact, Origin, Refused, Schemas, SchemaView, Unpinned, bounded_value
from .served import Unserved, operator_of, unserved_by, unserved_by_operator

__all__ = [
    "Exact",
    "Origin",
    "Refused",
    "Released",
    "SchemaView",
    "Schemas",
    "Unpinned",
    "Unserved",
    "bounded_value",
    "operator_of",
    "released",
    "unserved_by",
    "unserved_by_operator",
]
