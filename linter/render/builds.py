"""Kustomize builds as the model sees them: objects that rules look at, errors, and what was not looked into."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from ..kustomize import BuildError, Cause, Kustomization, Object
from ..kustomize.origin import built_document
from ..resource import Resource
from ..versions import Versions
from .tree import Tree

if TYPE_CHECKING:
    from ..kustomize.build import Build

_MAY_CHANGE_OTHERS: Final = frozenset(
    (Cause.BAD_PATCH, Cause.NO_MATCH, Cause.SEVERAL_MATCHES, Cause.BAD_TRANSFORMER, Cause.BAD_REPLACEMENT)
)
"""Errors after which nobody knows what the objects were meant to be."""


class NotAnalysed(NamedTuple):
    """Something in the repository that was recognised and not looked into."""

    path: str
    reason: str
    """The same words for the same reason: reports count them."""
    detail: str = ""


class KustomizeBuild(NamedTuple):
    """What one kustomization comes to."""

    folder: str
    resources: tuple[Resource, ...]
    not_analysed: tuple[NotAnalysed, ...] = ()
    errors: tuple[BuildError, ...] = ()
    """Why Kustomize refuses it; the objects are then what could be built all the same."""
    folders: frozenset[str] = frozenset()
    """Every folder with a kustomization that takes part."""
    files: tuple[str, ...] = ()


class Builds:
    """Every kustomization of the repository, built when somebody asks for it."""

    def __init__(self, tree: Tree, versions: Versions) -> None:
        self._tree = tree
        self._versions = versions
        self._done: dict[object, KustomizeBuild] = {}
        self._resources: dict[int, tuple[Object, Resource]] = {}

    def of(self, folder: str) -> KustomizeBuild:
        if folder not in self._done:
            self._done[folder] = self._seen(self._tree.builder.build(folder))
        return self._done[folder]

    def changed(self, folder: str, change: Callable[[Kustomization], Kustomization]) -> KustomizeBuild:
        """A folder with what one Application adds to its kustomization."""
        return self._seen(self._tree.builder.build(folder, change))

    @property
    def done(self) -> tuple[KustomizeBuild, ...]:
        return tuple(self._done.values())

    def _seen(self, build: Build) -> KustomizeBuild:
        unsure = any(error.cause in _MAY_CHANGE_OTHERS for error in build.errors) or any(
            one.changes_others for one in build.not_built
        )
        resources = []
        for made in build.objects:
            resource = self._resource(made)
            if unsure:
                resource.patched = True
            resources.append(resource)
        unread = dict.fromkeys(NotAnalysed(one.at.file.path, one.reason, one.detail) for one in build.not_built)
        return KustomizeBuild(build.folder, tuple(resources), tuple(unread), build.errors, build.folders, build.files)

    def _resource(self, made: Object) -> Resource:
        """What several builds leave as it is becomes one object for the rules."""
        held = self._resources.get(id(made.root))
        if held is not None:
            return held[1]
        root = built_document(made).root
        kind, api_version = root.texts("kind", "apiVersion")
        resource = Resource(root, api_version, kind, self._versions)
        resource.kustomized = True
        self._resources[id(made.root)] = (made, resource)
        return resource
