"""Files that `crds:` names: OpenAPI definitions that say which fields of custom resources the transformers change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..yaml.source import Node
from .configurations import (
    EMPTY,
    Configuration,
    NameReference,
    configuration_of,
    merge_specs,
    sorted_specs,
    united_references,
)
from .fieldspecs import FieldSpec, split_path
from .kustomize_errors import BuildError, Cause
from .trees import is_null


def from_crds(root: Node) -> Configuration:
    """What OpenAPI definitions of custom resources say with their x-kubernetes- fields."""
    definitions = {}
    for name, definition in _maps_in(root):
        for key, schema in definition.items():
            if key.lower() == "schema":
                definitions[name] = dict(_maps_in(schema["properties"]))
    configuration = EMPTY
    for name, properties in definitions.items():
        if {"kind", "apiVersion", "metadata"} <= properties.keys():
            configuration = configuration.merged(_Definitions(definitions, name).configuration())
    return configuration


def _maps_in(node: Node) -> Iterator[tuple[str, Node]]:
    """The members of a mapping of mappings."""
    if node.raw is None or is_null(node.raw):
        return
    if not node.is_mapping:
        raise BuildError(Cause.UNKNOWN_FIELD, node, "Kustomize wants OpenAPI definitions here and refuses the file")
    for name, value in node.items():
        if not is_null(value.raw):
            if not value.is_mapping:
                raise BuildError(
                    Cause.UNKNOWN_FIELD,
                    value,
                    f"{name} is no OpenAPI definition; crds: takes those, and a CustomResourceDefinition belongs "
                    "under resources:",
                )
            yield name, value


class _Definitions:
    """Walks the properties of one type, and of the types it refers to."""

    def __init__(self, types: Mapping[str, Mapping[str, Node]], name: str) -> None:
        self._types = types
        self._name = name
        self._kind = name.split(".")[-1]
        self._places: dict[FieldSpec, Node] = {}
        self._specs: dict[str, list[FieldSpec]] = {"commonAnnotations": [], "commonLabels": [], "namePrefix": []}
        self._references: list[NameReference] = []

    def configuration(self) -> Configuration:
        self._walk((self._name,), ())
        specs = {name: sorted_specs(merge_specs((), specs, self._places)) for name, specs in self._specs.items()}
        references = united_references((), tuple(self._references), self._places)
        return configuration_of(specs, references, self._places)

    def _walk(self, types: tuple[str, ...], path: tuple[str, ...]) -> None:
        for name, schema in self._types.get(types[-1], {}).items():
            here = (*path, name)
            for key, specs in (
                ("x-kubernetes-annotation", "commonAnnotations"),
                ("x-kubernetes-label-selector", "commonLabels"),
                ("x-kubernetes-identity", "namePrefix"),
            ):
                if isinstance(schema[key].value, str):
                    self._specs[specs].append(self._spec(here, schema))
            version, kind = (schema[f"x-kubernetes-object-ref-{key}"].value for key in ("api-version", "kind"))
            if isinstance(version, str) and isinstance(kind, str):
                name_key = schema["x-kubernetes-object-ref-name-key"].value
                named = self._spec((*here, name_key if isinstance(name_key, str) else "name"), schema)
                self._references.append(NameReference("", version, kind, (named,)))
            inner = schema["$ref"].text
            if inner in types:
                raise BuildError(
                    Cause.BAD_TRANSFORMER,
                    schema["$ref"],
                    f"{inner} contains itself, and Kustomize never ends reading it",
                )
            if inner:
                self._walk((*types, inner), here)

    def _spec(self, path: tuple[str, ...], schema: Node) -> FieldSpec:
        written = "/".join(path)
        spec = FieldSpec("", "", self._kind, split_path(written), False, written)
        self._places[spec] = schema
        return spec
