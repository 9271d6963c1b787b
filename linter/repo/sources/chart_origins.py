"""Where the output of one rendering comes from: which files, which of their lines, which values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...helm.answer import LATER, NotYet, Rendering
from ...helm.chart_layout import ChartLayout
from ...helm.dependencies import CHART, joined
from ...helm.helm_request import Request
from ...helm.line_marks import TOKEN, Lines, read_marks
from ...helm.printed_documents import documents_of
from ...helm.value_layers import Layers
from ...programs.outcomes import Printed
from ...yaml.source import Document, Node, SourceFile
from ..tree import Tree
from .chart_layers import layers_of
from .given_values import Given

if TYPE_CHECKING:
    from ...helm.run.real_helm import RealHelm


class ChartOrigins:
    def __init__(
        self,
        tree: Tree,
        helm: RealHelm,
        layout: ChartLayout,
        request: Request,
        given: Given | None = None,
        files: Sequence[str | Node] | None = None,
    ) -> None:
        """`given` is what an Application gives. `files` are the values that somebody else gives over the chart's own:
        files, and values where they are written."""
        self._tree = tree
        self._helm = helm
        self._layout = layout
        self._request = request
        self._given = given
        self._files = request.value_files if files is None else files

    def documents(self, printed: str) -> list[Document]:
        """What Helm printed, object by object."""
        lines = partial(self.lines, printed)
        return documents_of(printed, self.file_of, lines, self.numbered, self.layers, self.chart_of)

    def file_of(self, printed: str) -> SourceFile | Node:
        """The file that Helm names; if it is packed away in an archive, the place that brings it."""
        place = self._layout.find(printed)
        file = self._tree.template(place.path) if place.path else None
        if file is not None:
            return file
        if place.entry is not None:
            return place.entry
        root = self._tree.root_of(joined(self._layout.folder, CHART))
        return root["name"] if root is not None else SourceFile(joined(self._layout.folder, CHART), "")

    def chart_of(self, printed: str) -> tuple[str, ...]:
        return self._layout.find(printed).values

    def lines(self, printed: str) -> Lines | None:
        """Of which lines each printed one is; None if a second, marked rendering does not tell. May raise NotYet."""
        rendering = self._marked
        if rendering is LATER:
            raise NotYet
        outcome = rendering.outcome
        return (
            read_marks(outcome.text, printed, TOKEN) if isinstance(outcome, Printed) and TOKEN not in printed else None
        )

    def numbered(self, number: int) -> SourceFile | None:
        names = self._marked.marked
        return self._tree.template(names[number]) if number < len(names) else None

    @property
    def _marked(self) -> Rendering:
        return self._helm.template(self._request, marked=True)

    def layers(self) -> Layers:
        """The values, by the places where they are written."""
        subcharts = self._layout.keyed_subcharts()
        return layers_of(self._tree.reachable, self._request.chart, self._files, self._given, subcharts)
