"""The repository as rules see it: objects, and the Applications that sync them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .argo.applications import Application
from .argo.effective import Effective, effective_options
from .argo.plan import Plan, make_plan
from .crds import Schemas
from .references import Graph, build_graph
from .render.detect import complete
from .render.ownership import ApplicationSet, Owned, find_owners
from .render.sources import Rendered
from .render.tree import Tree
from .render.units import NotAnalysed, build_kustomizations, remaining_units
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

    @classmethod
    def of(cls, application: Application) -> AppOptions:
        return cls(
            prunes=application.prunes,
            server_side_apply=application.server_side_apply,
            server_side_diff=application.server_side_diff,
            namespace=application.destination.namespace,
        )


@dataclass(frozen=True, eq=False)
class App:
    """Objects that are synced together: the unit for everything about order, drift and pruning.

    An Application with what it renders; or, where none is known, a kustomization
    root, a chart or a folder of plain manifests, with its options unknown.
    """

    name: str
    resources: tuple[Resource, ...]
    schemas: Schemas
    options: AppOptions = AppOptions()
    application: Application | None = None
    rendered: tuple[Rendered, ...] = ()
    """What each source of the Application came to."""

    @property
    def file(self) -> SourceFile:
        return self.application.resource.file if self.application else self.resources[0].file

    @property
    def is_complete(self) -> bool:
        """Whether all of its objects are known: only then can something be said to be missing."""
        return bool(self.rendered) and not any(one.unresolved or one.failures for one in self.rendered)

    def effective(self, resource: Resource) -> Effective:
        """What the Application's options and the object's own come to."""
        return effective_options(resource, self.application)

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
    """The Applications first, then the units that none of them owns."""
    versions: Versions = Versions()
    not_analysed: tuple[NotAnalysed, ...] = ()
    unnamed: frozenset[str] = frozenset()
    """Files beside a kustomization that no kustomization names: Argo CD does not read them."""
    sets: tuple[ApplicationSet, ...] = ()
    whole: bool = False
    """True when all of the repository was read, so that what was not found is not there."""
    owners: dict[int, Resource] = field(default_factory=dict, repr=False)

    @cached_property
    def applications(self) -> tuple[App, ...]:
        return tuple(app for app in self.apps if app.application is not None)

    @cached_property
    def apps_of(self) -> Mapping[int, tuple[App, ...]]:
        """By the id of an object: the apps that it is part of."""
        found: dict[int, list[App]] = {}
        for app in self.apps:
            for resource in app.resources:
                found.setdefault(id(resource), []).append(app)
        return {key: tuple(apps) for key, apps in found.items()}

    def owner(self, node: Node | None) -> Resource | None:
        """The object that a place belongs to."""
        while node is not None:
            if id(node.raw) in self.owners:
                return self.owners[id(node.raw)]
            node = node.parent
        return None


@dataclass(frozen=True)
class Surroundings:
    """What is known of the repository besides the files that hold manifests."""

    folders: Sequence[str] = ()
    templates: Sequence[str] = ()
    """Helm templates: recognised, not read."""
    others: Sequence[SourceFile] = ()
    remotes: Sequence[str] = ()
    repo_urls: Sequence[str] = ()
    base: str = "."
    """The folder that was asked for: a repository within the repository counts its paths from there."""
    whole: bool = False


def build_repo(
    files: Sequence[SourceFile],
    versions: Versions = Versions(),
    schemas: Schemas | None = None,
    around: Surroundings = Surroundings(),
) -> Repo:
    by_file = {file.path: [r for d in file.documents for r in resources_in(d.root)] for file in files}
    tree = Tree(files, by_file, around.folders, around.templates, around.others, around.base, whole=around.whole)
    versions = complete(versions, tree)
    for resource in (resource for found in by_file.values() for resource in found):
        resource.versions = versions
    builds = build_kustomizations(tree)
    owners = find_owners(tree, builds, versions, (*around.remotes, *around.repo_urls))
    units = remaining_units(tree, builds, owners.folders, owners.files)
    members = {id(r) for group in (*owners.owned, *units) for r in group.resources}
    resources = tuple(r for found in by_file.values() for r in found if id(r) in members)
    known = (schemas or Schemas()).with_crds(resources, files)
    templates = (NotAnalysed(path, "a Helm template; charts are not rendered yet") for path in around.templates)
    unread = dict.fromkeys(item for build in builds.values() for item in build.not_analysed)
    return Repo(
        files=tuple(files),
        resources=resources,
        apps=(
            *(_app(owned, known) for owned in owners.owned),
            *(App(unit.name, unit.resources, known) for unit in units if unit.resources),
        ),
        versions=versions,
        not_analysed=(*templates, *unread),
        unnamed=tree.unnamed,
        sets=owners.sets,
        whole=around.whole,
        owners={id(r.node.raw): r for r in resources},
    )


def _app(owned: Owned, schemas: Schemas) -> App:
    application = owned.application
    return App(application.name, owned.resources, schemas, AppOptions.of(application), application, owned.rendered)
