"""What Kustomize knows about the fields of a kind: which lists are merged, and by which keys.

It knows that from one OpenAPI document: its own, or the one that a
kustomization names, which takes the place of its own altogether.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ...facts.tables import table
from ...yaml.json_pointer import unescaped
from ...yaml.source import Node
from ..kustomize_errors import BuildError, Cause
from ..objects import Gvk

Definitions = Mapping[str, Any]

_GVK: Final = "x-kubernetes-group-version-kind"
_STRATEGY: Final = "x-kubernetes-patch-strategy"
_KEY: Final = "x-kubernetes-patch-merge-key"
_KEYS: Final = "x-kubernetes-list-map-keys"
_REF: Final = "#/definitions/"
_OWN_GROUP: Final = "kustomize.config.k8s.io"

BUILT_IN_VERSION: Final = "v1.21.2"
"""The Kubernetes release whose OpenAPI document Kustomize carries, and the one that `openapi.version` may name."""


class Schema:
    """One place in an OpenAPI document; what is below it is looked up when somebody asks."""

    __slots__ = ("_definitions", "_elements", "_fields", "_node", "_rest", "merge_keys")

    def __init__(self, node: Mapping[str, Any], definitions: Definitions, rest: Schema | None = None) -> None:
        self._node = node
        self._definitions = definitions
        self._rest = rest
        """Of what the document leaves out."""
        self._fields: dict[str, Schema | None] = {}
        self._elements: Schema | None = None
        self.merge_keys = _merge_keys(node)
        """By which the items of two lists are paired; none for a list of scalars; None for what is replaced whole."""

    def field(self, name: str) -> Schema | None:
        if name not in self._fields:
            node = _mapping(self._node.get("properties")).get(name, self._node.get("additionalProperties"))
            self._fields[name] = self._at(node)
        return self._fields[name]

    def elements(self) -> Schema | None:
        """Of the items of a list."""
        if self._elements is None and self._node.get("type") in ("array", ["array"]):
            self._elements = self._at(self._node.get("items"))
        return self._elements

    def _at(self, node: Any) -> Schema | None:
        for _ in range(len(self._definitions) + 1):  # references may lead in a circle
            if not isinstance(node, Mapping):
                break
            ref = node.get("$ref")
            if not ref:
                return Schema(node, self._definitions, self._rest)
            name = unescaped(str(ref).removeprefix(_REF))
            node = self._definitions.get(name)
        return self._rest


def _merge_keys(node: Mapping[str, Any]) -> tuple[str, ...] | None:
    strategy = node.get(_STRATEGY)
    if not isinstance(strategy, str) or "merge" not in strategy.split(","):
        return None
    keys = node.get(_KEYS)
    if isinstance(keys, list):
        return tuple(str(key) for key in keys)
    return (str(node[_KEY]),) if _KEY in node else ()


class _NothingMerged(Schema):
    """Of what is known and has no list to merge below it."""

    def __init__(self) -> None:
        super().__init__({}, {})

    def field(self, name: str) -> Schema:
        return self

    def elements(self) -> Schema:
        return self


_NOTHING_MERGED: Final = _NothingMerged()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def demand_known_version(openapi: Node) -> None:
    """Of the documents that `openapi` may name by version Kustomize has one, and none besides a file."""
    version = openapi["version"]
    if version.present and openapi["path"].scalar_text:
        raise BuildError(Cause.UNKNOWN_FIELD, version, "openapi may have a version or a path, not both")
    if version.text and version.text != BUILT_IN_VERSION:
        message = f"Kustomize has no OpenAPI document of {version.scalar_text}, only that of {BUILT_IN_VERSION}"
        raise BuildError(Cause.UNKNOWN_FIELD, version, message)


class Schemas:
    """The kinds of one OpenAPI document."""

    def __init__(self, definitions: Definitions | None = None, *, is_chosen: bool = False) -> None:
        self.is_chosen = is_chosen
        """A kustomization has named it: those below it have no say any more."""
        self._definitions = table("kustomize-openapi.json")["definitions"] if definitions is None else definitions
        self._roots = _built_in() if definitions is None else _roots(definitions)

    def of(self, gvk: Gvk) -> Schema | None:
        return self._roots.get(gvk)

    def with_definitions(self, value: Any, *, beside: bool = False) -> Schemas:
        """Those of the document that a kustomization names under `openapi.path`.

        Kustomize forgets the built-in kinds then; `beside` is for the case that
        it had made use of them before it came to that kustomization.
        """
        own = {name: one for name, one in self._definitions.items() if beside or _is_own(one)}
        return Schemas({**own, **_mapping(_mapping(value).get("definitions"))}, is_chosen=True)


def _is_own(definition: Any) -> bool:
    """Kustomize's own kinds are known besides any other document."""
    return any(_mapping(one).get("group") == _OWN_GROUP for one in _mapping(definition).get(_GVK) or ())


@cache
def _built_in() -> dict[Gvk, Schema]:
    """The table has the lists to merge and no other fields: what it lacks is known all the same."""
    return _roots(table("kustomize-openapi.json")["definitions"], _NOTHING_MERGED)


def _roots(definitions: Definitions, rest: Schema | None = None) -> dict[Gvk, Schema]:
    found: dict[Gvk, Schema] = {}
    for one in definitions.values():
        kinds = _mapping(one).get(_GVK)
        if isinstance(kinds, list) and kinds:
            schema = Schema(one, definitions, rest)
            for kind in map(_mapping, kinds):
                found[Gvk(*(str(kind.get(part) or "") for part in ("group", "version", "kind")))] = schema
    return found
