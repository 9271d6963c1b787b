"""Files that a tool has encrypted: nobody else can change them, since its checksum is of the readable parts, too."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from ..facts.regexes import regex
from ..facts.tables import table
from ..yaml.source import SourceFile
from .rule import Finding, Note


class Encryption(NamedTuple):
    tool: str
    breaks: str
    """What an edit does to it."""


_HINT: Final = regex(r"sops|ENC\[|GITCRYPT|-----BEGIN |ANSIBLE_VAULT")
"""What one of these has to have: most files are through after one look."""


def without_sealed_fixes(finding: Finding) -> Finding:
    """The finding without the fixes that would edit an encrypted file, and a word on why."""
    if not finding.fixes:
        return finding
    sealed = [encryption_of(fix.patch.document.file) for fix in finding.fixes]
    reason = next((one for one in sealed if one), None)
    if reason is None:
        return finding
    note = Note(finding.at, f"no fix is offered: the file is encrypted with {reason.tool}, and {reason.breaks}")
    kept = tuple(fix for fix, found in zip(finding.fixes, sealed, strict=True) if found is None)
    return replace(finding, fixes=kept, related=(*finding.related, note))


@lru_cache(maxsize=256)
def encryption_of(file: SourceFile) -> Encryption | None:
    """By which tool a file is encrypted, wholly or in parts; one document is enough, since a checksum is of all."""
    if not _HINT.search(file.text):
        return None
    return next((Encryption(tool["name"], tool["breaks"]) for tool in _tools() if _fits(tool, file)), None)


def _fits(tool: dict[str, Any], file: SourceFile) -> bool:
    if "field" in tool:
        return any(document.root[tool["field"]].is_mapping for document in file.documents)
    return _pattern(tool["text"]).search(file.text) is not None


def _tools() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table("encryption.json")["tools"]
    return found


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)
