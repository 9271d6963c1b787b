"""Findings → files with their fixes applied, in memory.

A fix is a JSON Patch. `edits` lowers it to text, `judge` proves the text, and
here is decided which fixes are taken and that they do not disturb each other.
What has to wait for another one is taken in the next pass, after a new look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..lint.result import Reported
from ..lint.rule import Fix
from ..yaml.json_pointer import steps
from ..yaml.source import BYTE_ORDER_MARK, Document, SourceFile
from . import text_difference
from .edits import Batch, Operation, rewritten
from .judge import demand_same_meaning, only_document, same
from .kept_shapes import demand_same_shapes
from .pieces import Refused
from .text_layout import TextEdit, region
from .write_files import replace_file


class Refusal(NamedTuple):
    """A finding whose fixes were all turned down, and why the first of them was."""

    reported: Reported
    reason: str


@dataclass(frozen=True)
class FileFix:
    """What one file becomes."""

    file: SourceFile
    before: str
    after: str
    """Both without the byte order mark, which `file` knows of."""
    applied: tuple[Reported, ...]
    refused: tuple[Refusal, ...]
    fixes: tuple[Fix, ...] = ()
    """What was done for those that are applied."""

    @property
    def changes(self) -> bool:
        return self.before != self.after


def edit(document: Document, operations: Sequence[Operation]) -> str:
    """The text of the whole file after a patch, whatever it does to it; raises Refused."""
    draft = _Draft(document)
    draft.take(operations, is_fix=False)
    return _spliced(document.file, [draft])


def fix_files(reported: Iterable[Reported], *, unsafe: bool) -> list[FileFix]:
    """Apply the first fix of each finding that can be applied; only safe ones unless told otherwise."""
    drafts: dict[Document, _Draft] = {}
    refused: list[Refusal] = []
    for item in sorted(reported, key=lambda item: item.sort_key):
        reason = _take_first(item, drafts, unsafe=unsafe)
        if reason:
            refused.append(Refusal(item, reason))
    return _by_file(drafts.values(), refused)


def _take_first(item: Reported, drafts: dict[Document, _Draft], *, unsafe: bool) -> str:
    """Why no fix was taken; empty when one was, when one has to wait, and when there is none."""
    reason = ""
    for candidate in item.finding.fixes:
        if not ((unsafe or candidate.safe) and candidate.patch.can_be_applied):
            continue
        document, operations = candidate.patch.document, candidate.patch.operations
        draft = drafts.get(document) or _Draft(document)
        if draft.disagrees_with(operations):
            return ""
        try:
            draft.take(operations)
        except Refused as refusal:
            reason = reason or str(refusal)
            continue
        draft.applied.append(item)
        draft.fixes.append(candidate)
        drafts[document] = draft
        return ""
    return reason


def text_edits(fix: Fix) -> list[TextEdit] | None:
    """The fix as edits of the file's text, or None where it cannot be applied."""
    if not fix.patch.can_be_applied:
        return None
    edits = _text_edits(fix.patch.document, _key(fix.patch.operations))
    return None if edits is None else list(edits)


def unified_diff(fix: FileFix, shown: Callable[[SourceFile], str] = lambda file: file.text) -> str:
    """As git would print it, the byte order mark included; `shown` says what of a file may be seen."""
    seen = replace(fix, before=shown(fix.file), after=shown(SourceFile(fix.file.path, fix.after)))
    before, after = _with_mark(seen)
    return text_difference.unified_diff(fix.file.path, before, after)


def write(root: Path, fix: FileFix) -> None:
    """Put the new text on the disk; raises NotWritten when the file is no longer what was read."""
    before, after = _with_mark(fix)
    replace_file(root, fix.file.path, before.encode(), after.encode())


def _with_mark(fix: FileFix) -> tuple[str, str]:
    mark = BYTE_ORDER_MARK if fix.file.has_bom else ""
    return mark + fix.before, mark + fix.after


# -- one document on its way


@dataclass(eq=False)
class _Draft:
    """A document's text while fixes are taken into it one after the other.

    Of a template, `text` is what its documents are read from, and `written`
    what stands in the file; both are changed alike.
    """

    document: Document
    operations: list[Operation] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    applied: list[Reported] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.span = region(self.document)
        self.text = self.document.file.yaml_text[self.span.start : self.span.end]
        self.written = self.document.file.text[self.span.start : self.span.end]

    def take(self, operations: Sequence[Operation], *, is_fix: bool = True) -> None:
        """Apply and judge one patch; the same one a second time changes nothing."""
        key = _key(operations)
        if key in self.taken:
            return
        old = only_document(self.text)
        value = old.root.value
        if not self.taken and not same(value, self.document.root.value):
            raise Refused("the document reads otherwise outside its file")
        if is_fix:
            demand_same_shapes(value, operations)
        after, batches = rewritten(self.text, value, operations)
        demand_same_meaning(old, only_document(after), operations)
        self.written = self._in_template(after, batches, operations) if self.document.file.is_template else after
        self.text = after
        self.taken.add(key)
        self.operations += operations

    def _in_template(self, after: str, batches: Sequence[Batch], operations: Sequence[Operation]) -> str:
        from .template_edits import transplanted

        return transplanted(self.document, self.span, self.written, batches, after, operations)

    def disagrees_with(self, operations: Sequence[Operation]) -> bool:
        """Whether an earlier patch moved or changed what this one is about."""
        if _key(operations) in self.taken:
            return False
        return any(
            _clash(path, done, old["op"])
            for new in operations
            for old in self.operations
            for path in _places(new)
            for done in _places(old)
        )


def _places(operation: Operation) -> list[list[str]]:
    """What it is about: one place, or of a renamed key both."""
    return [steps(operation[field]) for field in ("path", "from") if field in operation]


def _clash(path: list[str], done: list[str], earlier: str) -> bool:
    shorter = min(len(path), len(done))
    if path[:shorter] == done[:shorter]:
        return True
    # An item put into a list or taken out of it renumbers the others.
    renumbers = earlier != "replace" and done[-1].isdecimal()
    return renumbers and path[: len(done) - 1] == done[:-1]


def _key(operations: Sequence[Operation]) -> str:
    return json.dumps(operations, sort_keys=True)


# -- documents into files


def _by_file(drafts: Iterable[_Draft], refused: Sequence[Refusal]) -> list[FileFix]:
    of_file: dict[SourceFile, list[_Draft]] = {}
    for draft in drafts:
        of_file.setdefault(draft.document.file, []).append(draft)
    turned_down: dict[SourceFile, list[Refusal]] = {}
    for refusal in refused:
        turned_down.setdefault(refusal.reported.file, []).append(refusal)
    found = []
    for file in sorted({*of_file, *turned_down}, key=lambda file: file.path):
        members = of_file.get(file, [])
        applied = sorted((item for draft in members for item in draft.applied), key=lambda item: item.sort_key)
        reasons = turned_down.get(file, [])
        try:
            after = _spliced(file, members)
        except Refused as reason:
            after = file.text
            reasons, applied = reasons + [Refusal(item, str(reason)) for item in applied], []
        fixes = tuple(fix for draft in members for fix in draft.fixes) if applied else ()
        found.append(FileFix(file, file.text, after, tuple(applied), tuple(reasons), fixes))
    return found


def _spliced(file: SourceFile, drafts: Sequence[_Draft]) -> str:
    """The file with its drafts in place; raises Refused unless all other documents are as they were."""
    text = file.text
    for draft in sorted(drafts, key=lambda draft: draft.span, reverse=True):
        text = text[: draft.span.start] + draft.written + text[draft.span.end :]
    after = type(file)(file.path, text)
    if len(after.documents) != len(file.documents) or len(after.problems) != len(file.problems):
        raise Refused("the documents of the file would be others")
    touched = {draft.document.index for draft in drafts}
    for old, new in zip(file.documents, after.documents, strict=True):
        if old.index not in touched and not same(old.root.value, new.root.value):
            raise Refused("another document of the file would change")
    return text


# -- text edits for reports and editors


@lru_cache(maxsize=4096)
def _text_edits(document: Document, operations: str) -> tuple[TextEdit, ...] | None:
    draft = _Draft(document)
    before = draft.written
    try:
        draft.take(json.loads(operations))
    except Refused:
        return None
    return tuple(
        TextEdit(edit.start + draft.span.start, edit.end + draft.span.start, edit.text)
        for edit in text_difference.minimal_edits(before, draft.written)
    )
