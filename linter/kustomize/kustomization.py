"""A kustomization file: its fields, checked as Kustomize checks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..facts.file_names import KUSTOMIZATIONS
from ..yaml.compose import Mapping as RawMapping
from ..yaml.lazy import lazy
from ..yaml.source import Document, Node, SourceFile, Span, Spot
from .build_files import Files, is_own, joined
from .kustomize_errors import BuildError, Cause
from .trees import is_null
from .typed_fields import Decoder

API_GROUP: Final = "kustomize.config.k8s.io"
COMPONENT: Final = "Component"
_VERSIONS: Final = {"Kustomization": f"{API_GROUP}/v1beta1", COMPONENT: f"{API_GROUP}/v1alpha1"}
CHART_FIELDS: Final = ("helmCharts", "helmChartInflationGenerator")
_MOVED: Final = {"resources": "bases", "images": "imageTags"}
"""Fields that take up the items of an older one."""


@dataclass(frozen=True, eq=False)
class Kustomization:
    """A file that passed Kustomize's checks, with what an Application adds to it."""

    folder: str
    document: Document
    root: Node
    replaced: Mapping[str, Node] = field(default_factory=dict)
    """Fields that an Application sets in place of the file's."""
    listed: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    """All items of a list that an Application has changed, each where it is written."""
    added: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    """Items that an Application appends."""

    @property
    def is_component(self) -> bool:
        return self.root["kind"].text == COMPONENT

    def one(self, name: str) -> Node:
        return self.replaced.get(name) or self.root[name]

    def items(self, name: str) -> Iterator[Node]:
        return self._items(name) if name in self._given else iter(())

    @lazy
    def _given(self) -> frozenset[str]:
        """The fields that are there at all: some thirty are asked for, and most files have four."""
        names = {name for name, _ in self.root.items()}
        moved = (new for new, old in _MOVED.items() if old in names)
        return frozenset((*names, *moved, *self.replaced, *self.listed, *self.added))

    def _items(self, name: str) -> Iterator[Node]:
        if name in self.listed:
            yield from self.listed[name]
            return
        yield from self.one(name)
        if name in _MOVED:
            yield from self.root[_MOVED[name]]
        yield from self.added.get(name, ())


def find_file(files: Files, folder: str, *, restricted: bool = True) -> SourceFile | None:
    """The kustomization file of a folder; several are refused, and a link out of the folder is none."""
    paths = [joined(folder, name) for name in KUSTOMIZATIONS]
    there = [file for path in paths if (file := files.source(path)) is not None]
    found = [file for file in there if not restricted or is_own(files, folder, file.path)]
    if len(found) > 1:
        raise BuildError(
            Cause.SEVERAL_FILES,
            Spot(found[1], Span(0, 0)),
            f"there is {found[0].path} in the same folder, and Kustomize refuses a folder with two kustomization files",
        )
    return found[0] if found else None


def read(file: SourceFile, folder: str) -> Kustomization:
    if file.problems:
        problem = file.problems[0]
        raise BuildError(Cause.BAD_MANIFEST, Spot(file, problem.span), f"cannot be read: {problem.message}")
    document = file.documents[0] if file.documents else None
    if document is None or is_null(document.raw) or not document.raw.value:
        raise BuildError(Cause.EMPTY, Spot(file, Span(0, 0)), "the kustomization is empty, and Kustomize refuses it")
    if not isinstance(document.raw, RawMapping):
        raise BuildError(Cause.UNKNOWN_FIELD, document.root, "a kustomization must be a mapping")
    # Kustomize drops merge keys and takes names in any case: the checked tree has neither.
    checked = Document(file, 0, Decoder(file).decoded(document.raw, "Kustomization"))
    root = checked.root
    if not any(_says_something(value) for key, value in root.items() if key not in ("kind", "apiVersion")):
        raise BuildError(Cause.EMPTY, document.root, "the kustomization is empty, and Kustomize refuses it")
    _check_version(root)
    return Kustomization(folder, checked, root)


def _says_something(value: Node) -> bool:
    return (not is_null(value.raw) and value.value not in ("", {})) or value.is_sequence


def _check_version(root: Node) -> None:
    kind = root["kind"].text or "Kustomization"
    if kind not in _VERSIONS:
        raise BuildError(Cause.UNKNOWN_FIELD, root["kind"], f"kind {kind}: Kustomize wants Kustomization or Component")
    version = root["apiVersion"]
    if version.text and version.text != _VERSIONS[kind]:
        raise BuildError(Cause.UNKNOWN_FIELD, version, f"apiVersion of a {kind} must be {_VERSIONS[kind]}")
