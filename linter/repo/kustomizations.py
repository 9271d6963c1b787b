"""What the repository has of Kustomize, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from ..argocd.applications import Application
from ..dialects.target_revision import follows_main_line
from ..kubernetes.resource import Resource
from ..kustomize.outline import Outline
from ..yaml.lazy import lazy
from ..yaml.source import Node, Patch
from .app import App
from .sources.build_refusals import Cause, Refusal, find_refusals
from .sources.kustomize_builds import KustomizeBuild, steps_of
from .sources.rewrites import Rewrites


@dataclass(frozen=True, eq=False)
class Kustomizations:
    applications: tuple[App, ...] = ()
    builds: tuple[KustomizeBuild, ...] = ()
    """Every kustomization that was built, with what went wrong."""
    by_folder: Mapping[str, Outline] = field(default_factory=dict)
    """Every kustomization file of this run."""
    rewrites: Rewrites | None = field(default=None, repr=False)
    has_sets: bool = False
    """ApplicationSets are there, whether or not they could be expanded."""
    may_be_built: Callable[[str], bool] = field(default=lambda _: False, repr=False)
    """Whether a set that could not be expanded may have a folder built."""

    def refusals(self, *causes: Cause) -> list[Refusal]:
        """What keeps kustomizations from being built, of these causes."""
        found = find_refusals(self.used_builds, self.users_of, causes, others_are_known=self.others_are_known)
        return [replace(one, may_be_built=self._may_have_built(one.folders)) for one in found]

    def _may_have_built(self, folders: Collection[str]) -> bool:
        is_pinned = not self._asked_for.isdisjoint(folders)
        return is_pinned or any(map(self.may_be_built, folders))

    @property
    def others_are_known(self) -> bool:
        """Whether the repository shows Applications at all: what none of them builds is then likely out of use."""
        return bool(self.applications) or self.has_sets

    @lazy
    def _asked_for(self) -> frozenset[str]:
        """Folders that Applications have built, at whatever revision."""
        return frozenset(one.path for app in self.applications for one in app.rendered if one.build)

    @lazy
    def used_builds(self) -> tuple[KustomizeBuild, ...]:
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
        for build in self.used_builds:
            for key, reach in build.reached.items():
                found.setdefault(key, reach.entry)
                if reach.found:
                    busy.add(key)
        return tuple(entry for key, entry in found.items() if key not in busy)


def _mark_of(place: Node) -> int:
    """By which a place is known in all builds, whatever became of its text."""
    return id(place.raw.start_mark) if place.raw is not None else 0
