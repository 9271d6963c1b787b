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

from ..argo.diff import Shown, shown
from ..defaulting import EMBEDDED, LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVE, Schema, Steps, Stored, fill, store
from ..resource import Resource
from ..source import Node, SourceFile
from ..versions import Version
from .facts import Era, Facts, facts_of
from .folder import SchemaFolder
from .operators import pinned_releases

STRUCTURE: Final = ("properties", "items", "additionalProperties", "default", "nullable")
KEYWORDS: Final = frozenset((*STRUCTURE, PRESERVE, EMBEDDED, LIST_TYPE, LIST_KEYS, MAP_TYPE))
"""All of a schema that defaulting and the diff look at."""
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


class _Default(NamedTuple):
    value: Any
    shown: Shown | None


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

    def _defaults(self, resource: Resource) -> Iterator[tuple[Steps, _Default, Origin]]:
        crds = self._crds.get(f"{resource.group}/{resource.kind}")
        if crds:
            schemas = [self._schema_in(crd, resource.version) for crd in crds]
            return _agreed(resource, [schema for schema in schemas if schema is not None], _crd_origin(crds))
        found = self._folder.find(resource.group, resource.version, resource.kind) if self._folder else None
        if found:
            schema = found.schema if found.crd is None else self._schema_in(found.crd, resource.version)
            return _exact(resource, schema, Origin(f"the schema folder's {found.path}"))
        facts = facts_of(resource.api_version, resource.kind)
        if facts is None:
            return iter(())
        key = (resource.api_version, resource.kind, resource.node.shape)
        if key not in self._by_shape:  # a repository has many objects of a kind, and few ways to write one
            self._by_shape[key] = list(self._from_facts(_value(resource), facts))
        return iter(self._by_shape[key])

    def _from_facts(self, value: Any, facts: Facts) -> Iterator[tuple[Steps, _Default, Origin]]:
        pinned = sorted(self._pinned.get(facts.source, ()))
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
    def _pinned(self) -> Mapping[str, frozenset[Version]]:
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


def _exact(resource: Resource, schema: Schema | None, origin: Origin) -> Iterator[tuple[Steps, _Default, Origin]]:
    if schema is not None:
        value = _value(resource)
        for steps, default in _left_out(value, schema, store(value, schema)):
            yield steps, default, origin


def _agreed(resource: Resource, schemas: Sequence[Schema], origin: Origin) -> Iterator[tuple[Steps, _Default, Origin]]:
    """What all CRDs of the kind say: which of several the cluster has, the files do not tell."""
    found = [list(_exact(resource, schema, origin)) for schema in schemas]
    for entry in found[0] if found else ():
        if all(entry in other for other in found[1:]):
            yield entry


def _crd_origin(crds: Sequence[Resource]) -> Origin:
    return Origin(f"the CRD in {crds[0].file.path}")


def _value(resource: Resource) -> Any:
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
            return _SchemaView(schema) if schema.is_mapping else None
    return None


class _SchemaView(Mapping[str, Any]):
    """A schema in a YAML file, read only where somebody looks: CRDs are large and objects are small."""

    def __init__(self, node: Node) -> None:
        self._node = node

    @cached_property
    def _keywords(self) -> dict[str, Any]:
        return {keyword: _keyword(keyword, node) for keyword, node in self._node.items() if keyword in KEYWORDS}

    def __getitem__(self, keyword: str) -> Any:
        return self._keywords[keyword]

    def get(self, keyword: str, default: Any = None) -> Any:
        return self._keywords.get(keyword, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keywords)

    def __len__(self) -> int:
        return len(self._keywords)


def _keyword(keyword: str, node: Node) -> Any:
    if keyword == "properties":
        # Every key here is a field, also one that is called `default` or `items`.
        return {field: _SchemaView(schema) for field, schema in node.items() if schema.is_mapping}
    if keyword in ("items", "additionalProperties") and node.is_mapping:
        return _SchemaView(node)
    return node.value
