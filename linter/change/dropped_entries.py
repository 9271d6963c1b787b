"""Entries of kustomizations that vanished while what they name is still there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..kustomize.outline import Outline

if TYPE_CHECKING:
    from .two_revisions import Change


class DroppedEntry(NamedTuple):
    text: str
    """As it was written."""
    path: str
    """What it means, from the root of the repository."""
    kustomization: Outline
    """As it is now."""
    line: int
    """Of the entry, in the file as it was."""
    commented_out: bool
    """Somebody put it aside, rather than lost it."""


def dropped_entries(change: Change) -> dict[str, list[DroppedEntry]]:
    """By the folder of the kustomization, as it was."""
    found: dict[str, list[DroppedEntry]] = {}
    named = {path for one in change.head.kustomize.by_folder.values() for _, path in one.inputs()}
    for folder, before in change.base.kustomize.by_folder.items():
        file = change.path_after(before.file.path)
        after = change.head.kustomize.by_folder.get(posixpath.dirname(file) or ".")
        if after is not None and after.file.path == file and change.is_changed(file):
            entries = list(_dropped(change, before, after, named))
            if entries:
                found[folder] = entries
    return found


def _dropped(change: Change, before: Outline, after: Outline, named: set[str]) -> Iterator[DroppedEntry]:
    comments = [comment.text for comment in after.file.comments]
    for entry, path in before.inputs():
        there = path in change.head_files or path in change.head.paths.folders
        if path and there and path not in named and change.path_after(path) not in named:
            line = before.file.position(entry.span.start).line
            aside = any(entry.text in text for text in comments)
            yield DroppedEntry(entry.text, path, after, line, aside)
