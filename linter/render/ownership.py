"""Which Application owns which objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..argo.applications import GROUP, Application
from ..argo.this_repo import Belief, ThisRepo
from ..resource import Resource
from ..versions import Versions
from .builds import Builds
from .sources import Rendered, Renderer
from .tree import Tree

if TYPE_CHECKING:
    from ..argo.applicationsets import Expansion, Supplied

MAX_ROUNDS: Final = 10
"""How deep Applications of Applications are followed: one that renames its own kind would never end."""
_KINDS: Final = ("Application", "ApplicationSet")


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
    tree: Tree, builds: Builds, versions: Versions, known_urls: Sequence[str], supplied: Supplied | None = None
) -> Owners:
    found = _Finding(tree, builds, versions, known_urls, supplied)
    written = [r for path, inside in tree.by_file.items() if _is_applied(tree, path) for r in inside]
    found.look_at([*written, *(r for folder in tree.build_roots for r in builds.of(folder).resources)])
    return found.owners()


def _is_applied(tree: Tree, path: str) -> bool:
    """Whether the objects of a file are what they are in it: no patch, and nothing that a kustomization builds from."""
    return path not in tree.not_objects and path not in tree.kustomized


class _Finding:
    """Applications bring Applications: each round renders the ones that the last round has found."""

    def __init__(
        self, tree: Tree, builds: Builds, versions: Versions, known_urls: Sequence[str], supplied: Supplied | None
    ) -> None:
        self._tree = tree
        self._builds = builds
        self._versions = versions
        self._known_urls = known_urls
        self._supplied = supplied
        self._used_urls: set[str] = set()
        self._seen: set[tuple[object, ...]] = set()
        self._owned: list[Owned] = []
        self._sets: list[ApplicationSet] = []

    def look_at(self, resources: Iterable[Resource]) -> None:
        new = [one for one in resources if one.group == GROUP and one.kind in _KINDS]
        for _ in range(MAX_ROUNDS):
            new = [one for one in new if self._is_new(one)]
            if not new:
                return
            new = [r for owned in self._render(new) for r in owned.resources if r.group == GROUP and r.kind in _KINDS]

    def _is_new(self, resource: Resource) -> bool:
        """The same Application may come out of several builds of one file."""
        node = resource.node.origin
        key = (resource.kind, resource.name, resource.namespace, node.file.path, node.span)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _render(self, new: list[Resource]) -> list[Owned]:
        applications = [Application(r.node.value, r) for r in new if r.kind == "Application"]
        makers = [r for r in new if r.kind == "ApplicationSet"]
        self._used_urls |= {s.repo_url for one in applications for s in one.sources if not s.chart}
        self._used_urls |= {url for maker in makers for url in _urls_in(maker.node.value)}
        this_repo = ThisRepo.decide(self._known_urls, (), self._used_urls)
        sets = [_expand(maker, self._tree, this_repo, self._supplied) for maker in makers if not maker.patched]
        for one in sets:
            applications += [Application(made.value, one.resource, made.origin) for made in one.expansion.applications]
        renderer = Renderer(self._tree, self._builds, this_repo, self._versions)
        owned = [Owned(one, _rendered(renderer, one)) for one in applications]
        self._sets += sets
        self._owned += owned
        return owned

    def owners(self) -> Owners:
        return Owners(
            tuple(self._owned),
            tuple(self._sets),
            folders=frozenset(one.path for app in self._owned for one in app.rendered if one.path),
            files=frozenset(
                r.file.path for app in self._owned for one in app.rendered if one.build is None for r in one.resources
            ),
        )


def _rendered(renderer: Renderer, application: Application) -> tuple[Rendered, ...]:
    if application.resource.patched:
        reason = ("a kustomization changes the Application in a way that is not known",)
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
