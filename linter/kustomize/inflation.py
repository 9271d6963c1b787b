"""Charts among what a kustomization builds: what is asked of Helm, and what becomes of the objects that it makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from ..yaml.source import Document, Node
from .accumulated import Accumulated, Ids
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects import Object
from .objects_in_file import objects_of

WITHOUT_HELM: Final = "charts are not rendered without Helm"
NOT_RENDERED: Final = f"helmCharts: {WITHOUT_HELM}"


class Inflation(NamedTuple):
    """What Kustomize asks Helm for. Paths count from the root of the repository."""

    at: Node
    """The name of the chart, or the entry that has none."""
    chart: str
    release: str
    namespace: str
    value_files: tuple[str, ...]
    values: str
    """Inline values merged with a file, as JSON, which come before all files; empty if there are none."""
    layers: tuple[str | Node, ...]
    """What the values are made of, the lowest first: files, and the inline values where they are written."""
    kube_version: str
    api_versions: tuple[str, ...]
    include_crds: bool
    skip_hooks: bool
    skip_tests: bool

    @property
    def key(self) -> object:
        """Equal for equal wishes of one entry; good while that entry lives."""
        layers = tuple(id(one.raw) if isinstance(one, Node) else one for one in self.layers)
        return id(self.at.raw), layers, self._replace(layers=())[1:]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The folder of the chart, and the files of values."""
        return (self.chart, *(one for one in self.layers if isinstance(one, str)))


class Inflated(NamedTuple):
    documents: tuple[Document, ...]
    inputs: tuple[str, ...]
    """The folders and files that have a part in it."""
    gaps: tuple[NotBuilt, ...] = ()
    """What a chart needs and what is not here."""


class Inflate(Protocol):
    """Renders a chart. Raises BuildError where Helm refuses it, NotBuilt where nobody can tell."""

    def __call__(self, wanted: Inflation) -> Inflated: ...


class InflatedObjects(NamedTuple):
    objects: tuple[Object, ...]
    inputs: tuple[str, ...]
    gaps: tuple[NotBuilt, ...]


def objects_from(wanted: Inflation, inflate: Inflate | None) -> InflatedObjects:
    """What a chart comes to, as Kustomize reads it."""
    if inflate is None:
        raise NotBuilt(wanted.at, NOT_RENDERED, wanted.at.text)
    made = inflate(wanted)
    objects: list[Object] = []
    for document in made.documents:
        try:
            objects += objects_of(document)
        except BuildError as error:  # its place counts in what Helm printed
            path = document.root.origin.file.path
            message = f"{wanted.at.text}: what Helm makes of {path} {error.message}"
            raise BuildError(Cause.BAD_CHART, wanted.at, message) from None
    return InflatedObjects(tuple(objects), made.inputs, made.gaps)


def add_objects(whole: Accumulated, made: InflatedObjects, asked_by: Document, entry: Node) -> None:
    """In the order in which Helm prints them; none may be there already, under any name that one had."""
    whole.charts |= dict.fromkeys(made.inputs)
    whole.not_built += made.gaps
    ids = Ids(whole.objects, any_name=True)
    for one in made.objects:
        new = replace(one, asked_by=asked_by)
        if whole.attempt(_is_new, new, ids, entry):
            whole.add(new, entry)


def _is_new(one: Object, ids: Ids, entry: Node) -> bool:
    ids.take(one, entry)
    return True
