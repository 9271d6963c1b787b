"""Strict validation: fields that do not exist, values of the wrong type, what a CRD's schema forbids.

The library jsonschema judges a value as it stands. The API server drops what it does not know, fills defaults in
and judges what is left, so its order is followed here.
"""

from .checked import Checked, Validation, is_custom
from .last_applied import LIMIT as LAST_APPLIED_LIMIT
from .last_applied import annotations_size, may_be_large
from .refusals import CheckedCustom, CustomFault, Refusal, Unreleased, path_text
from .shapes import Kind
from .violations import Fault, Violation

__all__ = [
    "LAST_APPLIED_LIMIT",
    "Checked",
    "CheckedCustom",
    "CustomFault",
    "Fault",
    "Kind",
    "Refusal",
    "Unreleased",
    "Validation",
    "Violation",
    "annotations_size",
    "is_custom",
    "may_be_large",
    "path_text",
]
