"""The repository as a Kustomize build reads it: the files of the run, and others when a kustomization names them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...files.disk import Stamp
from ...files.elsewhere import is_fetched
from ...yaml.source import EXTENSIONS, SourceFile

if TYPE_CHECKING:
    from ...helm.template_file import TemplateFile
    from ..tree import Tree

"""Files of these names are part of the run, unless somebody excluded them."""


class RepositoryFiles:
    """What was found already is not read again; a base outside the folders of this run is read when it is named."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._sources: dict[str, SourceFile | None] = {}
        self._data: dict[str, bytes | None] = {}
        self._walked: dict[str, list[str]] = {}

    def source(self, path: str) -> SourceFile | None:
        found = self._tree.file(path)
        if found is not None:
            return found
        if path not in self._sources:
            reader = self._tree.reader
            self._sources[path] = reader.file(path) if reader else None
        return self._sources[path]

    def template(self, path: str) -> TemplateFile | None:
        return self._tree.template(path)

    def data(self, path: str) -> bytes | None:
        if path not in self._data:
            reader = self._tree.reader
            file = self._tree.file(path) if reader is None else None
            self._data[path] = reader.data(path) if reader else file.text.encode() if file else None
        return self._data[path]

    def below(self, folder: str) -> Iterable[str]:
        """Files of the run, and what else is there under names that a run does not look at."""
        reader = self._tree.reader
        if reader is None:
            return [path for path in self._tree.files() if folder == "." or path.startswith(f"{folder}/")]
        found = self._walked.get(folder)
        if found is None:
            known = frozenset(self._tree.files())  # empty where one folder is rendered, whatever is around it
            found = [
                path
                for path in reader.below(folder)
                if not known or path in known or not path.endswith(EXTENSIONS) or is_fetched(path)
            ]
            self._walked[folder] = found
        return found

    def stamp(self, path: str) -> Stamp | None:
        """None when there is no such file."""
        reader = self._tree.reader
        if reader is not None:
            return reader.stamp(path)
        file = self._tree.file(path)
        return None if file is None else Stamp(file.text, 0)

    def real(self, path: str) -> str:
        """Links followed."""
        reader = self._tree.reader
        return reader.real(path) if reader is not None else path

    def is_folder(self, path: str) -> bool:
        reader = self._tree.reader
        return path in self._tree.folders or (reader is not None and reader.is_folder(path))
