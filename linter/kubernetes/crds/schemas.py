"""Where the schemas of custom resources come from, and which of their defaults an object leaves out.

Asked in this order: the CRDs in the repository, which are what the cluster will
have; the folder of schemas that the user names; the table of well-known CRDs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from ...facts.versions import Version
from ...yaml.lazy import lazy
from ...yaml.source import Node, SourceFile
from ..defaulting import (
    EMBEDDED,
    INT_OR_STRING,
    LIST_KEYS,
    LIST_TYPE,
    MAP_TYPE,
    PRESERVE,
    Schema,
    Steps,
    Stored,
    fill,
    store,
    stray_nulls,
)
from ..merge_diff import Shown, shown
from ..resource import Resource
from .facts import Era, Facts, facts_of
from .folder import SchemaFolder
from .operators import pinned_releases

STRUCTURE: Final = ("type", "properties", "items", "additionalProperties", "default", "nullable")
VALIDATION: Final = """
    enum required pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
    minItems maxItems minProperties maxProperties allOf anyOf oneOf not x-kubernetes-validations
""".split()
KEYWORDS: Final = frozenset(
    (*STRUCTURE, *VALIDATION, PRESERVE, EMBEDDED, INT_OR_STRING, LIST_TYPE, LIST_KEYS, MAP_TYPE)
)
"""All of a schema that defaulting, the diff and validation look at."""
LARGEST_OBJECT: Final = 100_000
"""In values. etcd takes 1.5 MB; what is larger here has grown through aliases and is left alone."""


class Origin(NamedTuple):
    """Who says that there is a default."""

    text: str
    """For messages: ``the CRD in crds/widget.yaml``, ``external-secrets 0.16 to 2.8``."""
    certain: bool = True
    """The cluster's release is known to have it, or all releases looked at have it: the field can be written out."""
    current: bool = True
    """The newest release that can be meant has it."""


@dataclass(frozen=True)
class Unpinned:
    """A field that the API server fills in because git leaves it out, or has null there."""

    place: Node
    """The field itself, in most cases absent; ``place.parent`` is the mapping that lacks it."""
    default: Any
    shown: Shown | None
    """How Argo CD's structured-merge diff shows it; None if it does not."""
    origin: Origin


class Refused(NamedTuple):
    """What a CRD does not take, if nothing is dropped or filled in before it is asked."""

    place: Node
    is_null: bool
    """An explicit null; else a field that the schema does not have."""
    origin: Origin


class _Default(NamedTuple):
    value: Any
    shown: Shown | None


class Exact(NamedTuple):
    """What is known of a kind from definitions of it."""

    schemas: list[Schema]
    """Several where the files do not tell which CRD the cluster has; none where the server does not look."""
    origin: Origin


class Schemas:
    def __init__(
        self,
        schema_dir: Path | None = None,
        resources: Sequence[Resource] = (),
        files: Sequence[SourceFile] = (),
    ) -> None:
        self._schema_dir = schema_dir
        self._folder = SchemaFolder(schema_dir) if schema_dir else None
        self._resources = resources
        self._files = files
        self._crds: dict[str, list[Resource]] = defaultdict(list)
        for resource in resources:
            if resource.defines and resource["spec"]["versions"].is_sequence:
                self._crds[resource.defines].append(resource)
        self._views: dict[tuple[int, str], Schema | None] = {}
        self._unpinned: dict[int, list[Unpinned]] = {}
        self._by_shape: dict[tuple[object, ...], list[tuple[Steps, _Default, Origin]]] = {}

    def with_crds(self, resources: Iterable[Resource], files: Iterable[SourceFile] = ()) -> Schemas:
        """These schemas, with those first that the repository brings itself.

        `files` are looked at for releases of operators, should one be needed.
        """
        return Schemas(self._schema_dir, tuple(resources), tuple(files))

    def unpinned(self, resource: Resource) -> list[Unpinned]:
        """The defaults that the object leaves out. One may be told twice, if only some releases show it in the diff."""
        if "." not in resource.group:
            return []
        key = id(resource.node.raw)
        if key not in self._unpinned:  # an object may be part of many apps
            self._unpinned[key] = [
                Unpinned(resource.node.at(*steps), default.value, default.shown, origin)
                for steps, default, origin in self._defaults(resource)
                if steps[0] != "status"  # not taken from the manifest
            ]
        return self._unpinned[key]

    def refused(self, resource: Resource) -> list[Refused]:
        """What server-side apply refuses of the object, all schemas of its kind agreeing; nothing where none is known.

        Status is not taken from the manifest, and metadata is not the schema's business.
        """
        exact = self.exact(resource) if "." in resource.group else None
        if exact is None or not exact.schemas:
            return []
        value = bounded_value(resource)
        found = [dict.fromkeys(_faults(value, schema)) for schema in exact.schemas]
        return [
            Refused(resource.node.at(*steps), is_null, exact.origin)
            for steps, is_null in found[0]
            if steps[0] not in ("status", "metadata") and all((steps, is_null) in other for other in found[1:])
        ]

    def definitions(self, group_kind: str) -> Sequence[Resource]:
        """The CRDs in the repository that define a kind."""
        return self._crds.get(group_kind, ())

    def exact(self, resource: Resource) -> Exact | None:
        """By the CRDs in the repository, else by the user's folder; None where neither has the kind."""
        crds = self._crds.get(f"{resource.group}/{resource.kind}")
        if crds:
            schemas = [self._schema_in(crd, resource.version) for crd in crds]
            return Exact([schema for schema in schemas if schema is not None], _crd_origin(crds))
        found = self._folder.find(resource.group, resource.version, resource.kind) if self._folder else None
        if found is None:
            return None
        schema = found.schema if found.crd is None else self._schema_in(found.crd, resource.version)
        return Exact([schema] if schema is not None else [], Origin(f"the schema folder's {found.path}"))

    def _defaults(self, resource: Resource) -> Iterator[tuple[Steps, _Default, Origin]]:
        exact = self.exact(resource)
        if exact is not None:
            return _agreed(resource, exact.schemas, exact.origin)
        facts = facts_of(resource.api_version, resource.kind)
        if facts is None:
            return iter(())
        key = (resource.api_version, resource.kind, resource.node.shape)
        if key not in self._by_shape:  # a repository has many objects of a kind, and few ways to write one
            self._by_shape[key] = list(self._from_facts(bounded_value(resource), facts))
        return iter(self._by_shape[key])

    def _from_facts(self, value: Any, facts: Facts) -> Iterator[tuple[Steps, _Default, Origin]]:
        pinned = sorted(self.pinned.get(facts.source, ()))
        eras = [era for release in pinned if (era := facts.at(release))] if pinned else facts.eras
        having: dict[tuple[Steps, Shown | None, str], list[int]] = defaultdict(list)
        found: dict[tuple[Steps, Shown | None, str], _Default] = {}
        last: dict[tuple[Steps, bool], int] = {}
        for index, era in enumerate(eras):
            for steps, default in _left_out(value, era.schema, fill(value, era.schema)):
                key = (steps, default.shown, json.dumps(default.value, sort_keys=True))
                having[key].append(index)
                found[key] = default
                last[steps[:-1], default.shown is not None] = index
        for key, indices in having.items():
            steps = key[0]
            # Of one place only what goes together: fields and values of older releases may be wrong in newer ones.
            if indices[-1] == last[steps[:-1], found[key].shown is not None]:
                yield steps, found[key], _origin(facts, eras, indices, bool(pinned))

    def _schema_in(self, crd: Resource, version: str) -> Schema | None:
        key = (id(crd), version)
        if key not in self._views:
            self._views[key] = crd_schema(crd, version)
        return self._views[key]

    @cached_property
    def pinned(self) -> Mapping[str, frozenset[Version]]:
        """By operator: the releases that the repository itself names."""
        return pinned_releases(self._resources, self._files)


def _origin(facts: Facts, eras: Sequence[Era], having: Sequence[int], pinned: bool) -> Origin:
    if pinned:
        releases = f"{' and '.join(str(eras[index].first) for index in having)}, which this repository uses"
    else:
        releases = facts.releases(having)
    return Origin(
        text=f"{facts.source} {releases}".rstrip(),
        certain=len(having) == len(eras) and (pinned or facts.oldest != facts.newest),
        current=having[-1] == len(eras) - 1,
    )


def _exact(resource: Resource, schema: Schema, origin: Origin) -> Iterator[tuple[Steps, _Default, Origin]]:
    value = bounded_value(resource)
    for steps, default in _left_out(value, schema, store(value, schema)):
        yield steps, default, origin


def _faults(value: Any, schema: Schema) -> Iterator[tuple[Steps, bool]]:
    yield from ((steps, True) for steps in stray_nulls(value, schema))
    yield from ((steps, False) for steps in store(value, schema).unknown)


def _agreed(resource: Resource, schemas: Sequence[Schema], origin: Origin) -> Iterator[tuple[Steps, _Default, Origin]]:
    """What all CRDs of the kind say: which of several the cluster has, the files do not tell."""
    found = [list(_exact(resource, schema, origin)) for schema in schemas]
    for entry in found[0] if found else ():
        if all(entry in other for other in found[1:]):
            yield entry


def _crd_origin(crds: Sequence[Resource]) -> Origin:
    return Origin(f"the CRD in {crds[0].file.path}")


def bounded_value(resource: Resource) -> Any:
    """None for an object beyond measure."""
    value = resource.node.value
    rest, size = [value], 0
    while rest and size < LARGEST_OBJECT:
        inner = rest.pop()
        size += 1
        rest += inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
    return None if rest else value


def _left_out(value: Any, schema: Schema, stored: Stored) -> Iterator[tuple[Steps, _Default]]:
    for steps in stored.filled:
        default = stored.value
        for step in steps:
            default = default[step]
        yield steps, _Default(default, shown(value, schema, steps))


# -- CRDs as YAML


def crd_schema(crd: Resource, version: str) -> Schema | None:
    """The schema of one version; None where the API server does not default."""
    spec = crd["spec"]
    if crd.version != "v1" or spec["preserveUnknownFields"].value is True:
        return None
    for entry in spec["versions"]:
        if entry["name"].text == version and entry["served"].value is not False:
            schema = entry["schema"]["openAPIV3Schema"]
            return SchemaView(schema) if schema.is_mapping else None
    return None


class SchemaView(Mapping[str, Any]):
    """A schema in a YAML file, read only where somebody looks: CRDs are large and objects are small."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @lazy
    def keywords(self) -> dict[str, Any]:
        """As a dictionary, for those who ask for many."""
        return {keyword: _keyword(keyword, node) for keyword, node in self._node.items() if keyword in KEYWORDS}

    def __getitem__(self, keyword: str) -> Any:
        return self.keywords[keyword]

    def get(self, keyword: str, default: Any = None) -> Any:
        return self.keywords.get(keyword, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keywords)

    def __len__(self) -> int:
        return len(self.keywords)


def _keyword(keyword: str, node: Node) -> Any:
    if keyword == "properties":
        # Every key here is a field, also one that is called `default` or `items`.
        return {field: SchemaView(schema) for field, schema in node.items() if schema.is_mapping}
    if keyword in ("items", "additionalProperties") and node.is_mapping:
        return SchemaView(node)
    return node.value
