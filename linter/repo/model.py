"""The repository as rules see it: objects, the Applications that sync them, and a view for each topic."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..argocd.applications import GROUP as ARGO_GROUP
from ..argocd.applications import Application
from ..argocd.effective_options import Effective, effective_options
from ..facts.versions import Versions
from ..kubernetes.crds import Schemas
from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy
from ..yaml.source import Node, Place, SourceFile
from .app import App
from .argocd_setup import ArgoSetup
from .known_paths import KnownPaths
from .kustomizations import Kustomizations
from .reach import Reach
from .reuse import Reuse
from .sources.charts import ChartBuild
from .sources.kustomize_builds import KustomizeBuild, NotAnalysed
from .used_charts import UsedCharts

if TYPE_CHECKING:
    from ..kubernetes.validation import Validation

FLUX_GROUPS: Final = ".toolkit.fluxcd.io"


@dataclass(frozen=True, eq=False)
class Repo:
    files: tuple[SourceFile, ...]
    resources: tuple[Resource, ...]
    apps: tuple[App, ...]
    """The Applications first, then the units that none of them owns."""
    kustomize: Kustomizations = Kustomizations()
    charts: UsedCharts = UsedCharts()
    argocd: ArgoSetup = ArgoSetup()
    paths: KnownPaths = KnownPaths()
    versions: Versions = Versions()
    not_analysed: tuple[NotAnalysed, ...] = ()
    reach: Reach = Reach()
    """Which files are applied at all."""
    whole: bool = False
    """True when all of the repository was read, so that what was not found is not there."""
    data_kinds: Mapping[str, bool] = field(default_factory=dict, repr=False)
    """`group/Kind` → whether deleting one loses data, where the config says so."""
    brought_by: Mapping[str, Place] = field(default_factory=dict, repr=False)
    """By the folder of a fetched thing: the line that names it."""
    owners: dict[int, Resource] = field(default_factory=dict, repr=False)
    reused_by: Callable[[Callable[[str], bool]], Reuse] | None = field(default=None, repr=False)
    """For another revision, given what differs: whether a file, or anything in a folder, does."""

    def file_at(self, path: str) -> SourceFile | None:
        return self._files_by_path.get(path)

    @lazy
    def _files_by_path(self) -> Mapping[str, SourceFile]:
        return {file.path: file for file in self.files}

    def is_applied(self, resource: Resource) -> bool:
        """False for what nobody reads."""
        return self.reach.is_read(resource)

    @lazy
    def is_flux_only(self) -> bool:
        """Flux syncs the repository, and nothing in it speaks of Argo CD."""
        if any(resource.group == ARGO_GROUP for resource in self.resources) or self.argocd.sets:
            return False
        return any(resource.group.endswith(FLUX_GROUPS) for resource in self.resources)

    @lazy
    def applications(self) -> tuple[App, ...]:
        return tuple(app for app in self.apps if app.application is not None)

    def apps_with(self, resource: Resource) -> tuple[App, ...]:
        """The apps that an object is part of, as this very object.

        An Application may be read from a chart with its own values before another one is seen to render that chart.
        """
        return self.apps_of.get(id(resource)) or self._apps_of_applications.get(_written(resource), ())

    @lazy
    def _apps_of_applications(self) -> Mapping[tuple[str, str, str], tuple[App, ...]]:
        """By where an Application is written: the apps whose build has it."""
        found: dict[tuple[str, str, str], list[App]] = {}
        for app in self.applications:
            for resource in app.resources:
                if resource.built and resource.group_kind == f"{ARGO_GROUP}/Application":
                    found.setdefault(_written(resource), []).append(app)
        return {key: tuple(apps) for key, apps in found.items()}

    @lazy
    def apps_of(self) -> Mapping[int, tuple[App, ...]]:
        """By the id of an object: the apps that it is part of."""
        found: dict[int, list[App]] = {}
        for app in self.apps:
            for resource in app.resources:
                found.setdefault(id(resource), []).append(app)
        return {key: tuple(apps) for key, apps in found.items()}

    @lazy
    def builds_of(self) -> Mapping[int, tuple[KustomizeBuild | ChartBuild, ...]]:
        """By the id of an object: the builds that it comes out of."""
        found: dict[int, list[KustomizeBuild | ChartBuild]] = {}
        every: tuple[KustomizeBuild | ChartBuild, ...] = (*self.kustomize.builds, *self.charts.builds)
        for build in every:
            for resource in build.resources:
                found.setdefault(id(resource), []).append(build)
        return {key: tuple(builds) for key, builds in found.items()}

    @lazy
    def chart_builds(self) -> tuple[ChartBuild, ...]:
        """Charts with the values that count: none for an Application that nobody applies."""
        return tuple(
            build
            for build in self.charts.builds
            if build.application is None or self.is_applied(build.application.resource)
        )

    def siblings(self, resource: Resource | None) -> tuple[Resource, ...]:
        """What all builds make of the text that an object was made from, itself included."""
        return self._siblings.get(_written_at(resource), ()) if resource is not None else ()

    @lazy
    def _siblings(self) -> Mapping[object, tuple[Resource, ...]]:
        found: dict[object, list[Resource]] = {}
        for resource in self.resources:
            if resource.built:
                found.setdefault(_written_at(resource), []).append(resource)
        return {key: tuple(resources) for key, resources in found.items()}

    def managers(self, resource: Resource) -> tuple[App, ...]:
        """The Applications that sync an object; of an Application, those above it.

        One that it takes the place of, by name, is gone with the first sync.
        """
        known = self._managers.get(id(resource))
        if known is None:
            known = self._managers[id(resource)] = resource, self._managers_of(resource)
        return known[1]

    @lazy
    def _managers(self) -> dict[int, tuple[Resource, tuple[App, ...]]]:
        """By the id of an object, which is kept, too, so that no other one comes to have it."""
        return {}

    def _managers_of(self, resource: Resource) -> tuple[App, ...]:
        found = (app for app in self.apps_with(resource) if app.application is not None)
        if resource.group != ARGO_GROUP:
            return tuple(found)
        me = (resource.kind, resource.namespace, resource.name)
        others = ((app, app.application.resource) for app in found if app.application is not None)
        return tuple(app for app, one in others if (one.kind, one.namespace, one.name) != me)

    def is_brought(self, resource: Resource) -> bool:
        """Whether something is seen to bring an object to the cluster: an Application, a kustomization, a chart."""
        return resource.built or resource.unrendered or bool(self.managers(resource))

    def is_left_behind(self, resource: Resource) -> bool:
        """Whether no Application brings an Application, where Applications bring others: it may be none any more.

        One that brings others itself is applied by hand.
        """
        if resource.group_kind != f"{ARGO_GROUP}/Application" or not self._has_parents or self.managers(resource):
            return False
        return id(resource) not in self._entrances

    @lazy
    def _entrances(self) -> frozenset[int]:
        """By the ids of their objects: Applications that bring something of Argo CD's."""
        brought = ((app.application, app.resources) for app in self.applications if app.application is not None)
        return frozenset(id(one.resource) for one, found in brought if any(r.group == ARGO_GROUP for r in found))

    @lazy
    def _has_parents(self) -> bool:
        """Whether Applications are brought by others, or by sets that are."""
        applications = (app.application.resource for app in self.applications if app.application is not None)
        return any(map(self.managers, (*applications, *(one.resource for one in self.argocd.sets))))

    def is_in_use(self, project: str) -> bool:
        """Whether an AppProject is applied, as far as is seen: something brings it, or it lies with its Applications.

        Whoever applies Applications by hand applies what is beside them, too.
        """
        found = [one.resource for one in self.argocd.projects_named(project) if one.resource is not None]
        return any(self.is_brought(one) or self._is_beside_its_own(one.file.path, project) for one in found)

    def _is_beside_its_own(self, path: str, project: str) -> bool:
        folder = posixpath.dirname(path)
        above = posixpath.dirname(folder)
        homes = self._folders_by_project.get(project, ())
        return any(one == folder or (above and one.startswith(f"{above}/")) for one in homes)

    @lazy
    def _folders_by_project(self) -> Mapping[str, set[str]]:
        """Where the Applications of each project are written, and the sets that make them."""
        found: dict[str, set[str]] = {}
        for application in (*(app.application for app in self.applications), *self.argocd.templates):
            if application is not None:
                folder = posixpath.dirname(application.resource.file.path)
                found.setdefault(application.project, set()).add(folder)
        return found

    def manager_words(self, resource: Resource) -> str:
        """The Application above an Application or a set, as messages name it."""
        managers = self.managers(resource)
        if not managers:
            return f"an Application that manages {'the set' if resource.kind == 'ApplicationSet' else 'this one'}"
        return f"its parent {managers[0].application}{f' (one of {len(managers)})' if len(managers) > 1 else ''}"

    def in_one_argo_cd(self, first: Application, second: Application) -> bool:
        """Whether two Applications are known to live in the same Argo CD: something brings both of them there."""
        if first.home and second.home:
            return first.home == second.home
        return first.resource is second.resource or self._parents.are_shared(first.resource, second.resource)

    def deploy_to_one_cluster(self, first: Application, second: Application) -> bool:
        """Whether two Applications are known to: in-cluster is one cluster only within one Argo CD."""
        if not first.destination.cluster == second.destination.cluster != "":
            return False
        return not first.destination.is_local or self.in_one_argo_cd(first, second)

    def has_known_definition(self, resource: Resource) -> bool:
        """Whether the schema by which a custom resource is judged is that of its cluster, as far as is seen."""
        crds = self.apps[0].schemas.definitions(resource.group_kind) if self.apps else ()
        return not crds or any(self.are_for_one_cluster(resource, crd) for crd in crds)

    def are_for_one_cluster(self, resource: Resource, crd: Resource) -> bool:
        """Whether a custom resource and a definition of its kind are known to come to the same cluster."""
        if any(app.crd_of(resource) is not None for app in self.apps_with(resource)):
            return True
        own, others = (
            [app.application for app in self.managers(one) if app.application is not None] for one in (resource, crd)
        )
        return any(self.deploy_to_one_cluster(one, other) for one in own for other in others)

    @lazy
    def _parents(self) -> ApplicationParents:
        return ApplicationParents(self.apps_with)

    @lazy
    def broken_for(self) -> Mapping[str, tuple[Application, ...]]:
        """By file: the Applications whose manifests cannot be generated because of it."""
        found: dict[str, dict[int, Application]] = {}
        for app in self.applications:
            for one in app.rendered:
                for failure in one.failures:
                    if app.application:
                        found.setdefault(failure.path, {})[id(app)] = app.application
        return {path: tuple(apps.values()) for path, apps in found.items()}

    def options_of(self, resource: Resource) -> list[Effective]:
        """How each app that has an object treats it; for one that none has, what it says itself."""
        apps = self.apps_with(resource)
        return [app.options_for(resource) for app in apps] or [effective_options(resource)]

    def merging(self, resource: Resource) -> tuple[App, ...]:
        """The apps that are known to compare an object by merging git's into the live one: they compare no hooks."""
        if resource.is_hook or resource.hook.is_skipped or resource.patched:
            return ()
        return tuple(app for app in self.apps_with(resource) if app.options_for(resource).merges)

    @lazy
    def validation(self) -> Validation:
        """The objects against what is known of their kinds."""
        from ..kubernetes.validation import Validation  # tables and walkers that no other part needs

        return Validation(self.resources, self.apps[0].schemas if self.apps else Schemas())

    def owner(self, node: Node | None) -> Resource | None:
        """The object that a place belongs to."""
        while node is not None:
            if id(node.raw) in self.owners:
                return self.owners[id(node.raw)]
            node = node.parent
        return None


def _written_at(resource: Resource) -> object:
    """The identity of the text that an object was made from; a build keeps its mark."""
    raw = resource.node.raw
    return id(raw.start_mark) if raw is not None else None


def _written(resource: Resource) -> tuple[str, str, str]:
    """The file that an object is written in, and what it is called: the same for every values of a chart."""
    return resource.node.origin.file.path, resource.kind, resource.name


# -- what brings an Application to its Argo CD: Applications above it, as far up as that is the same Argo CD

_Group = tuple[int, ...]
"""Ids of the apps that some objects are part of, all of them of the same ones."""


class ApplicationParents:
    def __init__(self, apps_with: Callable[[Resource], tuple[App, ...]]) -> None:
        self._apps_with = apps_with
        self._group_of: dict[int, int] = {}
        """By the id of an object the number of its group: to compare the apps again each time would take long."""
        self._numbers: dict[_Group, int] = {}
        self._apps: list[tuple[App, ...]] = []
        self._above: dict[int, frozenset[int]] = {}
        self._shared: dict[tuple[int, int], bool] = {}

    def are_shared(self, first: Resource, second: Resource) -> bool:
        """Whether some Application brings both."""
        pair = (self._group(first), self._group(second))
        if pair not in self._shared:
            self._shared[pair] = not self._all_above(pair[0]).isdisjoint(self._all_above(pair[1]))
        return self._shared[pair]

    def _group(self, resource: Resource) -> int:
        if id(resource) not in self._group_of:
            apps = self._apps_with(resource)
            number = self._numbers.setdefault(tuple(map(id, apps)), len(self._apps))
            if number == len(self._apps):
                self._apps.append(apps)
            self._group_of[id(resource)] = number
        return self._group_of[id(resource)]

    def _all_above(self, group: int) -> frozenset[int]:
        """Ids of the apps of a group, of those that bring these, and so on."""
        if group not in self._above:
            found: set[int] = set()
            seen, waiting = {group}, [group]
            while waiting:
                for holder in self._apps[waiting.pop()]:
                    if id(holder) in found:
                        continue
                    found.add(id(holder))
                    if holder.application and holder.application.destination.is_local:
                        above = self._group(holder.application.resource)
                        if above not in seen:
                            seen.add(above)
                            waiting.append(above)
            self._above[group] = frozenset(found)
        return self._above[group]
