"""What cannot be said to be added or removed, because the other revision is not known there.

A file that does not parse, or a kustomization that does not build, has no
objects for us and fails for Argo CD, which then leaves everything as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from ..kubernetes.resource import Resource
from ..repo.app import App
from ..repo.model import Repo
from ..yaml.lazy import lazy
from .object_pairs import key_of


class Unknown:
    """Of one revision: what is not known."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo

    def covers(self, app: App | None, resource: Resource, name_here: Callable[[str], str]) -> bool:
        """Whether an object of the other revision may be here all the same."""
        if name_here(resource.file.path) in self._files:
            return True
        return app is not None and key_of(app) in self._apps

    @lazy
    def _files(self) -> frozenset[str]:
        return frozenset(file.path for file in self._repo.files if file.problems)

    @lazy
    def _apps(self) -> frozenset[tuple[str, str, str]]:
        failing = {build.folder for build in self._repo.kustomize.builds if build.errors}
        if not failing:
            return frozenset()
        return frozenset(key_of(app) for app in self._repo.apps if _is_built_from(app, failing)) | {
            ("unit", "", folder) for folder in failing
        }


def _is_built_from(app: App, failing: set[str]) -> bool:
    if app.application is None:
        return app.name in failing
    return any(one.build is not None and one.build.errors for one in app.rendered)
