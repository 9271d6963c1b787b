"""The files of the repository as sources see them: by path, by folder, with their objects."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ..lazy import lazy
from ..resource import Resource
from ..source import SourceFile
from .kustomize import API_GROUP, FILE_NAMES, Kustomization, find_kustomizations


class Tree:
    def __init__(
        self,
        files: Sequence[SourceFile],
        by_file: Mapping[str, Sequence[Resource]],
        folders: Collection[str] = (),
        templates: Collection[str] = (),
        others: Sequence[SourceFile] = (),
        base: str = ".",
        *,
        passed_over: Sequence[str] = (),
        whole: bool = False,
    ) -> None:
        self.sources = {file.path: file for file in files}
        self.by_file = by_file
        self.templates = frozenset(templates)
        self._others = {file.path: file for file in others}
        self.whole = whole
        """False when only a part of the repository was read: what is missing may lie outside."""
        self._walked = frozenset(folders)
        self._base = base
        self._passed_over = tuple(passed_over)

    @lazy
    def kustomizations(self) -> dict[str, Kustomization]:
        """By folder."""
        return find_kustomizations(self.sources.values())

    @lazy
    def not_objects(self) -> frozenset[str]:
        """Patches, values and the like: they look like manifests, and nobody applies them."""
        return frozenset(path for one in self.kustomizations.values() for path in one.other_files())

    @lazy
    def unnamed(self) -> frozenset[str]:
        """Files beside a kustomization that no kustomization names: Argo CD does not read them."""
        named = {path for one in self.kustomizations.values() for _, path in one.inputs()} | self.not_objects
        return frozenset(
            path
            for path in self.sources
            if (posixpath.dirname(path) or ".") in self.kustomizations
            and path not in named
            and posixpath.basename(path) not in FILE_NAMES
        )

    def objects_in(self, paths: Iterable[str]) -> tuple[Resource, ...]:
        return tuple(r for path in paths for r in self.by_file.get(path, ()) if r.group != API_GROUP)

    @lazy
    def folders(self) -> frozenset[str]:
        """Every folder, ``.`` for the root."""
        found = {"."} | set(self._walked)
        for path in (*self.sources, *self.templates):
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(found)

    def was_passed_over(self, path: str) -> bool:
        """Whether a folder is there, or may be, but was not walked."""
        return any(path == folder or path.startswith(f"{folder}/") for folder in self._passed_over)

    def locate(self, path: str) -> str | None:
        """The folder that a path of an Application means; None if there is none."""
        inside = posixpath.normpath(posixpath.join(self._base, path))
        if path == ".":
            return inside
        return next((folder for folder in (path, inside) if folder in self.folders), None)

    @lazy
    def charts(self) -> frozenset[str]:
        """Folders with a file that Argo CD takes for a chart's."""
        return frozenset(posixpath.dirname(path) or "." for path in self.sources if path.endswith("Chart.yaml"))

    @lazy
    def in_folder(self) -> Mapping[str, list[str]]:
        """Files by the folder that holds them, in the order of a walk."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._walked_files:
            found[posixpath.dirname(path) or "."].append(path)
        return found

    def below(self, folder: str) -> list[str]:
        """All files in the folder and its folders."""
        if folder == ".":
            return self._walked_files
        return [path for path in self._walked_files if path.startswith(f"{folder}/")]

    @lazy
    def _walked_files(self) -> list[str]:
        """In the order of a walk, folder by folder: of objects that are repeated the last one counts."""
        return sorted((*self.sources, *self.templates), key=lambda path: path.split("/"))

    # -- as the generators of ApplicationSets see it

    def directories(self) -> Iterable[str]:
        return sorted(self.folders - {"."})

    def files(self) -> Iterable[str]:
        return sorted({*self.sources, *self.templates, *self._others})

    def other_json(self, folder: str, *, recurse: bool) -> list[str]:
        """JSON in a folder that is no manifest."""
        prefix = "" if folder == "." else f"{folder}/"
        inside = (path for path in sorted(self._others) if path.startswith(prefix))
        return [path for path in inside if recurse or "/" not in path[len(prefix) :]]

    def read(self, path: str) -> str | None:
        file = self.sources.get(path) or self._others.get(path)
        return None if file is None or file.refused else file.text
