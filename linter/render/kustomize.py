"""What a kustomization names: its resources, and what it changes in them.

This reads the kustomization file only. Building its output is a later
capability; until then rules see the resources as they stand in their files,
and those that a patch may reach are marked, so that nothing is said about
them which the patch could make untrue.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ..resource import Resource
from ..source import Node, SourceFile

FILE_NAMES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
API_GROUP: Final = "kustomize.config.k8s.io"

_INPUTS: Final = ("resources", "bases", "components")
_FILES_THAT_ARE_NO_OBJECTS: Final = (
    "patchesStrategicMerge", "configurations", "crds", "transformers", "generators", "validators",
)  # fmt: skip
_CHANGES_EVERYTHING: Final = ("transformers", "replacements", "vars", "validators")


class PatchTarget(NamedTuple):
    """Which objects a patch may reach; an empty part matches all."""

    kind: str = ""
    name: str = ""
    is_pattern: bool = False

    def matches(self, resource: Resource) -> bool:
        if self.kind and not self._is(self.kind, resource.kind):
            return False
        return not self.name or self._is(self.name, resource.name)

    def _is(self, wanted: str, actual: str) -> bool:
        if not self.is_pattern:
            return wanted == actual
        try:
            return re.fullmatch(wanted, actual) is not None
        except re.error:
            return True


class Kustomization(NamedTuple):
    file: SourceFile
    folder: str
    root: Node

    @property
    def is_component(self) -> bool:
        return self.root["kind"].text == "Component"

    def inputs(self) -> Iterator[tuple[Node, str]]:
        """What it is built from: the entry and the path it means; an empty path when it is not local."""
        for field in _INPUTS:
            for entry in self.root[field]:
                if entry.text:
                    yield entry, "" if _is_remote(entry.text) else self._path(entry.text)

    def other_files(self) -> Iterator[str]:
        """Local files that it reads and that are no objects of their own: patches, configurations, values."""
        for field in _FILES_THAT_ARE_NO_OBJECTS:
            yield from (self._path(entry.text) for entry in self.root[field] if _looks_like_path(entry.text))
        for field in ("patches", "patchesJson6902", "replacements"):
            yield from (self._path(entry["path"].text) for entry in self.root[field] if entry["path"].text)
        for field in ("configMapGenerator", "secretGenerator"):
            for generator in self.root[field]:
                for key in ("files", "envs"):
                    yield from (self._path(item.text.rpartition("=")[2]) for item in generator[key] if item.text)
                if generator["env"].text:
                    yield self._path(generator["env"].text)
        if self.root["openapi"]["path"].text:
            yield self._path(self.root["openapi"]["path"].text)
        for chart in self.root["helmCharts"]:
            values = (chart["valuesFile"], *chart["additionalValuesFiles"])
            yield from (self._path(node.text) for node in values if node.text)

    def targets(self, files: Mapping[str, SourceFile]) -> Iterator[PatchTarget]:
        """Which objects its patches may reach."""
        if any(self.root[field].present for field in _CHANGES_EVERYTHING) or self._sets_argo_annotations():
            yield PatchTarget()
        for patch in (*self.root["patches"], *self.root["patchesJson6902"]):
            target = patch["target"]
            if target.present:
                yield PatchTarget(target["kind"].text, target["name"].text, is_pattern=True)
            else:
                yield from self._named_in(patch["path"].text, patch["patch"].text, files)
        for entry in self.root["patchesStrategicMerge"]:
            is_path = _looks_like_path(entry.text)
            yield from self._named_in(entry.text if is_path else "", "" if is_path else entry.text, files)

    def _named_in(self, path: str, inline: str, files: Mapping[str, SourceFile]) -> Iterator[PatchTarget]:
        source = files.get(self._path(path)) if path else SourceFile(self.file.path, inline)
        if source is None or not source.documents:
            yield PatchTarget()  # a patch that cannot be read may reach anything
            return
        for document in source.documents:
            yield PatchTarget(document.root["kind"].text, document.root["metadata"]["name"].text)

    def _sets_argo_annotations(self) -> bool:
        return any(
            key.startswith(("argocd.argoproj.io/", "helm.sh/")) for key, _ in self.root["commonAnnotations"].items()
        )

    def _path(self, entry: str) -> str:
        return posixpath.normpath(posixpath.join(self.folder, entry))


def _is_remote(entry: str) -> bool:
    return "://" in entry or entry.startswith(("git@", "github.com/")) or "?ref=" in entry


def _looks_like_path(text: str) -> bool:
    return bool(text) and "\n" not in text


def find_kustomizations(files: Iterable[SourceFile]) -> dict[str, Kustomization]:
    """By folder; the root of the tree is the empty string's folder, ``.``."""
    found: dict[str, Kustomization] = {}
    for file in files:
        folder, name = posixpath.split(file.path)
        if name in FILE_NAMES and file.documents and file.documents[0].root.is_mapping:
            found[folder or "."] = Kustomization(file, folder or ".", file.documents[0].root)
    return found
