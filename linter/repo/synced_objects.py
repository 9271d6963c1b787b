"""What follows from the objects of an app and the namespace they go to: made once for all apps that have the same.

An ApplicationSet deploys one folder to fifty clusters; what its objects need of each other is one answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..argocd.late_references import Late, late_references
from ..argocd.sync_order import Plan, make_plan
from ..kubernetes.references import Graph, build_graph
from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy


@dataclass(frozen=True, eq=False)
class SyncedObjects:
    resources: tuple[Resource, ...]
    namespace: str
    """The destination; empty when not known."""

    @lazy
    def plan(self) -> Plan:
        return make_plan(self.resources, self.namespace)

    @lazy
    def graph(self) -> Graph:
        """Which object names which."""
        return build_graph(self.resources, self.namespace)

    @lazy
    def late(self) -> tuple[Late, ...]:
        """What is needed before it is applied."""
        return tuple(late_references(self.graph, self.plan))


@dataclass(frozen=True, eq=False)
class ObjectSets:
    """Of one repository."""

    _known: dict[tuple[str, tuple[int, ...]], SyncedObjects] = field(default_factory=dict)

    def of(self, resources: tuple[Resource, ...], namespace: str) -> SyncedObjects:
        key = namespace, tuple(map(id, resources))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = SyncedObjects(resources, namespace)
        return found
