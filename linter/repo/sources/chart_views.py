"""A chart with the values that it is rendered with: once for each Application, or with its own values alone.

A subchart, and a chart that another one names as a ``file://`` dependency, is
seen with what its parents say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ...helm.chart import Chart
from ...helm.dependencies import Dependency
from ...helm.merged_values import Tree
from ...helm.reached_actions import Reach
from ...yaml.lazy import lazy
from .chart_uses import ChartUse, default_values, is_enabled, values_of_subchart

_DEEPEST: Final = 5
_MOST: Final = 200
"""Views of one chart: a set may make thousands of Applications of it."""


@dataclass(frozen=True, eq=False)
class ChartView:
    chart: Chart
    use: ChartUse | None = None
    """None where no Application is known that renders it."""
    parent: ChartView | None = None
    """Of a subchart: what it is rendered with."""
    dependency: Dependency | None = None
    """Of a subchart: what the parent says of it, if it does."""

    @lazy
    def values(self) -> Tree:
        if self.parent is not None:
            key = self.dependency.key if self.dependency else self.chart.name
            return values_of_subchart(self.chart, key, self.parent.values)
        return self.use.values if self.use else default_values(self.chart)

    @lazy
    def is_known(self) -> bool:
        """False when a file with values is not here."""
        return self.use is None or self.use.is_known

    @lazy
    def is_enabled(self) -> bool:
        """Of a subchart: whether it is rendered at all."""
        if self.parent is None:
            return True
        own = is_enabled(self.dependency, self.parent.values) if self.dependency else True
        return own and self.parent.is_enabled

    @lazy
    def reach(self) -> Reach:
        chart = self.chart
        is_open = chart.is_library or chart.is_subchart or chart.templates.uses_unknown
        return Reach(self.values, chart.templates, is_open)

    @property
    def words(self) -> str:
        """With which values, as messages say it."""
        return f"with the values of {self.use.application}" if self.use else "with its own values"


def views_of(charts: Mapping[str, Chart], uses: Iterable[ChartUse]) -> dict[str, tuple[ChartView, ...]]:
    """By folder."""
    by_chart: dict[str, list[ChartUse]] = {}
    for use in uses:
        by_chart.setdefault(use.chart.folder, []).append(use)
    maker = _Views(charts, by_chart)
    return {folder: maker.of(chart, 0) for folder, chart in charts.items()}


class _Views:
    def __init__(self, charts: Mapping[str, Chart], uses: Mapping[str, list[ChartUse]]) -> None:
        self._charts = charts
        self._uses = uses
        self._done: dict[str, tuple[ChartView, ...]] = {}
        self._parents: dict[str, list[tuple[Chart, Dependency | None]]] = {}
        for chart in charts.values():
            for path, dependency in self._children(chart):
                self._parents.setdefault(path, []).append((chart, dependency))

    def _children(self, chart: Chart) -> Iterator[tuple[str, Dependency | None]]:
        declared = {one.name: one for one in chart.dependencies}
        for one in chart.vendored:
            if one.path in self._charts:
                yield one.path, declared.get(one.name)
        for dependency in chart.not_vendored:
            folder = dependency.local_folder(chart.folder)
            if folder is not None:
                yield folder, dependency

    def of(self, chart: Chart, depth: int) -> tuple[ChartView, ...]:
        if chart.folder in self._done:
            return self._done[chart.folder]
        own = [ChartView(chart, use) for use in self._uses.get(chart.folder, ())[:_MOST]]
        parents = self._parents.get(chart.folder, ()) if depth < _DEEPEST else ()
        for parent, dependency in parents:
            if parent is not chart:
                own += [ChartView(chart, view.use, view, dependency) for view in self.of(parent, depth + 1)]
        found = tuple(own[:_MOST]) or (ChartView(chart),)
        if depth < _DEEPEST:
            self._done[chart.folder] = found
        return found
