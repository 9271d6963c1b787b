"""What a kustomization names: other kustomizations, files with objects, files that are no objects of their own.

This is about which file is what, and never fails; what Kustomize refuses is for
`kustomization.read` to say. Both take names in any case, as Kustomize does.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..facts.file_names import KUSTOMIZATIONS
from ..yaml.lazy import lazy
from ..yaml.source import Document, Node, SourceFile
from .build_files import is_remote
from .kustomization import COMPONENT
from .typed_fields import respelled

_INPUTS: Final = ("resources", "bases", "components")
_FILES_THAT_ARE_NO_OBJECTS: Final = (
    "patchesStrategicMerge", "configurations", "crds", "transformers", "generators", "validators",
)  # fmt: skip
_PLUGINS: Final = ("generators", "transformers", "validators")
_FIELDS_WITH_FILES: Final = (
    *_FILES_THAT_ARE_NO_OBJECTS, "patches", "patchesJson6902", "replacements", "configMapGenerator", "secretGenerator",
    "openapi", "helmCharts", "helmChartInflationGenerator",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Outline:
    file: SourceFile
    folder: str
    root: Node
    here: Callable[[str], str] = lambda address: ""
    """The path of this repository that an address means."""

    @property
    def is_component(self) -> bool:
        return self.root["kind"].text == COMPONENT

    def inputs(self) -> tuple[tuple[Node, str], ...]:
        """What it is built from: the entry and the path it means; an empty path when it is not local."""
        return self._inputs

    @lazy
    def _inputs(self) -> tuple[tuple[Node, str], ...]:
        return tuple(self._read_inputs())

    def _read_inputs(self) -> Iterator[tuple[Node, str]]:
        for field in _INPUTS:
            for entry in self.root[field]:
                if entry.text:
                    yield entry, self.here(entry.text) if is_remote(entry.text) else self._path(entry.text)

    def other_files(self) -> tuple[str, ...]:
        """Local files that it reads and that are no objects of their own: patches, configurations, values."""
        return self._other_files

    @lazy
    def _other_files(self) -> tuple[str, ...]:
        return tuple(self._read_other_files())

    def _read_other_files(self) -> Iterator[str]:
        if self._given.isdisjoint(_FIELDS_WITH_FILES):
            return
        for field in _FILES_THAT_ARE_NO_OBJECTS:
            yield from (self._path(entry.text) for entry in self.root[field] if _looks_like_path(entry.text))
        for field in ("patches", "patchesJson6902", "replacements"):
            yield from (self._path(entry["path"].text) for entry in self.root[field] if entry["path"].text)
        yield from self.data_of_generators()
        if self.root["openapi"]["path"].text:
            yield self._path(self.root["openapi"]["path"].text)
        yield from self.values_of_charts()

    def data_of_generators(self) -> Iterator[str]:
        for generator in self._generators():
            yield from (self._path(item.text.rpartition("=")[2]) for item in generator["files"] if item.text)
        yield from self.variables_of_generators()

    def variables_of_generators(self) -> Iterator[str]:
        for generator in self._generators():
            found = (*generator["envs"], generator["env"])
            yield from (self._path(item.text.rpartition("=")[2]) for item in found if item.text)

    def _generators(self) -> Iterator[Node]:
        for field in ("configMapGenerator", "secretGenerator"):
            yield from self.root[field]

    def values_of_charts(self) -> Iterator[str]:
        for chart in self.root["helmCharts"]:
            values = (chart["valuesFile"], *chart["additionalValuesFiles"])
            yield from (self._path(node.text) for node in values if node.text)
        for chart in self.root["helmChartInflationGenerator"]:
            if chart["values"].text:
                yield self._path(chart["values"].text)

    @lazy
    def _given(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.root.items())

    def plugin_files(self) -> Iterator[str]:
        """Files with the settings of plugins."""
        for field in _PLUGINS if not self._given.isdisjoint(_PLUGINS) else ():
            yield from (self._path(entry.text) for entry in self.root[field] if _looks_like_path(entry.text))

    def _path(self, entry: str) -> str:
        return posixpath.normpath(posixpath.join(self.folder, entry))


def _looks_like_path(text: str) -> bool:
    return bool(text) and "\n" not in text


def find_outlines(files: Iterable[SourceFile], here: Callable[[str], str] = lambda address: "") -> dict[str, Outline]:
    """By folder; the root of the tree is the empty string's folder, ``.``."""
    found: dict[str, Outline] = {}
    for file in files:
        folder, name = posixpath.split(file.path)
        if name in KUSTOMIZATIONS and file.documents and file.documents[0].root.is_mapping:
            found[folder or "."] = Outline(file, folder or ".", _root(file.documents[0]), here)
    return found


def _root(document: Document) -> Node:
    """With names as Kustomize spells them, in the same document: what is spelled so already can be fixed there."""
    raw = respelled(document.raw, "Kustomization")
    return document.root if raw is document.raw else Node(document, None, "", raw, None)
