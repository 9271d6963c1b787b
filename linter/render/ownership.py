"""Which Application owns which objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..argo.applications import GROUP, Application
from ..argo.this_repo import Belief, ThisRepo
from ..resource import Resource
from ..versions import Versions
from .sources import Rendered, Renderer
from .tree import Tree
from .units import KustomizeBuild

if TYPE_CHECKING:
    from ..argo.applicationsets import Expansion, Supplied


@dataclass(frozen=True, eq=False)
class ApplicationSet:
    """A set, and what it would make of the files as they are."""

    resource: Resource
    expansion: Expansion


@dataclass(frozen=True, eq=False)
class Owned:
    application: Application
    rendered: tuple[Rendered, ...]

    @property
    def resources(self) -> tuple[Resource, ...]:
        return tuple({id(r): r for one in self.rendered for r in one.resources}.values())


@dataclass(frozen=True)
class Owners:
    owned: tuple[Owned, ...] = ()
    sets: tuple[ApplicationSet, ...] = ()
    folders: frozenset[str] = field(default_factory=frozenset)
    """Folders that are the path of an Application."""
    files: frozenset[str] = field(default_factory=frozenset)
    """Files that an Application reads."""


def find_owners(
    tree: Tree,
    builds: Mapping[str, KustomizeBuild],
    versions: Versions,
    known_urls: Sequence[str],
    supplied: Supplied | None = None,
) -> Owners:
    objects = [r for path, found in tree.by_file.items() if path not in tree.not_objects for r in found]
    written = [r for r in objects if r.group == GROUP and r.kind == "Application"]
    makers = [r for r in objects if r.group == GROUP and r.kind == "ApplicationSet"]
    if not written and not makers:
        return Owners()
    applications = [Application(r.node.value, r) for r in written]
    used = {s.repo_url for one in applications for s in one.sources if not s.chart}
    used |= {url for maker in makers for url in _urls_in(maker.node.value)}
    this_repo = ThisRepo.decide(known_urls, (), used)
    sets = [_expand(maker, tree, this_repo, supplied) for maker in makers if not maker.patched]
    for one in sets:
        applications += [Application(made.value, one.resource, made.origin) for made in one.expansion.applications]
    renderer = Renderer(tree, builds, this_repo, versions)
    owned = tuple(Owned(one, _rendered(renderer, one)) for one in applications)
    return Owners(
        owned,
        tuple(sets),
        folders=frozenset(one.path for app in owned for one in app.rendered if one.path),
        files=frozenset(r.file.path for app in owned for r in app.resources),
    )


def _rendered(renderer: Renderer, application: Application) -> tuple[Rendered, ...]:
    if application.resource.patched:
        reason = ("a kustomization changes the Application, and patches are not applied yet",)
        return tuple(Rendered(source, unresolved=reason) for source in application.sources)
    return renderer.render(application)


def _expand(maker: Resource, tree: Tree, this_repo: ThisRepo, supplied: Supplied | None) -> ApplicationSet:
    # Templates and generators are half of the tool; most repositories have no ApplicationSet.
    from ..argo.applicationsets import expand

    def is_this_repo(url: str) -> bool:
        return this_repo.belief(url, path_exists=True) is not Belief.NO

    return ApplicationSet(maker, expand(maker.node.value, tree, is_this_repo, supplied))


def _urls_in(value: object) -> set[str]:
    """Every repoURL of a set, those of its git generators included."""
    if isinstance(value, dict):
        own = {value["repoURL"]} if isinstance(value.get("repoURL"), str) and not value.get("chart") else set()
        return own.union(*(_urls_in(member) for member in value.values()))
    return set().union(*(_urls_in(item) for item in value)) if isinstance(value, list) else set()
