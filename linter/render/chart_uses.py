"""Which Application renders which chart of the repository, and with which values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import compose
from ..argo.applications import Application, Source
from ..compose import RawScalar
from ..helm.chart import Chart, Dependency, root_of
from ..helm.merged import Leaf, TooLarge, Tree, find, overlay, overlay_tree, put, steps_of, typed
from ..kustomize.embedded import EmbeddedDocument, documents_in, place_all
from ..kustomize.errors import BuildError
from ..lazy import lazy
from ..source import Node, Place, SourceFile
from .sources import Rendered
from .value_files import VALUE_FILES


class InlineValues(NamedTuple):
    """What stands in `values` or `valuesObject` of an Application."""

    at: Node
    roots: tuple[Node, ...] = ()
    """One; of a text with several documents, all of them."""
    problem: str = ""
    problem_at: Place | None = None


class Parameter(NamedTuple):
    name: str
    value: Any
    at: Node


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
    def inline(self) -> InlineValues | None:
        return inline_values(self.application, self.source)

    @lazy
    def parameters(self) -> tuple[Parameter, ...]:
        return tuple(parameters_of(self.application, self.source))

    @lazy
    def layers(self) -> tuple[Node, ...]:
        """What is laid over the chart's own values, the lowest first; what is not here is left out."""
        roots = (root_of(file) for file in self._files)
        return (*(root for root in roots if root is not None), *(self.inline.roots if self.inline else ()))

    @lazy
    def _files(self) -> tuple[SourceFile, ...]:
        asked = self.rendered.asked
        found = (self.chart.files.source(path) for path in (asked.value_files if asked else ()))
        return tuple(file for file in found if file is not None)

    @lazy
    def is_known(self) -> bool:
        """Whether all of the values are known."""
        asked = self.rendered.asked
        return (
            asked is not None
            and not any(one.pointer.startswith(VALUE_FILES) for one in asked.problems)
            and not any(file.problems for file in self._files)
            and not (self.inline and self.inline.problem)
            and all(steps_of(one.name) is not None for one in self.parameters)
        )

    @lazy
    def values(self) -> Tree:
        """All values of the chart itself; empty where they are too many to be true."""
        tree: Tree = {}
        try:
            if self.chart.values is not None:
                overlay(tree, self.chart.values, keeps_null=True)
            for root in self.layers:
                overlay(tree, root)
        except TooLarge:
            return {}
        for parameter in self.parameters:
            steps = steps_of(parameter.name)
            if steps is not None:
                put(tree, steps, Leaf(parameter.value, parameter.at, is_typed=True))
        return tree


def default_values(chart: Chart) -> Tree:
    """Those of values.yaml alone."""
    tree: Tree = {}
    try:
        if chart.values is not None:
            overlay(tree, chart.values, keeps_null=True)
    except TooLarge:
        return {}
    return tree


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


# -- what an Application says


def parameters_of(application: Application, source: Source) -> Iterator[Parameter]:
    given = source.tool("helm").get("parameters")
    for index, one in enumerate(given if isinstance(given, list) else ()):
        if isinstance(one, Mapping) and isinstance(one.get("name"), str):
            text = one.get("value")
            text = text if isinstance(text, str) else ""
            value = text if one.get("forceString") is True else typed(text)
            yield Parameter(one["name"], value, application.place(f"{source.pointer}/helm/parameters/{index}"))


def inline_values(application: Application, source: Source) -> InlineValues | None:
    """`valuesObject` before `values`, as Argo CD takes them."""
    helm = source.tool("helm")
    given = helm.get("valuesObject")
    if isinstance(given, Mapping) and given:
        place = application.place(f"{source.pointer}/helm/valuesObject")
        if place.value == given:
            return InlineValues(place, (place,))
        return _read(place, json.dumps(given))
    text = helm.get("values")
    if not isinstance(text, str) or not text.strip():
        return None
    return _read(application.place(f"{source.pointer}/helm/values"), text)


def _read(place: Node, text: str) -> InlineValues:
    """From the file itself where its text is the value; else all of it counts as written at the place."""
    if place.document.is_built:
        is_text = isinstance(place.raw, RawScalar) and place.document.agrees(place)
        place = place.origin
        raw = place.raw if is_text else None
    else:
        raw = place.raw
    if isinstance(raw, RawScalar) and raw.value == text:
        try:
            documents = documents_in(place)
        except BuildError as error:
            return InlineValues(place, (), error.message.removeprefix("cannot be read: "), error.at)
        roots = [document.root for document in documents]
    else:
        composed, errors = compose.documents(text)
        if errors:
            return InlineValues(place, (), errors[0].message, place)
        if place.raw is not None:
            for one in composed:
                place_all(one, place.raw)
        roots = [EmbeddedDocument(place.file, index, one, place).root for index, one in enumerate(composed)]
    wrong = next((root for root in roots if not root.is_mapping and root.value is not None), None)
    if wrong is not None:
        what = "a list" if wrong.is_sequence else "a text"
        return InlineValues(place, (), f"it is {what}, and values have to be a mapping", wrong)
    return InlineValues(place, tuple(root for root in roots if root.is_mapping))
