"""Fixes: JSON Patch → the smallest edit of the text → judged by a second parser → written whole or not at all."""

from .apply_fixes import FileFix, Refusal, edit, fix_files, text_edits, unified_diff, write
from .pieces import Refused
from .text_layout import TextEdit
from .write_files import NotWritten, demand_writable

__all__ = [
    "FileFix",
    "NotWritten",
    "Refusal",
    "Refused",
    "TextEdit",
    "demand_writable",
    "edit",
    "fix_files",
    "text_edits",
    "unified_diff",
    "write",
]
