"""Which Application renders which chart of the repository, and with which values."""

from __future__ import annotations

from dataclasses import dataclass

from ...argocd.applications import Application, Source
from ...helm.chart import Chart
from ...helm.dependencies import Dependency
from ...helm.merged_values import Leaf, Tree, find, merged, overlay_tree
from ...helm.value_layers import Layers
from ...yaml.lazy import lazy
from .application_sources import Rendered
from .chart_layers import layers_of
from .given_values import Given
from .value_files import INLINE, VALUE_FILES


@dataclass(frozen=True, eq=False)
class ChartUse:
    """One source of one Application that has Helm render a chart of this repository."""

    application: Application
    rendered: Rendered
    chart: Chart

    @property
    def source(self) -> Source:
        return self.rendered.source

    @lazy
    def layers(self) -> Layers:
        """Of the chart itself: what is not here is left out."""
        given = Given(self.application, self.source)
        return layers_of(self.chart.files, self.chart.folder, self._value_files, given)

    @property
    def _value_files(self) -> tuple[str, ...]:
        return self.rendered.asked.value_files if self.rendered.asked else ()

    @lazy
    def is_known(self) -> bool:
        """Whether all of the values are known."""
        asked = self.rendered.asked
        return (
            asked is not None
            and not self.rendered.blanks
            and not any(one.pointer.startswith((VALUE_FILES, INLINE)) for one in asked.problems)
            and not any(file.problems for file in map(self.chart.files.source, asked.value_files) if file is not None)
            and all(one.steps is not None for one in self.layers.parameters)
        )

    @lazy
    def values(self) -> Tree:
        """All values of the chart itself; empty where they are too many to be true."""
        return merged(self.layers)


def default_values(chart: Chart) -> Tree:
    """Those of values.yaml alone."""
    return merged(layers_of(chart.files, chart.folder))


def values_of_subchart(chart: Chart, key: str, parent: Tree) -> Tree:
    """What the templates of a subchart see: its own values, and the parent's over them."""
    tree = default_values(chart)
    for name in ("global", key):
        said = find(parent, [name])
        if isinstance(said, dict):
            overlay_tree(tree, said if name == key else {"global": said})
    return tree


def is_enabled(dependency: Dependency, parent: Tree) -> bool:
    """Whether a subchart is rendered; the first condition that is set decides, then the tags."""
    for condition in dependency.conditions:
        found = find(parent, condition.split("."))
        if isinstance(found, Leaf) and isinstance(found.value, bool):
            return found.value
    tags = [find(parent, ["tags", tag]) for tag in dependency.tags]
    decided = [one.value for one in tags if isinstance(one, Leaf) and isinstance(one.value, bool)]
    return any(decided) if decided else True
