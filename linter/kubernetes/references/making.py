"""The Secrets and ConfigMaps that controllers make out of other objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...yaml.source import Node
from ..resource import Resource
from . import table
from .paths import nodes_at


class Made(NamedTuple):
    kind: str
    name: str
    namespace: str
    """Empty for the maker's own."""
    everywhere: bool
    quick: bool


def made_by(resource: Resource, kind: str) -> Iterator[Made]:
    """`kind` is the object's, as the table writes it."""
    for maker in table.makers(kind):
        if _applies(maker, resource):
            kind = _first_text(resource, maker.kind_at) or maker.to
            namespaces = [node.text for node in _nodes(resource, maker.namespace_at)] or [""]
            for name in _names(maker, resource):
                for namespace in namespaces:
                    yield Made(kind, name, namespace, maker.everywhere, maker.quick)


def _applies(maker: table.Maker, resource: Resource) -> bool:
    if maker.only and not table.has_value(resource, maker.only):
        return False
    if any(table.has_value(resource, {path: value}) for path, values in maker.unless.items() for value in values):
        return False
    return not maker.when or any(resource.node.at(*path).present for path in maker.when)


def _names(maker: table.Maker, resource: Resource) -> list[str]:
    if not maker.at and not maker.keys_at:
        return [maker.template.replace("{name}", resource.name)]
    found = [node.text for node in _nodes(resource, maker.at)]
    # Names of objects have no underscores; the operators that take keys as names write a dash.
    found += [key.replace("_", "-") for key, _ in resource.node.at(*maker.keys_at).items()] if maker.keys_at else []
    if found:
        return [maker.template.replace("{name}", resource.name).replace("{}", name) for name in found if name]
    other = _first_text(resource, maker.else_at) or maker.otherwise.replace("{name}", resource.name)
    return [other] if other else []


def _nodes(resource: Resource, path: tuple[str, ...]) -> list[Node]:
    return nodes_at(resource.node, path) if path else []


def _first_text(resource: Resource, path: tuple[str, ...]) -> str:
    return next((node.text for node in _nodes(resource, path)), "")
