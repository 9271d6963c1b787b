"""What makes two manifests one object in one cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..dialects.spelling import is_placeholder
from ..facts.tables import is_cluster_scoped

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from .applications import Destination


class Identity(NamedTuple):
    cluster: str
    group: str
    kind: str
    namespace: str
    name: str


def identify(resource: Resource, destination: Destination | None) -> Identity | None:
    """As Argo CD sees it once the destination's namespace is filled in; None when that cannot be told.

    A custom kind that nobody knows may live outside namespaces. It gets the namespace all the same:
    at worst two objects that are one are taken for two.
    """
    cluster = destination.cluster if destination else ""
    namespace = "" if is_cluster_scoped(resource.group, resource.kind) else resource.namespace
    if not namespace and destination and not is_cluster_scoped(resource.group, resource.kind):
        namespace = destination.namespace
    parts = Identity(cluster, resource.group, resource.kind, namespace, resource.name)
    return None if not resource.name or any(map(is_placeholder, parts)) else parts
