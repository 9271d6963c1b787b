"""Where the output of one rendering comes from: which files, which of their lines, which values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from ..argo.applications import Application
from ..helm.layout import ChartLayout
from ..helm.marking import TOKEN, Lines, read_marks
from ..helm.rendered import documents_of
from ..helm.request import Request
from ..helm.values import Layer, Layers, Parameter, inline, parameter
from ..lazy import lazy
from ..outcomes import Printed
from ..source import Document, Node, SourceFile
from .tree import Tree

if TYPE_CHECKING:
    from ..helm.rendering import Rendering
    from .real_helm import RealHelm

_CHART: Final = "Chart.yaml"
_VALUES: Final = "values.yaml"


class ChartOrigins:
    def __init__(
        self,
        tree: Tree,
        helm: RealHelm,
        layout: ChartLayout,
        request: Request,
        application: Application | None = None,
        source: str = "",
        given: Sequence[str | Node] | None = None,
    ) -> None:
        """`source` is the pointer to the chart's source in the Application.

        `given` are the values that somebody else than an Application gives: files, and values where they are written.
        """
        self._tree = tree
        self._helm = helm
        self._layout = layout
        self._request = request
        self._application = application
        self._source = source
        self._given = given

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
        root = self._tree.root_of(_join(self._layout.folder, _CHART))
        return root["name"] if root is not None else SourceFile(_join(self._layout.folder, _CHART), "")

    def chart_of(self, printed: str) -> tuple[str, ...]:
        return self._layout.find(printed).values

    def lines(self, printed: str) -> Lines | None:
        """Of which lines each printed one is; None if a second, marked rendering does not tell."""
        outcome = self._marked.outcome
        return (
            read_marks(outcome.text, printed, TOKEN) if isinstance(outcome, Printed) and TOKEN not in printed else None
        )

    def numbered(self, number: int) -> SourceFile | None:
        names = self._marked.marked
        return self._tree.template(names[number]) if number < len(names) else None

    @lazy
    def _marked(self) -> Rendering:
        return self._helm.template(self._request, marked=True)

    def layers(self) -> Layers:
        """The values, by the places where they are written."""
        chart = self._request.chart
        inner = ((self._tree.root_of(_join(folder, _VALUES)), keys) for keys, folder in self._layout.keyed_subcharts())
        given = self._request.value_files if self._given is None else self._given
        files = (self._tree.root_of(one) if isinstance(one, str) else one for one in (_join(chart, _VALUES), *given))
        found = [Layer(root, keys) for root, keys in inner if root is not None]
        found += [Layer(root) for root in files if root is not None]
        if self._application is None:
            return Layers(found)
        places = (self._place(name) for name in ("valuesObject", "values"))
        found += [Layer(inline(place)) for place in places if place.present][:1]
        return Layers(found, self._parameters())

    def _parameters(self) -> list[Parameter]:
        entries = list(self._place("parameters"))
        return [parameter(entry["name"].text, entry["value"]) for entry in entries if entry["name"].text]

    def _place(self, name: str) -> Node:
        assert self._application is not None
        return self._application.place(f"{self._source}/helm/{name}")


def _join(folder: str, path: str) -> str:
    return path if folder == "." else f"{folder}/{path}"
