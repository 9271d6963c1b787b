"""The repository as an editor has it: what is on the disk, with the texts that are being typed in place of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from ..files.discover import Found
from ..fix.edited_repo import folders_and, with_texts
from ..lint.result import Reported
from ..lint.run import Linted
from ..lint.session import Session
from ..repo.model import Repo
from ..yaml.source import SourceFile


class EditorState:
    """Linted again after each pause, from what the last look has made of the files that are the same."""

    def __init__(self, root: Path, session_for: Callable[[Path], Session]) -> None:
        self.root = Path(os.path.realpath(root))
        self._session_for = session_for
        self._texts: dict[str, str] = {}
        self.reload()

    def reload(self) -> None:
        """From the disk: files may have come and gone, and the config may be another."""
        self._session = self._session_for(self.root)
        self._disk = self._session.find([self.root])
        self._found, self._linted = self._disk, self._session.lint(self._disk)
        self._seen: Mapping[str, str] = {}
        self.look()

    def look(self) -> None:
        """With the texts of the editor. Only what differs from the last look is read anew."""
        known = {file.path for group in (self._disk.files, self._disk.templates, self._disk.others) for file in group}
        texts = {path: text for path, text in self._texts.items() if path in known}
        if texts == self._seen:
            return
        touched = folders_and(path for path in {*texts, *self._seen} if texts.get(path) != self._seen.get(path))
        before = self._linted.repo
        reuse = before.reused_by(touched.__contains__) if before.reused_by else None
        # What was typed and is gone again is as on the disk.
        found = with_texts(self._kept(texts), texts)
        self._found, self._linted, self._seen = found, self._session.lint(found, reuse), texts

    def _kept(self, texts: Mapping[str, str]) -> Found:
        """The last look, so that equal files are one and the same; from the disk where an edit was taken back."""
        return self._found if set(self._seen) <= set(texts) else self._disk

    # -- what the editor says

    def typed(self, path: str, text: str) -> None:
        self._texts[path] = text.removeprefix("\ufeff")
        self.look()

    def closed(self, path: str) -> None:
        self._texts.pop(path, None)
        self.look()

    # -- what there is to answer with

    @property
    def repo(self) -> Repo:
        return self._linted.repo

    @property
    def linted(self) -> Linted:
        return self._linted

    def findings(self, path: str) -> list[Reported]:
        return [item for item in self._linted.result.reported if item.file.path == path]

    def file(self, path: str) -> SourceFile | None:
        groups = (self._found.files, self._found.templates, self._found.others)
        return next((file for group in groups for file in group if file.path == path), None)

    def path_of(self, address: Path) -> str | None:
        """Seen from the root; None for what lies outside."""
        path = Path(os.path.realpath(address))
        root = Path(os.path.realpath(self._disk.root))
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else None

    def address_of(self, path: str) -> Path:
        return self._disk.root / path
