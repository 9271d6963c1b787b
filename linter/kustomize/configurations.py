"""Transformer configurations: which fields the transformers of a kustomization change, and how those lists merge.

Kustomize's own lists come from a table; `configurations:` and `crds:` add to
them, for the kustomization that names the file and for every one above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any, Final, NamedTuple

from ..facts.tables import table
from ..yaml.source import Node
from .fieldspecs import FieldSpec, FieldSpecs, split_path
from .kustomize_errors import BuildError, Cause
from .trees import is_null

_NO_SPECS: Final = FieldSpecs()
_SPEC_LISTS: Final = (
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "varReference",
    "images",
    "replicas",
)
_NAME_REFERENCE: Final = "nameReference"
_FILE_TYPES: Final = dict.fromkeys((*_SPEC_LISTS, _NAME_REFERENCE), list)
_SPEC_TYPES: Final = {"group": str, "version": str, "kind": str, "path": str, "create": bool}
_REFERENCE_TYPES: Final = {"group": str, "version": str, "kind": str, "fieldSpecs": list}


class NameReference(NamedTuple):
    """The fields, in objects of other kinds, that hold the name of an object of this kind."""

    group: str
    version: str
    kind: str
    fields: tuple[FieldSpec, ...]


@dataclass(frozen=True)
class Configuration:
    name_prefix: FieldSpecs = _NO_SPECS
    name_suffix: FieldSpecs = _NO_SPECS
    namespace: FieldSpecs = _NO_SPECS
    common_labels: FieldSpecs = _NO_SPECS
    labels: FieldSpecs = _NO_SPECS
    """For every entry of `labels:`, besides metadata/labels."""
    template_labels: FieldSpecs = _NO_SPECS
    common_annotations: FieldSpecs = _NO_SPECS
    var_references: FieldSpecs = _NO_SPECS
    images: FieldSpecs = _NO_SPECS
    replicas: FieldSpecs = _NO_SPECS
    name_references: tuple[NameReference, ...] = ()
    places: Mapping[FieldSpec, Node] = field(default_factory=dict, compare=False, repr=False)
    """Where the specs are written that a repository adds."""

    def merged(self, other: Configuration) -> Configuration:
        """Both together, as Kustomize merges them; two specs that differ in nothing but `create` are an error."""
        if other is self or other is EMPTY:
            return self
        if self is EMPTY and other is defaults():
            return other
        places = {**self.places, **other.places} if other.places else self.places
        return Configuration(
            name_prefix=_united(self.name_prefix, other.name_prefix, places),
            name_suffix=_united(self.name_suffix, other.name_suffix, places),
            namespace=_united(self.namespace, other.namespace, places),
            common_labels=_united(self.common_labels, other.common_labels, places),
            labels=_united(self.labels, other.labels, places),
            template_labels=_united(self.template_labels, other.template_labels, places),
            common_annotations=_united(self.common_annotations, other.common_annotations, places),
            var_references=_united(self.var_references, other.var_references, places),
            images=_united(self.images, other.images, places),
            replicas=_united(self.replicas, other.replicas, places),
            name_references=united_references(self.name_references, other.name_references, places),
            places=places,
        )


EMPTY: Final = Configuration()
"""What a build begins with; `defaults` come in with each kustomization."""


def configuration_of(
    specs: Mapping[str, FieldSpecs], references: tuple[NameReference, ...], places: Mapping[FieldSpec, Node]
) -> Configuration:
    """From lists under the names that files give them."""
    return Configuration(
        name_prefix=specs.get("namePrefix", _NO_SPECS),
        name_suffix=specs.get("nameSuffix", _NO_SPECS),
        namespace=specs.get("namespace", _NO_SPECS),
        common_labels=specs.get("commonLabels", _NO_SPECS),
        labels=specs.get("labels", _NO_SPECS),
        template_labels=specs.get("templateLabels", _NO_SPECS),
        common_annotations=specs.get("commonAnnotations", _NO_SPECS),
        var_references=specs.get("varReference", _NO_SPECS),
        images=specs.get("images", _NO_SPECS),
        replicas=specs.get("replicas", _NO_SPECS),
        name_references=references,
        places=places,
    )


def of_kustomization(
    inherited: Configuration, files: Iterable[Configuration], crds: Iterable[Configuration]
) -> Configuration:
    """Of a kustomization whose bases together have the inherited one, in the order in which Kustomize merges."""
    own = inherited.merged(defaults().merged(reduce(Configuration.merged, files, EMPTY)))
    return own.merged(reduce(Configuration.merged, crds, EMPTY))


# -- merging


def merge_specs(
    old: Iterable[FieldSpec], new: Iterable[FieldSpec], places: Mapping[FieldSpec, Node]
) -> list[FieldSpec]:
    """As Kustomize merges: a new spec that is no narrower than an old one of the same path adds nothing.

    So a spec for any kind is lost once there is one for a single kind.
    """
    merged = list(old)
    by_path: dict[str, list[FieldSpec]] = {}
    for spec in merged:
        by_path.setdefault(spec.written_path, []).append(spec)
    for spec in new:
        same_path = by_path.setdefault(spec.written_path, [])
        known = next((one for one in same_path if _is_no_narrower(spec, one)), None)
        if known is None:
            merged.append(spec)
            same_path.append(spec)
        elif known.create != spec.create:
            raise _conflict(known, spec, places)
    return merged


def _is_no_narrower(spec: FieldSpec, other: FieldSpec) -> bool:
    return (
        (not spec.kind or spec.kind == other.kind)
        and (not spec.group or spec.group == other.group)
        and (not spec.version or spec.version == other.version)
    )


def _conflict(known: FieldSpec, spec: FieldSpec, places: Mapping[FieldSpec, Node]) -> BuildError:
    return BuildError(
        Cause.BAD_TRANSFORMER,
        places[spec] if spec in places else places[known],
        f"conflicting field specs for {spec.written_path}: one of {known.kind or 'any kind'} says create: "
        f"{str(known.create).lower()}, one of {spec.kind or 'any kind'} says create: {str(spec.create).lower()}",
    )


def _united(old: FieldSpecs, new: FieldSpecs, places: Mapping[FieldSpec, Node]) -> FieldSpecs:
    if new is old or not new.specs:
        return old
    specs = merge_specs(old, new, places)
    if len(specs) == len(old):
        return old
    return new if not old.specs and len(specs) == len(new) else sorted_specs(specs)


def sorted_specs(specs: Iterable[FieldSpec]) -> FieldSpecs:
    return FieldSpecs(sorted(specs, key=_order))


def united_references(
    old: tuple[NameReference, ...], new: tuple[NameReference, ...], places: Mapping[FieldSpec, Node]
) -> tuple[NameReference, ...]:
    if new is old or not new:
        return old
    by_kind = {one[:3]: one for one in old}
    changed = False
    for reference in new:
        known = by_kind.get(reference[:3])
        specs = tuple(merge_specs(known.fields, reference.fields, places)) if known else reference.fields
        if known is None or len(specs) != len(known.fields):
            by_kind[reference[:3]] = reference._replace(fields=specs)
            changed = True
    return tuple(sorted(by_kind.values(), key=_order)) if changed else old


@cache
def _ranks() -> dict[str, int]:
    """The same order of kinds as that in which objects are written."""
    order = table("kustomize-order.json")
    first = enumerate(order["orderFirst"], -len(order["orderFirst"]))
    last = enumerate(order["orderLast"], 1)
    return {kind: rank for rank, kind in (*first, *last)}


def _order(one: FieldSpec | NameReference) -> tuple[int, str]:
    written = "_".join((one.group or "~G", one.version or "~V", one.kind or "~K"))
    return _ranks().get(one.kind, 0), written


# -- Kustomize's own


@cache
def defaults() -> Configuration:
    facts = table("kustomize-fields.json")
    specs = {name: sorted_specs(map(_known_spec, facts[name])) for name in _SPEC_LISTS}
    references = (
        NameReference(
            one.get("group", ""), one.get("version", ""), one["kind"], tuple(map(_known_spec, one["fieldSpecs"]))
        )
        for one in facts[_NAME_REFERENCE]
    )
    return configuration_of(specs, tuple(sorted(references, key=_order)), {})


def _known_spec(facts: Mapping[str, Any]) -> FieldSpec:
    return FieldSpec(
        facts.get("group", ""),
        facts.get("version", ""),
        facts.get("kind", ""),
        split_path(facts["path"]),
        facts.get("create", False),
        facts["path"],
    )


# -- files that `configurations:` names


def from_file(root: Node) -> Configuration:
    """A transformer configuration that a person wrote; Kustomize reads the first document of the file only."""
    places: dict[FieldSpec, Node] = {}
    specs = {}
    references: tuple[NameReference, ...] = ()
    for key, node in _members(root, _FILE_TYPES):
        if key == _NAME_REFERENCE:
            references = united_references((), tuple(_reference(item, places) for item in node), places)
        else:
            specs[key] = sorted_specs(read_spec(item, places) for item in node)
    return configuration_of(specs, references, places)


def read_spec(node: Node, places: dict[FieldSpec, Node]) -> FieldSpec:
    said = {key: one.value for key, one in _members(node, _SPEC_TYPES)}
    spec = FieldSpec(
        said.get("group", ""),
        said.get("version", ""),
        said.get("kind", ""),
        split_path(said.get("path", "")),
        said.get("create", False),
        said.get("path", ""),
    )
    places[spec] = node
    return spec


def _reference(node: Node, places: dict[FieldSpec, Node]) -> NameReference:
    said = dict(_members(node, _REFERENCE_TYPES))
    group, version, kind = (said[key].text if key in said else "" for key in ("group", "version", "kind"))
    specs = (read_spec(item, places) for item in said["fieldSpecs"]) if "fieldSpecs" in said else ()
    return NameReference(group, version, kind, tuple(specs))


_WORDS: Final[Mapping[type, str]] = {str: "a text", bool: "true or false", list: "a list"}


def _members(node: Node, types: Mapping[str, type]) -> Iterator[tuple[str, Node]]:
    """The members under their proper names; like Go's decoder, it takes names in any case and nulls for nothing."""
    if node.raw is None or is_null(node.raw):
        return
    if not node.is_mapping:
        raise BuildError(Cause.UNKNOWN_FIELD, node, "Kustomize wants a mapping here and refuses the file")
    for again in node.duplicates:
        raise BuildError(Cause.UNKNOWN_FIELD, again, f"the key {again.key!r} is there twice, which Kustomize refuses")
    proper = {name.lower(): name for name in types}
    for key, value in node.items():
        name = proper.get(key.lower())
        if name is None:
            raise BuildError(
                Cause.UNKNOWN_FIELD,
                value,
                f"a transformer configuration has no field {key!r}, and Kustomize refuses it",
            )
        if is_null(value.raw):
            continue
        if not (value.is_sequence if types[name] is list else isinstance(value.value, types[name])):
            raise BuildError(Cause.UNKNOWN_FIELD, value, f"{name} must be {_WORDS[types[name]]}")
        yield name, value
