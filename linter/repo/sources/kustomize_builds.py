"""Kustomize builds as the model sees them: objects that rules look at, errors, and what was not looked into."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from ...facts import limits
from ...facts.versions import Versions
from ...kubernetes.resource import KUSTOMIZED, Provenance, Resource
from ...kustomize import BuildError, Cause, Kustomization, Object, Step
from ...kustomize.build_origin import BuiltDocument, built_document
from ...programs import watch
from ...yaml.source import Node
from ..tree import Tree

if TYPE_CHECKING:
    from ...kustomize.accumulated import Reach
    from ...kustomize.builder import Build
    from ...kustomize.kustomize_binary import RealKustomize
    from ..reuse import Reuse

Change = Callable[[Kustomization], Kustomization]

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
    met_limit: bool = False
    """True for what was begun and not brought to an end: the run did not do all of its job."""
    hides_objects: bool = True
    """False where every object is known all the same."""

    @property
    def words(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


def missing_in(items: Iterable[NotAnalysed]) -> tuple[str, ...]:
    """Why some objects of a build are not known, in words."""
    return tuple(dict.fromkeys(item.words for item in items if item.hides_objects))


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
    charts: tuple[str, ...] = ()
    """Folders of charts that it renders, and the files of values for them."""
    reached: Mapping[int, Reach] = {}
    """By the identity of its text: whether a patch with a target, or an image, found something to change."""

    @property
    def label(self) -> str:
        """How messages name it."""
        return self.folder


def steps_of(resource: Resource) -> Sequence[Step]:
    """What a build did to an object, in order."""
    document = resource.node.document
    return document.steps if isinstance(document, BuiltDocument) else ()


def has_hash(resource: Resource) -> bool:
    """Whether its name ends in a hash of its content, so that another content makes it another object."""
    document = resource.node.document
    return isinstance(document, BuiltDocument) and document.made.needs_hash


def builds_of(tree: Tree, versions: Versions, kustomize: RealKustomize | None, reuse: Reuse | None = None) -> Builds:
    if kustomize is None:
        return Builds(tree, versions, reuse)
    from .binary_builds import RealBuilds  # starts processes, which nothing else does

    return RealBuilds(tree, versions, kustomize)


class Builds:
    """Every kustomization of the repository, built when somebody asks for it."""

    def __init__(self, tree: Tree, versions: Versions, reuse: Reuse | None = None) -> None:
        self._tree = tree
        self._versions = versions
        self._reuse = reuse
        """Of another revision, from which unchanged builds are taken."""
        self._allowance = watch.Allowance(limits.BUILD_SECONDS, limits.BUILDS_SECONDS)
        self._done: dict[str, KustomizeBuild] = {}
        self._done_for: dict[object, KustomizeBuild] = {}
        self._resources: dict[tuple[object, ...], tuple[Object, Resource]] = {}
        self.changes: dict[str, list[Change]] = {}
        """By folder: what Applications add to its kustomization."""

    def of(self, folder: str) -> KustomizeBuild:
        if folder not in self._done:
            reused = self._reuse.build(folder) if self._reuse else None
            self._done[folder] = reused or self._built(folder)
        return self._done[folder]

    def _built(self, folder: str, change: Change | None = None) -> KustomizeBuild:
        with self._allowance.piece() as piece:
            return self._seen(self._tree.builder.build(folder, change))
        unread = NotAnalysed(folder, f"a build that {piece.over}", met_limit=True)
        return KustomizeBuild(folder, (), (unread,), folders=frozenset((folder,)))

    def built(self, folder: str) -> KustomizeBuild | None:
        """None where nobody has asked for it."""
        return self._done.get(folder)

    def built_for(self, key: object) -> KustomizeBuild | None:
        return self._done_for.get(key)

    def for_application(self, folder: str, change: Change | None, path: Node, key: object = None) -> KustomizeBuild:
        """A folder with what one Application adds to its kustomization; `path` is where it names the folder.

        The key tells apart what is added: equal ones make equal builds of equal files.
        """
        if not self._tree.builder.has_kustomization(folder):
            message = f"{folder} has no kustomization file, and the Application says that Kustomize builds it"
            error = BuildError(Cause.NO_KUSTOMIZATION, path, message, sought=folder)
            return KustomizeBuild(folder, (), errors=(error,))
        if change is None:
            return self.of(folder)
        self.changes.setdefault(folder, []).append(change)
        reused = self._reuse.build_for((folder, key)) if self._reuse and key is not None else None
        build = reused or self._built(folder, change)
        if key is not None:
            self._done_for[folder, key] = build
        return build

    def has_folder(self, path: str) -> bool:
        return self._tree.reachable.is_folder(posixpath.normpath(path))

    @property
    def done(self) -> tuple[KustomizeBuild, ...]:
        return tuple(self._done.values())

    def _seen(self, build: Build) -> KustomizeBuild:
        unsure = any(error.cause in _MAY_CHANGE_OTHERS for error in build.errors) or any(
            one.changes_others for one in build.not_built
        )
        provenance = KUSTOMIZED._replace(unsure=unsure)
        unread = dict.fromkeys(
            NotAnalysed(one.at.file.path, one.reason, one.detail, one.met_limit) for one in build.not_built
        )
        return KustomizeBuild(
            build.folder,
            tuple(self._resource(made, provenance) for made in build.objects),
            tuple(unread),
            build.errors,
            build.folders,
            build.files,
            build.charts,
            build.reached,
        )

    def _resource(self, made: Object, provenance: Provenance = KUSTOMIZED) -> Resource:
        """What several builds leave as it is becomes one object for the rules, if all of them are sure of it."""
        key = (id(made.root), made.steps, provenance)
        held = self._resources.get(key)
        if held is not None:
            return held[1]
        # With a root of its own: by that the model tells whose a place is.
        own = replace(made, root=copy(made.root)) if provenance.unsure else made
        resource = self._resource_at(built_document(own).root, provenance)
        self._resources[key] = (made, resource)
        return resource

    def _resource_at(self, root: Node, provenance: Provenance = KUSTOMIZED) -> Resource:
        kind, api_version = root.texts("kind", "apiVersion")
        return Resource(root, api_version, kind, self._versions, provenance)
