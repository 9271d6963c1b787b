"""Which Applications a finding touches: those that have its object, are it, or build from its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from posixpath import dirname

from ..argocd.applications import Application
from ..kubernetes.resource import Resource
from ..repo.model import Repo
from ..yaml.lazy import lazy
from ..yaml.source import SourceFile


def _above(path: str) -> list[str]:
    """The folders that a file is in."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


class Touched:
    """Asked for every finding, so that what the answers have in common is made once."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo

    def by(self, resource: Resource | None, file: SourceFile) -> tuple[str, ...]:
        """The names of the Applications, each once."""
        found = self._with(resource) if resource is not None else self._reading(file.path)
        return tuple(dict.fromkeys(self._names[id(one)] for one in found if id(one) in self._names))

    def _with(self, resource: Resource) -> Iterable[Application]:
        made = self._made_by.get(id(resource))
        if made:
            return made
        alike = self._repo.siblings(resource) or (resource,)
        return [app.application for one in alike for app in self._repo.managers(one) if app.application]

    def _reading(self, path: str) -> Iterable[Application]:
        """Of a file that is no object: a kustomization, a part of a chart, a file that breaks its folder."""
        found = list(self._repo.broken_for.get(path, ()))
        folder = dirname(path) or "."
        found += [one for build in self._builds.get(folder, ()) for one in self._repo.kustomize.users_of.get(build, ())]
        inside = (use for use in self._repo.charts.uses if use.chart.folder in (".", "", *_above(path)))
        return [*found, *(use.application for use in inside)]

    @lazy
    def _names(self) -> Mapping[int, str]:
        """By the id of an Application: its name, with the namespace where the name alone is not clear."""
        applications = [app.application for app in self._repo.applications if app.application]
        places = {(one.namespace, one.name) for one in applications}
        count = Counter(name for _, name in places)
        return {id(one): one.name if count[one.name] == 1 else f"{one.namespace}/{one.name}" for one in applications}

    @lazy
    def _made_by(self) -> Mapping[int, list[Application]]:
        """By the id of an object: the Applications that it is, or that it makes."""
        found: dict[int, list[Application]] = {}
        for app in self._repo.applications:
            if app.application:
                found.setdefault(id(app.application.resource), []).append(app.application)
        return found

    @lazy
    def _builds(self) -> Mapping[str, list[int]]:
        """By folder: the ids of the builds that it has a part in."""
        found: dict[str, list[int]] = {}
        for build in self._repo.kustomize.builds:
            for folder in build.folders:
                found.setdefault(folder, []).append(id(build))
        return found
