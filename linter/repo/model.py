"""The repository as rules see it: objects, and the Applications that sync them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..argocd.applications import GROUP as ARGO_GROUP
from ..argocd.applications import Application, Destination, template_application
from ..argocd.argocd_settings import Settings
from ..argocd.effective_options import Effective, effective_options
from ..argocd.identity import Identity, identify
from ..argocd.ignore_entries import IgnoreEntry, entries_in, entries_of
from ..argocd.ignored_differences import Steps, covers, ignores
from ..argocd.late_references import Late, late_references
from ..argocd.sync_order import Plan, make_plan
from ..argocd.target_revision import follows_main_line
from ..argocd.this_repo import normal_url
from ..dialects.phrases import by_line as by_line  # rules take it from here
from ..facts.versions import Versions
from ..helm.chart import Chart, Files
from ..kubernetes.crds import Schemas
from ..kubernetes.references import Graph, build_graph
from ..kubernetes.resource import Resource
from ..kustomize.outline import Outline
from ..yaml.lazy import lazy
from ..yaml.source import Node, Patch, SourceFile
from .ownership import ApplicationSet
from .reach import Reach
from .reuse import Reuse
from .sources.application_sources import Rendered
from .sources.build_refusals import Cause, Refusal, find_refusals
from .sources.charts import ChartBuild
from .sources.kustomize_builds import KustomizeBuild, NotAnalysed, steps_of
from .sources.rewrites import Rewrites

if TYPE_CHECKING:
    from ..argocd.applicationsets import Problem
    from ..argocd.projects import AppProject
    from ..argocd.verdicts import Verdict
    from ..kubernetes.validation import Validation
    from .sources.chart_proofs import Proofs
    from .sources.chart_uses import ChartUse
    from .sources.chart_views import ChartView

FLUX_GROUPS: Final = ".toolkit.fluxcd.io"


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

    @property
    def file(self) -> SourceFile:
        return self.application.resource.file if self.application else self.resources[0].file

    @property
    def is_complete(self) -> bool:
        """Whether all of its objects are known: only then can something be said to be missing."""
        return bool(self.rendered) and not any(one.unresolved or one.failures for one in self.rendered)

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

    @lazy
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
    reach: Reach = Reach()
    """Which files are applied at all."""
    sets: tuple[ApplicationSet, ...] = ()
    builds: tuple[KustomizeBuild, ...] = ()
    """Every kustomization that was built, with what went wrong."""
    whole: bool = False
    """True when all of the repository was read, so that what was not found is not there."""
    owners: dict[int, Resource] = field(default_factory=dict, repr=False)
    folders: frozenset[str] = frozenset()
    """Every folder, ``.`` for the root."""
    known_urls: frozenset[str] = frozenset()
    """Addresses of this repository, normalised: what git and the config say."""
    empty_folders: frozenset[str] = frozenset()
    """Perhaps submodules that are not checked out: git itself keeps no empty folder."""
    settings: Settings = Settings()
    """What the repository shows of Argo CD's own settings."""
    kustomizations: Mapping[str, Outline] = field(default_factory=dict)
    """By folder: every kustomization file of this run."""
    rewrites: Rewrites | None = field(default=None, repr=False)
    chart_builds: tuple[ChartBuild, ...] = ()
    """Every chart with every set of values that it was rendered with, or would have been."""
    reused_by: Callable[[Callable[[str], bool]], Reuse] | None = field(default=None, repr=False)
    """For another revision, given what differs: whether a file, or anything in a folder, does."""
    charts: Mapping[str, Chart] = field(default_factory=dict)
    """By folder: every chart of this run, those within other charts included."""
    prove: Callable[[Collection[str]], Proofs] | None = field(default=None, repr=False)
    """Given folders of charts: what two renderings of each do not agree on."""
    reachable: Files | None = field(default=None, repr=False)
    """Opens any file of the repository, also such that a run does not look at by itself."""

    def is_applied(self, resource: Resource) -> bool:
        """False for what nobody reads."""
        return resource.node.origin.file.path not in self.reach.unread

    def has_file(self, path: str) -> bool:
        return self.reachable is not None and self.reachable.source(path) is not None

    @lazy
    def chart_uses(self) -> tuple[ChartUse, ...]:
        """The sources of Applications that are charts of this repository."""
        if not self.charts:
            return ()
        from .sources.chart_uses import ChartUse  # only where there are charts

        return tuple(
            ChartUse(app.application, one, self.charts[one.path])
            for app in self.applications
            for one in app.rendered
            if app.application and one.tool == "helm" and one.path in self.charts and not one.missing
        )

    @lazy
    def rendered_charts(self) -> tuple[Chart, ...]:
        """Those that Argo CD renders by themselves, or may: none that only lies within another one."""
        used = {id(use.chart) for use in self.chart_uses}
        return tuple(one for one in self.charts.values() if id(one) in used or not (one.is_subchart or one.is_library))

    def renders(self, chart: Chart) -> bool:
        """Whether an Application renders the chart; taken for granted where no Application is known."""
        return not self.applications or any(use.chart is chart for use in self.chart_uses)

    @lazy
    def chart_views(self) -> Mapping[str, tuple[ChartView, ...]]:
        """By folder: each chart with the values that it is rendered with, at least with its own."""
        if not self.charts:
            return {}
        from .sources.chart_views import views_of  # only where there are charts

        return views_of(self.charts, self.chart_uses)

    @lazy
    def template_files(self) -> tuple[SourceFile, ...]:
        """Templates, partials and notes of all charts."""
        return tuple(file for chart in self.charts.values() for file in chart.templates.files)

    @lazy
    def is_flux_only(self) -> bool:
        """Flux syncs the repository, and nothing in it speaks of Argo CD."""
        if any(resource.group == ARGO_GROUP for resource in self.resources) or self.sets:
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
        every: tuple[KustomizeBuild | ChartBuild, ...] = (*self.builds, *self.chart_builds)
        for build in every:
            for resource in build.resources:
                found.setdefault(id(resource), []).append(build)
        return {key: tuple(builds) for key, builds in found.items()}

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
        """The Applications that sync an object; of an Application, those above it."""
        return tuple(
            app
            for app in self.apps_with(resource)
            if app.application is not None and app.application.resource is not resource
        )

    def is_brought(self, resource: Resource) -> bool:
        """Whether something is seen to bring an object to the cluster: an Application, a kustomization, a chart."""
        return resource.built or resource.unrendered or bool(self.managers(resource))

    def is_in_use(self, project: str) -> bool:
        """Whether an AppProject is applied, as far as is seen: something brings it, or it lies with Applications.

        Whoever applies Applications by hand applies what is beside them, too.
        """
        found = [one.resource for one in self._projects.get(project, ()) if one.resource is not None]
        return any(self.is_brought(one) or self._is_beside_applications(one.file.path) for one in found)

    def _is_beside_applications(self, path: str) -> bool:
        folder = posixpath.dirname(path)
        above = posixpath.dirname(folder)
        return any(one == folder or (above and one.startswith(f"{above}/")) for one in self._application_folders)

    @lazy
    def _application_folders(self) -> frozenset[str]:
        written = [app.application.resource for app in self.applications if app.application]
        written += (one.resource for one in self.sets)
        return frozenset(posixpath.dirname(one.file.path) for one in written)

    def manager_words(self, resource: Resource) -> str:
        """The Application above an Application or a set, as messages name it."""
        managers = self.managers(resource)
        if not managers:
            return f"an Application that manages {'the set' if resource.kind == 'ApplicationSet' else 'this one'}"
        return f"its parent {managers[0].application}{f' (one of {len(managers)})' if len(managers) > 1 else ''}"

    def in_one_argo_cd(self, first: Application, second: Application) -> bool:
        """Whether two Applications are known to live in the same Argo CD: something brings both of them there."""
        return not self._holders(first).isdisjoint(self._holders(second))

    def _holders(self, application: Application) -> set[int]:
        """Ids of what brings an Application to its Argo CD, as far up as that is the same one."""
        key = id(application.resource)
        if key not in self._known_holders:
            self._known_holders[key] = self._found_holders(application)
        return self._known_holders[key]

    @lazy
    def _known_holders(self) -> dict[int, set[int]]:
        """By the id of what writes an Application: a set may make thousands of them."""
        return {}

    def _found_holders(self, application: Application) -> set[int]:
        found = {id(application.resource)}
        waiting = [application.resource]
        while waiting:
            for holder in self.apps_with(waiting.pop()):
                if id(holder) not in found:
                    found.add(id(holder))
                    if holder.application and holder.application.destination.is_local:
                        waiting.append(holder.application.resource)
        return found

    def is_here(self, url: str) -> bool:
        """Whether an address is surely this repository's: git or the config says so, or a path of it is found here."""
        return normal_url(url) in self._own_urls

    def path_here(self, address: str) -> str | None:
        """The path that an address leads to, if it leads into this repository: of a base, or of a file of GitHub's."""
        text = normal_url(address.partition("?")[0]).replace("raw.githubusercontent.com/", "github.com/", 1)
        for url in self._own_urls:
            if text == url or text.startswith((f"{url}/", f"{url}.git/")):
                length = len(text) - len(text.removeprefix(url).removeprefix(".git").lstrip("/"))
                return address.partition("?")[0].rstrip("/")[length - len(text) :] if length < len(text) else "."
        return None

    @lazy
    def _own_urls(self) -> frozenset[str]:
        seen = (one for app in self.applications for one in app.rendered if one.path not in ("", ".") and one.tool)
        return self.known_urls | {normal_url(one.source.repo_url) for one in seen}

    def refusals(self, *causes: Cause) -> list[Refusal]:
        """What keeps kustomizations from being built, of these causes."""
        return find_refusals(self.kustomize_builds, self.users_of, causes, others_are_known=bool(self.applications))

    @lazy
    def kustomize_builds(self) -> tuple[KustomizeBuild, ...]:
        """Those that Kustomize does for Argo CD, or may do: without folders that Applications leave to other tools."""
        rendered = [one for app in self.applications for one in app.rendered if one.tool]
        used = {id(one.build) for one in rendered if one.build}
        others = {one.path for one in rendered if not one.build}
        return tuple(build for build in self.builds if id(build) in used or build.folder not in others)

    @lazy
    def users_of(self) -> Mapping[int, tuple[Application, ...]]:
        """By the id of a build: the Applications that sync it as it is in this checkout, or may."""
        found: dict[int, list[Application]] = {}
        for app in self.applications:
            for one in app.rendered:
                if one.build and app.application and follows_main_line(one.source.target_revision) is not False:
                    found.setdefault(id(one.build), []).append(app.application)
        return {key: tuple(applications) for key, applications in found.items()}

    def difference_after(self, patch: Patch) -> str:
        """Why what is built would not stay the same after a patch of a kustomization; empty if it would."""
        return self.rewrites.difference(patch) if self.rewrites else "nothing was built"

    def labels_go_alike(self, kustomization: Outline) -> bool:
        """Whether `labels` with includeSelectors surely go where `commonLabels` do."""
        if self.rewrites is None or kustomization.is_component:
            return False
        return self.rewrites.labels_go_alike(kustomization.folder)

    def builds_with(self, place: Node) -> list[KustomizeBuild]:
        """The builds in which a patch with a target, or an image, has a part."""
        return [build for build in self.builds if _mark_of(place) in build.reached]

    def changed_by(self, place: Node) -> tuple[Resource, ...]:
        """The objects of all builds that something in a kustomization has changed."""
        return self._changed_by.get(_mark_of(place), ())

    @lazy
    def _changed_by(self) -> Mapping[int, tuple[Resource, ...]]:
        found: dict[int, dict[int, Resource]] = {}
        for build in self.builds:
            for resource in build.resources:
                for step in steps_of(resource):
                    found.setdefault(_mark_of(step.at), {})[id(resource)] = resource
        return {mark: tuple(resources.values()) for mark, resources in found.items()}

    @lazy
    def idle_entries(self) -> tuple[Node, ...]:
        """Patches with a target, and images, that found nothing to change in any build."""
        found: dict[int, Node] = {}
        busy: set[int] = set()
        for build in self.kustomize_builds:
            for key, reach in build.reached.items():
                found.setdefault(key, reach.entry)
                if reach.found:
                    busy.add(key)
        return tuple(entry for key, entry in found.items() if key not in busy)

    def nearest_path(self, path: str) -> str | None:
        """What may be meant by a path that is not there: something of a like name beside it, or the only namesake."""
        from difflib import get_close_matches  # only for what is wrong

        by_folder, by_name = self._paths
        above, name = posixpath.split(path)
        close = get_close_matches(name, by_folder.get(above, ()), n=1, cutoff=0.75)
        if close:
            return posixpath.join(above, close[0])
        namesakes = by_name.get(name, ())
        return namesakes[0] if len(namesakes) == 1 else None

    @lazy
    def _paths(self) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
        """Names by folder, and paths by name, of all files and folders."""
        by_folder: dict[str, list[str]] = {}
        by_name: dict[str, list[str]] = {}
        for path in sorted({*self.folders, *(file.path for file in self.files)} - {"."}):
            above, name = posixpath.split(path)
            by_folder.setdefault(above, []).append(name)
            by_name.setdefault(name, []).append(path)
        return by_folder, by_name

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

    def set_problems(self, kinds: Collection[str]) -> Iterator[tuple[Node, Resource, Problem]]:
        """What is wrong with the ApplicationSets, of these kinds, and where it is written."""
        for one in self.sets:
            for problem in one.expansion.problems:
                if problem.kind.value in kinds:
                    yield one.resource.node.find(problem.pointer), one.resource, problem

    @lazy
    def templates(self) -> tuple[Application, ...]:
        """For sets whose Applications are not known: what all of these have in common, as it is written."""
        unknown = (one.resource for one in self.sets if one.expansion.unresolved and not one.expansion.applications)
        return tuple(found for resource in unknown if (found := template_application(resource)) is not None)

    @lazy
    def _projects(self) -> Mapping[str, tuple[AppProject, ...]]:
        if not any(resource.kind == "AppProject" for resource in self.resources):
            return {}
        from ..argocd.known_projects import known_projects  # most repositories have no AppProject

        return known_projects([one for one in self.resources if self.is_applied(one)], self.files)

    def resolved(self, destination: Destination) -> Destination:
        """With both the URL and the name of its cluster, where a Secret in the repository shows them."""
        server = destination.server or self._clusters.get(destination.name, "")
        name = destination.name or self._clusters.get(destination.server.rstrip("/"), "")
        return Destination(server, name, destination.namespace)

    @lazy
    def _clusters(self) -> Mapping[str, str]:
        from ..argocd.known_projects import known_clusters  # asked for only where there are AppProjects

        return known_clusters(self.resources)

    @property
    def projects(self) -> tuple[AppProject, ...]:
        """Those that are read as they are applied: no kustomization changes them later."""
        found = (project for projects in self._projects.values() for project in projects)
        return tuple(project for project in found if project.resource is not None and not project.resource.patched)

    def applications_in(self, project: AppProject) -> tuple[Application, ...]:
        """The Applications of a project, as far as they are in the repository."""
        found = (app.application for app in self.governed)
        return tuple(one for one in found if one is not None and one.project == project.name)

    @lazy
    def governed(self) -> tuple[App, ...]:
        """The Applications whose project is in the repository."""
        return tuple(app for app in self.applications if app.application and app.application.project in self._projects)

    def denial(self, application: Application, ask: Callable[[AppProject], Verdict]) -> Verdict | None:
        """Why the project of an Application denies something; None if it does not, or nobody can tell."""
        first: Verdict | None = None
        for project in self._projects.get(application.project, ()):
            verdict = ask(project)
            if not verdict.is_denied:
                return None
            first = first or verdict
        return first

    @lazy
    def ignore_entries(self) -> tuple[IgnoreEntry, ...]:
        """Every item of ignoreDifferences: of Applications, of sets, and of Argo CD's own settings."""
        owners = (one for one in self.resources if one.kind in ("Application", "ApplicationSet") and not one.patched)
        return (*(entry for one in owners for entry in entries_of(one)), *entries_in(self.settings.customizations))

    def ignores(self, app: App, resource: Resource, path: Steps) -> bool:
        """Whether Argo CD's settings or the Application ignore a difference at this path, or nobody can tell."""
        if any(covers(rule, path) for rule in self.settings.ignored(resource.group, resource.kind)):
            return True
        return app.application is not None and ignores(app.application, resource, path)

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

    def overrides_health(self, group: str, kind: str) -> bool:
        """Whether the repository gives Argo CD a health check of its own for the kind."""
        return self.settings.health_check(group, kind) is not None

    def owner(self, node: Node | None) -> Resource | None:
        """The object that a place belongs to."""
        while node is not None:
            if id(node.raw) in self.owners:
                return self.owners[id(node.raw)]
            node = node.parent
        return None


def _mark_of(place: Node) -> int:
    """By which a place is known in all builds, whatever became of its text."""
    return id(place.raw.start_mark) if place.raw is not None else 0


def _written_at(resource: Resource) -> object:
    """The identity of the text that an object was made from; a build keeps its mark."""
    raw = resource.node.raw
    return id(raw.start_mark) if raw is not None else None


def _written(resource: Resource) -> tuple[str, str, str]:
    """The file that an object is written in, and what it is called: the same for every values of a chart."""
    return resource.node.origin.file.path, resource.kind, resource.name
