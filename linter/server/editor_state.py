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
from ..repo.reuse import Reuse
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
        self._glance: tuple[Found, Linted, Mapping[str, str]] | None = None
        self.look()

    def glance(self) -> list[Reported] | None:
        """What the objects and apps that an edit touches say now; `look` says it of everything, which takes longer.

        None where nothing was edited.
        """
        texts = self._known_texts()
        if texts == self._seen:
            return None
        found, reuse = self._edited(texts)
        linted = self._session.lint(found, reuse, since=self._linted.repo)
        self._glance = found, linted, texts
        return list(linted.result.reported)

    def look(self) -> None:
        """With the texts of the editor. Only what differs from the last look is read anew."""
        texts = self._known_texts()
        if texts == self._seen:
            return
        if self._glance is not None and self._glance[2] == texts:
            found, glanced, _ = self._glance
            self._linted = self._session.lint(found, repo=glanced.repo)
        else:
            found, reuse = self._edited(texts)
            self._linted = self._session.lint(found, reuse)
        self._found, self._seen, self._glance = found, texts, None

    def _known_texts(self) -> dict[str, str]:
        known = {file.path for group in (self._disk.files, self._disk.templates, self._disk.others) for file in group}
        return {path: text for path, text in self._texts.items() if path in known}

    def _edited(self, texts: Mapping[str, str]) -> tuple[Found, Reuse | None]:
        touched = folders_and(path for path in {*texts, *self._seen} if texts.get(path) != self._seen.get(path))
        before = self._linted.repo
        reuse = before.reused_by(touched.__contains__) if before.reused_by else None
        # What was typed and is gone again is as on the disk.
        return with_texts(self._kept(texts), texts), reuse

    def _kept(self, texts: Mapping[str, str]) -> Found:
        """The last look, so that equal files are one and the same; from the disk where an edit was taken back."""
        return self._found if set(self._seen) <= set(texts) else self._disk

    # -- what the editor says

    def typed(self, path: str, text: str) -> None:
        self._texts[path] = text.removeprefix("\ufeff")

    def closed(self, path: str) -> None:
        self._texts.pop(path, None)

    # -- what there is to answer with

    @property
    def repo(self) -> Repo:
        return self._linted.repo

    @property
    def linted(self) -> Linted:
        return self._linted

    def text(self, path: str) -> str:
        """As the editor has it."""
        file = self.file(path)
        return self._texts.get(path, file.text if file else "")

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
