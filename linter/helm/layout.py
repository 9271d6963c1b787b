"""Where a chart's files are in the repository, by the names that Helm prints.

Helm names a template after the charts around it, `shop/charts/db/templates/x.yaml`,
by their names or aliases, whatever their folders are called. A dependency may
lie in `charts/`, or anywhere in the repository if its address is `file://…`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from ..lazy import lazy
from ..source import Node

MAX_DEPTH: Final = 10
MAX_SUBCHARTS: Final = 200
"""More than any chart has, so that a circle ends."""
FILE_SCHEME: Final = "file://"
_REQUIREMENTS: Final = "requirements.yaml"


class InChart(NamedTuple):
    """A printed name, found again."""

    path: str
    """Of the file in the repository; empty if it is packed in an archive."""
    entry: Node | None = None
    """The dependency that brings it, of the outermost chart that has it packed."""
    values: tuple[str, ...] = ()
    """The keys under which the values of its chart stand among those of the outermost one."""


class ChartLayout:
    """Of one chart and its dependencies."""

    def __init__(
        self, folder: str, root_of: Callable[[str], Node | None], folders_in: Callable[[str], Iterable[str]]
    ) -> None:
        """`root_of` gives the top of a YAML file, `folders_in` the folders right below one."""
        self.folder = folder
        self._root_of = root_of
        self._folders_in = folders_in

    def find(self, printed: str) -> InChart:
        _, _, rest = printed.partition("/")
        folder, keys = self.folder, []
        while rest.startswith("charts/"):
            _, name, rest = rest.split("/", 2)
            keys.append(name)
            inner, entry = self._dependency(folder, name)
            if not inner:
                return InChart("", entry, tuple(keys))
            folder = inner
        return InChart(posixpath.normpath(posixpath.join(folder, rest)), None, tuple(keys))

    @lazy
    def subcharts(self) -> tuple[str, ...]:
        """Folders of the charts that this one has in `charts/`, at any depth."""
        found: list[str] = []
        waiting = [self.folder]
        while waiting:
            folder = waiting.pop()
            inner = [one for one in self._folders_in(_join(folder, "charts")) if self._chart(one) is not None]
            found += inner
            waiting += inner
        return tuple(found)

    def keyed_subcharts(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """The folders of all dependencies that are in the repository, by the keys of their values; outermost last."""
        waiting: list[tuple[tuple[str, ...], str]] = [((), self.folder)]
        found: list[tuple[tuple[str, ...], str]] = []
        while waiting and len(found) < MAX_SUBCHARTS:
            keys, folder = waiting.pop()
            for name in self._names(folder):
                inner, _ = self._dependency(folder, name)
                if inner and len(keys) < MAX_DEPTH:
                    found.append(((*keys, name), inner))
                    waiting.append(((*keys, name), inner))
        yield from sorted(found, key=lambda one: -len(one[0]))

    def _names(self, folder: str) -> list[str]:
        """What the charts below one go by: what it declares, and what else lies in `charts/`."""
        declared = [(entry["alias"].text or entry["name"].text, entry["name"].text) for entry in self._entries(folder)]
        known = {own for _, own in declared}
        roots = (self._chart(inner) for inner in self._folders_in(_join(folder, "charts")))
        others = [root["name"].text for root in roots if root is not None and root["name"].text not in known]
        return [name for name in dict.fromkeys((*(name for name, _ in declared), *others)) if name]

    def _dependency(self, folder: str, name: str) -> tuple[str, Node | None]:
        """The folder of a dependency by the name that it goes by here; empty if it has none in the repository."""
        entry = self._entry(folder, name)
        own_name = entry["name"].text if entry is not None else name
        for inner in self._folders_in(_join(folder, "charts")):
            root = self._chart(inner)
            if root is not None and root["name"].text == own_name:
                return inner, entry
        repository = entry["repository"].text if entry is not None else ""
        if repository.startswith(FILE_SCHEME):
            path = posixpath.normpath(posixpath.join(folder, repository.removeprefix(FILE_SCHEME)))
            if not path.startswith("..") and self._chart(path) is not None:
                return path, entry
        return "", entry

    def _entry(self, folder: str, name: str) -> Node | None:
        return next((one for one in self._entries(folder) if (one["alias"].text or one["name"].text) == name), None)

    def _entries(self, folder: str) -> Iterator[Node]:
        for file in ("Chart.yaml", _REQUIREMENTS):
            root = self._root_of(_join(folder, file))
            if root is not None:
                yield from root["dependencies"]

    def _chart(self, folder: str) -> Node | None:
        return self._root_of(_join(folder, "Chart.yaml"))


def _join(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
