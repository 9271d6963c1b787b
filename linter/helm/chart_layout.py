"""Where a chart's files are in the repository, by the names that Helm prints.

Helm names a template after the charts around it, `shop/charts/db/templates/x.yaml`,
by their names or aliases, whatever their folders are called. A dependency may
lie in `charts/`, or anywhere in the repository if its address is `file://…`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..files.elsewhere import NOTHING, Elsewhere
from ..yaml.lazy import lazy
from ..yaml.source import Node
from .chart import Chart, Files, chart_in
from .dependencies import Dependency, Vendored, brought

MAX_DEPTH: Final = 10
MAX_SUBCHARTS: Final = 200
"""More than any chart has, so that a circle ends."""


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

    def __init__(self, folder: str, files: Files, elsewhere: Elsewhere = NOTHING) -> None:
        self.folder = folder
        self._files = files
        self._elsewhere = elsewhere
        self._charts: dict[str, Chart | None] = {}

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
            inner = [one.path for one in self._unpacked(folder)]
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
        declared = self._declared(folder)
        known = {one.name for one in declared}
        others = (one.name for one in self._unpacked(folder) if one.name not in known)
        return [name for name in dict.fromkeys((*(one.key for one in declared), *others)) if name]

    def _dependency(self, folder: str, name: str) -> tuple[str, Node | None]:
        """The folder of a dependency by the name that it goes by here; empty if it has none in the repository."""
        entry = next((one for one in self._declared(folder) if one.key == name), None)
        own_name = entry.name if entry is not None else name
        found = next((one.path for one in self._unpacked(folder) if one.name == own_name), "")
        if entry is None:
            return found, None
        if found or self._is_packed(folder, own_name):
            return found, entry.node
        lent = entry.local_folder(folder) or brought(entry, self._lock(folder), self._elsewhere)
        if lent is not None and self._chart(lent) is not None:
            found = lent
        return found, entry.node

    def _is_packed(self, folder: str, name: str) -> bool:
        chart = self._chart(folder)
        return chart is not None and any(one.is_packed and one.goes_by(name) for one in chart.vendored)

    def _lock(self, folder: str) -> Node | None:
        chart = self._chart(folder)
        return chart.lock if chart is not None else None

    def _declared(self, folder: str) -> tuple[Dependency, ...]:
        chart = self._chart(folder)
        return chart.dependencies if chart is not None else ()

    def _unpacked(self, folder: str) -> list[Vendored]:
        chart = self._chart(folder)
        return [one for one in chart.vendored if not one.is_packed] if chart is not None else []

    def _chart(self, folder: str) -> Chart | None:
        if folder not in self._charts:
            self._charts[folder] = chart_in(self._files, folder)
        return self._charts[folder]
