"""Objects that are synced together."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..argocd.applications import Application
from ..argocd.argocd_settings import Settings
from ..argocd.effective_options import Effective, effective_options
from ..argocd.identity import Identity, identify
from ..argocd.late_references import Late
from ..argocd.sync_order import Plan
from ..kubernetes.crds import Schemas
from ..kubernetes.references import Graph
from ..kubernetes.resource import Resource
from ..kustomize.kustomization import API_GROUP
from ..yaml.lazy import lazy
from ..yaml.source import SourceFile
from .sources.application_sources import Rendered
from .synced_objects import ObjectSets, SyncedObjects


@dataclass(frozen=True, eq=False)
class App:
    """Objects that are synced together: the unit for everything about order, drift and pruning.

    An Application with what it renders; or, where none is known, a kustomization
    root, a chart or a folder of plain manifests, which nobody knows how to sync.
    """

    name: str
    resources: tuple[Resource, ...]
    schemas: Schemas
    application: Application | None = None
    rendered: tuple[Rendered, ...] = ()
    """What each source of the Application came to."""
    settings: Settings = Settings()
    """Of the Argo CD that syncs it, as far as the repository shows them."""
    template: Application | None = None
    """Where no Application is known: what a set that is not expanded would make one of."""
    sets: ObjectSets = field(default_factory=ObjectSets, repr=False)
    """Those of the repository."""

    @property
    def file(self) -> SourceFile:
        return self.application.resource.file if self.application else self.resources[0].file

    @property
    def certain_application(self) -> Application | None:
        """None, too, where a patch that nobody can follow may make another one of it: rules do not judge such text."""
        return None if self.application is None or self.application.resource.patched else self.application

    @property
    def is_complete(self) -> bool:
        """Whether all of its objects are known: only then can something be said to be missing."""
        return bool(self.rendered) and not any(one.unresolved or one.failures for one in self.rendered)

    @property
    def is_generated(self) -> bool:
        """Whether Argo CD gets its manifests: one source that fails keeps all of them back."""
        return not any(one.failures or (one.build and one.build.errors) for one in self.rendered)

    @property
    def is_refused(self) -> bool:
        """Whether none of its syncs begins: a kustomization among plain manifests is a kind that no cluster knows."""
        return any(
            one.tool == "directory" and any(r.group == API_GROUP for r in one.resources) for one in self.rendered
        )

    @property
    def namespace(self) -> str:
        """The destination; empty when not known."""
        return self.application.destination.namespace if self.application else ""

    @property
    def prunes(self) -> bool | None:
        """By itself; None where neither an Application nor a set for it is known."""
        known = self.application or self.template
        return known.prunes if known else None

    def options_for(self, resource: Resource) -> Effective:
        """How an object is compared, applied and pruned: the one answer, Argo CD's own settings included."""
        return effective_options(resource, self.application or self.template, self.settings)

    def identity(self, resource: Resource) -> Identity | None:
        """Which object of which cluster it is; None when the files do not tell."""
        if resource.patched:
            return None
        return identify(resource, self.application.destination if self.application else None)

    def awaits(self, resource: Resource) -> bool:
        """Whether the sync goes on only once this object is healthy."""
        return any(
            step.is_waited_for(task) for step in self.plan.steps for task in step.tasks if task.resource is resource
        )

    @lazy
    def synced(self) -> SyncedObjects:
        return self.sets.of(self.resources, self.namespace)

    @property
    def plan(self) -> Plan:
        return self.synced.plan

    @property
    def graph(self) -> Graph:
        """Which object names which."""
        return self.synced.graph

    @property
    def late(self) -> tuple[Late, ...]:
        """What is needed before it is applied."""
        return self.synced.late

    @lazy
    def _crds(self) -> dict[str, Resource]:
        return {resource.defines: resource for resource in self.resources if resource.defines}

    def crd_of(self, resource: Resource) -> Resource | None:
        """The definition of a custom resource, if this very app brings it."""
        return self._crds.get(f"{resource.group}/{resource.kind}") if resource.group else None
