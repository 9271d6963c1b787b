"""Another git repository that was fetched: the same views on its files, which all lie below one folder."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...facts.file_names import JSONNET
from ...files.discover import Found, is_read, sort_in
from ...kubernetes.resource import Resource, resources_in
from ...yaml.source import SourceFile
from ..tree import Tree


class _Objects(Mapping[str, Sequence[Resource]]):
    """The objects of each file, read when somebody asks: most of another repository is none of our business."""

    def __init__(self, files: Mapping[str, SourceFile]) -> None:
        self._files = files
        self._read: dict[str, list[Resource]] = {}

    def __getitem__(self, path: str) -> Sequence[Resource]:
        if path not in self._read:
            self._read[path] = [r for document in self._files[path].documents for r in resources_in(document.root)]
        return self._read[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def tree_of(tree: Tree, root: str) -> Tree:
    """`tree` is of the repository that needs it."""
    assert tree.reader is not None
    below = list(tree.reader.below(root))
    names = [path for path in below if is_read(posixpath.basename(path))]
    charts = {posixpath.dirname(path) for path in names if posixpath.basename(path) == "Chart.yaml"}
    found = Found(Path(root))
    for name in names:
        file = tree.reader.file(name)
        if file is not None:
            sort_in(found, file, charts)
    other = Tree(
        found.files,
        _Objects({file.path: file for file in found.files}),
        {folder for name in below for folder in _above(name)},
        found.templates,
        found.others,
        root,
        jsonnet=[path for path in below if path.endswith(JSONNET)],
        whole=True,
        reader=tree.reader,
        restricted=tree.restricted,
        elsewhere=tree.elsewhere,
    )
    other.kustomize = tree.kustomize
    return other


def _above(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


class FilesOfAnother:
    """As the generators of ApplicationSets see it: from its own root."""

    def __init__(self, tree: Tree, root: str) -> None:
        self._tree = tree
        self._prefix = f"{root}/"

    def directories(self) -> Iterator[str]:
        return self._inside(self._tree.directories())

    def files(self) -> Iterator[str]:
        return self._inside(self._tree.files())

    def read(self, path: str) -> str | None:
        return self._tree.read(f"{self._prefix}{path}")

    def _inside(self, paths: Iterable[str]) -> Iterator[str]:
        return (path.removeprefix(self._prefix) for path in paths if path.startswith(self._prefix))
