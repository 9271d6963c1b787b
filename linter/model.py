"""The repository as rules see it: objects, and the Applications that sync them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .argo.plan import Plan, make_plan
from .crds import Schemas
from .references import Graph, build_graph
from .render.units import NotAnalysed, group
from .resource import Resource, resources_in
from .source import Node, SourceFile
from .versions import Versions


@dataclass(frozen=True)
class AppOptions:
    """What the Application says about its syncs; None where no Application is known."""

    prunes: bool | None = None
    """automated.prune"""
    server_side_apply: bool | None = None
    server_side_diff: bool | None = None
    namespace: str = ""
    """The destination; empty when not known."""


@dataclass(frozen=True, eq=False)
class App:
    """Objects that are synced together: the unit for everything about order, drift and pruning.

    Until Applications are read, each kustomization root, each chart and each
    folder of plain manifests is one, with its options unknown.
    """

    name: str
    resources: tuple[Resource, ...]
    schemas: Schemas
    options: AppOptions = AppOptions()

    @cached_property
    def plan(self) -> Plan:
        return make_plan(self.resources, self.options.namespace)

    @cached_property
    def graph(self) -> Graph:
        """Which object names which."""
        return build_graph(self.resources, self.options.namespace)

    @cached_property
    def _crds(self) -> dict[str, Resource]:
        return {resource.defines: resource for resource in self.resources if resource.defines}

    def crd_of(self, resource: Resource) -> Resource | None:
        """The definition of a custom resource, if this very app brings it."""
        return self._crds.get(f"{resource.group}/{resource.kind}") if resource.group else None


@dataclass(frozen=True, eq=False)
class Repo:
    files: tuple[SourceFile, ...]
    resources: tuple[Resource, ...]
    apps: tuple[App, ...]
    versions: Versions = Versions()
    not_analysed: tuple[NotAnalysed, ...] = ()
    unnamed: frozenset[str] = frozenset()
    """Files beside a kustomization that no kustomization names: Argo CD does not read them."""
    owners: dict[int, Resource] = field(default_factory=dict, repr=False)

    def owner(self, node: Node | None) -> Resource | None:
        """The object that a place belongs to."""
        while node is not None:
            if id(node.raw) in self.owners:
                return self.owners[id(node.raw)]
            node = node.parent
        return None


def build_repo(
    files: Sequence[SourceFile],
    versions: Versions = Versions(),
    schemas: Schemas | None = None,
    templates: Sequence[str] = (),
) -> Repo:
    """`templates` are the files that hold Helm templates: recognised, not read."""
    by_file = {file.path: [r for d in file.documents for r in resources_in(d.root, versions)] for file in files}
    grouped = group(files, by_file)
    members = {id(r): r for unit in grouped.units for r in unit.resources}
    resources = tuple(r for found in by_file.values() for r in found if id(r) in members)
    schemas = (schemas or Schemas()).with_crds(resources, files)
    return Repo(
        files=tuple(files),
        resources=resources,
        apps=tuple(App(unit.name, unit.resources, schemas) for unit in grouped.units if unit.resources),
        versions=versions,
        not_analysed=(
            *(NotAnalysed(path, "a Helm template; charts are not rendered yet") for path in templates),
            *grouped.not_analysed,
        ),
        unnamed=grouped.unnamed,
        owners={id(r.node.raw): r for r in resources},
    )
