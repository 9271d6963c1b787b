"""Argo CD's own setup, as far as the repository shows it: settings, sets, projects, clusters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..argocd.applications import Application, Destination, template_application
from ..argocd.argocd_settings import Settings
from ..argocd.clusters import SECRET_TYPE
from ..argocd.ignore_entries import IgnoreEntry, entries_in, entries_of
from ..argocd.ignored_differences import Steps, is_ignored
from ..kubernetes.resource import Resource
from ..yaml.lazy import lazy
from ..yaml.source import Node, SourceFile
from .app import App
from .ownership import ApplicationSet
from .reach import Reach

if TYPE_CHECKING:
    from ..argocd.applicationsets import Problem
    from ..argocd.projects import AppProject
    from ..argocd.verdicts import Verdict


@dataclass(frozen=True, eq=False)
class ArgoSetup:
    applications: tuple[App, ...] = ()
    sets: tuple[ApplicationSet, ...] = ()
    settings: Settings = Settings()
    resources: tuple[Resource, ...] = ()
    """All objects of the repository: projects and clusters are among them."""
    files: tuple[SourceFile, ...] = ()
    reach: Reach = Reach()

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

        # Only these are looked at, and to ask of every object where it stands would render every chart again.
        wanted = (one for one in self.resources if one.kind == "AppProject" or one.labels[SECRET_TYPE].present)
        return known_projects([one for one in wanted if self.reach.is_read(one)], self.files)

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
        return is_ignored(self.settings, app.application, resource, path)

    def overrides_health(self, group: str, kind: str) -> bool:
        """Whether the repository gives Argo CD a health check of its own for the kind."""
        return self.settings.health_check(group, kind) is not None

    def projects_named(self, name: str) -> tuple[AppProject, ...]:
        """More than one where overlays make different ones of it."""
        return self._projects.get(name, ())
