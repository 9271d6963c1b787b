"""Which Application owns which objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from ..argocd.applications import GROUP, Application
from ..argocd.clusters import Cluster, clusters_in
from ..argocd.config_plugins import Plugin
from ..argocd.this_repo import ThisRepo
from ..facts import limits
from ..facts.versions import Versions
from ..kubernetes.resource import Resource
from ..programs import watch
from ..yaml.lazy import lazy
from .roots import home_of
from .sources.application_sources import Rendered, Renderer
from .sources.charts import ChartBuild, Charts
from .sources.kustomize_builds import Builds, NotAnalysed
from .tree import Tree
from .used_addresses import UsedAddresses

if TYPE_CHECKING:
    from ..argocd.applicationsets import Expansion, Supplied

MAX_ROUNDS: Final = 10
"""How deep Applications of Applications are followed: one that renames its own kind would never end."""
FILLED_LATE: Final = "matrix-values-filled-late"
_KINDS: Final = ("Application", "ApplicationSet")


class KnownSetup(NamedTuple):
    """What git, the config and Argo CD's settings say, besides the Applications themselves."""

    urls: tuple[str, ...] = ()
    """Of this repository."""
    parameters: Supplied | None = None
    """For generators of ApplicationSets, by the name of the set."""
    clusters: tuple[Cluster, ...] = ()
    clusters_are_configured: bool = True
    """Not only those that Secrets in git show."""
    new_globbing: bool = False
    plugins: Mapping[str, Plugin] = MappingProxyType({})
    """Config management plugins, by name."""


@dataclass(frozen=True, eq=False)
class ApplicationSet:
    """A set, and what it would make of the files as they are."""

    resource: Resource
    expansion: Expansion
    home: str = ""
    """The cluster of its Argo CD, as for an Application."""


@dataclass(frozen=True, eq=False)
class Owned:
    application: Application
    rendered: tuple[Rendered, ...]

    @lazy
    def resources(self) -> tuple[Resource, ...]:
        return tuple({id(r): r for one in self.rendered for r in one.resources}.values())


@dataclass(frozen=True)
class Owners:
    owned: tuple[Owned, ...] = ()
    sets: tuple[ApplicationSet, ...] = ()
    unused_charts: tuple[ChartBuild, ...] = ()
    """What the charts come to that no Application renders."""
    this_repo: ThisRepo = ThisRepo(frozenset(), "", False)
    given_up: tuple[NotAnalysed, ...] = ()
    """What takes too long."""

    @property
    def folders(self) -> frozenset[str]:
        """Folders that are the path of an Application."""
        return frozenset(one.path for app in self.owned for one in app.rendered if one.path)

    @property
    def files(self) -> frozenset[str]:
        """Files of which an Application takes the objects as they are."""
        rendered = (one for app in self.owned for one in app.rendered if one.build is None)
        return frozenset(resource.file.path for one in rendered for resource in one.resources)

    def of(self, owned: Iterable[Owned], sets: Iterable[ApplicationSet]) -> Owners:
        """Without the others."""
        return replace(self, owned=tuple(owned), sets=tuple(sets))


def find_owners(
    tree: Tree,
    builds: Builds,
    charts: Charts,
    versions: Versions,
    known: KnownSetup = KnownSetup(),
) -> Owners:
    written = [
        Written(r, _home(tree, charts, path))
        for path, inside in tree.by_file.items()
        if _is_applied(tree, path)
        for r in inside
    ]
    named = [one.path for one in charts.roots if one.path in tree.kustomizations]
    folders = dict.fromkeys((*tree.build_roots, *tree.overlays_of_their_own, *named))
    for folder in folders:
        home = _home(tree, charts, folder)
        written += (Written(r, home, folder) for r in builds.of(folder).resources)
    clusters = ClustersInGit(written) if not known.clusters else None
    found = _Finding(tree, builds, charts, versions, known, clusters)
    found.look_at(written)
    # Charts of Applications first: what they bring says who renders the others.
    found.look_at_charts([folder for folder in charts.of_their_own if charts.brings_applications(folder)])
    found.look_at_charts(charts.of_their_own)
    return found.owners()


def _home(tree: Tree, charts: Charts, path: str) -> str:
    """A root that is a kustomization is what it builds, not what else lies there."""
    return "" if path in tree.unnamed else home_of(charts.roots, path)


def _is_applied(tree: Tree, path: str) -> bool:
    """Whether objects are what they are in their file: no patch, and nothing that is built or rendered first."""
    return path not in tree.not_objects and path not in tree.kustomized and path not in tree.in_charts


class Written(NamedTuple):
    """An object as somebody brings it to an Argo CD."""

    resource: Resource
    home: str
    """The cluster of that Argo CD; empty if it is not known."""
    build: str = ""
    """The folder of the kustomization that it was found in; empty if it was found otherwise."""

    @property
    def is_followed(self) -> bool:
        return self.resource.group == GROUP and self.resource.kind in _KINDS


class ClustersInGit:
    """Those that Secrets in git show, and to which sets.

    A kustomization that brings both sets and Secrets of clusters is made for one Argo CD: those beside it, for
    other environments, do not know its clusters.
    """

    def __init__(self, written: Sequence[Written]) -> None:
        self._bring_sets = {one.build for one in written if one.is_followed and one.resource.kind == "ApplicationSet"}
        self._secrets = [one for one in written if clusters_in((one.resource,))]
        self._known: dict[str, tuple[Cluster, ...]] = {}

    def known_to(self, build: str) -> tuple[Cluster, ...]:
        if build not in self._known:
            apart = self._bring_sets - {"", build} if build else set()
            self._known[build] = clusters_in(one.resource for one in self._secrets if one.build not in apart)
        return self._known[build]


class _Finding:
    """Applications bring Applications: each round renders the ones that the last round has found."""

    def __init__(
        self,
        tree: Tree,
        builds: Builds,
        charts: Charts,
        versions: Versions,
        known: KnownSetup,
        clusters: ClustersInGit | None,
    ) -> None:
        """`clusters` is None where the config names them."""
        self._clusters = clusters
        self._tree = tree
        self._builds = builds
        self._charts = charts
        self._unused: dict[str, list[ChartBuild]] = {}
        self._versions = versions
        self._known = known
        self._used = UsedAddresses(tree)
        self._seen: set[tuple[object, ...]] = set()
        self._owned: list[Owned] = []
        self._sets: list[ApplicationSet] = []
        self._other_repositories: dict[str, Renderer] = {}
        self._tried: set[int] | None = None
        self._allowance = watch.Allowance(limits.SET_SECONDS, limits.SETS_SECONDS)
        self._given_up: list[NotAnalysed] = []

    def look_at(self, written: Iterable[Written]) -> None:
        new = [one for one in written if one.is_followed]
        for _ in range(MAX_ROUNDS):
            # Hundreds of Applications may bring the very same ones.
            new = [one for one in {(id(one.resource), one.home): one for one in new}.values() if self._is_new(one)]
            if not new:
                return
            brought = ((owned.application.home_of_children, owned.resources) for owned in self._render(new))
            new = [one for home, inside in brought for r in inside if (one := Written(r, home)).is_followed]

    def look_at_charts(self, folders: Iterable[str]) -> None:
        """Those that nobody renders: with their own values, as long as it is so."""
        taken = {*self._unused, *self._rendered_folders(), *self._kustomized_charts()}
        wanted = [folder for folder in folders if folder not in taken]
        self._charts.prepare(request for folder in wanted for request in self._charts.own_requests(folder))
        for folder in wanted:
            if folder not in self._rendered_folders():
                self._unused[folder] = self._charts.unused(folder)
                self.look_at(Written(r, build.home) for build in self._unused[folder] for r in build.resources)

    @property
    def _this_repo(self) -> ThisRepo:
        return ThisRepo.decide(self._known.urls, (), self._used.asked())

    def _rendered_folders(self) -> frozenset[str]:
        """Where some Application has its source."""
        return frozenset(one.path for app in self._owned for one in app.rendered if one.path)

    def _kustomized_charts(self) -> frozenset[str]:
        """Those that a kustomization asks for; without Helm nobody renders them."""
        if not self._charts.can_render:
            return frozenset()
        built = (*self._builds.done, *(one.build for app in self._owned for one in app.rendered if one.build))
        return frozenset(folder for build in built for folder in build.charts)

    def _is_new(self, written: Written) -> bool:
        """One Application may come out of several builds of one file; what they make different of it is another."""
        key = (written.home, *_key_of(written.resource))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _render(self, new: list[Written]) -> list[Owned]:
        applications = [
            Application(one.resource.node.value, one.resource, home=one.home)
            for one in new
            if one.resource.kind == "Application"
        ]
        makers = [one for one in new if one.resource.kind == "ApplicationSet"]
        self._used.add(applications, [one.resource for one in makers])
        this_repo = self._this_repo
        renderer = Renderer(
            self._tree,
            self._builds,
            self._charts,
            this_repo,
            self._versions,
            self._other_repositories,
            self._known.plugins,
        )
        sets = [self._expanded(one, renderer) for one in makers if not _is_masked(one.resource)]
        for one in sets:
            applications += [
                Application(made.value, one.resource, made.origin, made.is_open, one.home)
                for made in one.expansion.applications
            ]
        known = [one for one in applications if not one.resource.patched]
        rendered = {id(one): found for one, found in zip(known, renderer.render(known), strict=True)}
        owned = [Owned(one, rendered.get(id(one)) or _unknown(one)) for one in applications]
        self._sets += sets
        self._owned += owned
        return owned

    def _expanded(self, written: Written, renderer: Renderer) -> ApplicationSet:
        maker, known = written.resource, self._known
        if self._clusters is not None:
            known = known._replace(clusters=self._clusters.known_to(written.build), clusters_are_configured=False)
        with self._allowance.piece() as piece:
            return replace(_expand(maker, renderer, known), home=written.home)
        from ..argocd.applicationsets import Expansion, Unresolved

        self._given_up.append(NotAnalysed(maker.file.path, f"an ApplicationSet that {piece.over}", maker.name, True))
        return ApplicationSet(maker, Expansion((), (Unresolved(f"it {piece.over}", ""),), (), False))

    def owners(self) -> Owners:
        self._leave_the_homeless()
        used = self._rendered_folders()
        unused = [build for folder, builds in self._unused.items() if folder not in used for build in builds]
        self._owned = [found for one in self._owned if (found := self._as_used(one, used)) is not None]
        made, tried = self._made_by_applications, self._first_tries(used)
        self._sets = [
            replace(one, resource=made.get(_key_of(one.resource), one.resource)) if id(one.resource) in tried else one
            for one in self._sets
            if id(one.resource) not in tried or not self._is_outdone(one.resource)
        ]
        return Owners(tuple(self._owned), tuple(self._sets), tuple(unused), self._this_repo, tuple(self._given_up))

    def _leave_the_homeless(self) -> None:
        """A file is read before it is known who brings it: where one says for which cluster, it counts for that one."""
        placed = {_key_of(one.application.resource) for one in self._owned if one.application.home}
        placed |= {_key_of(one.resource) for one in self._sets if one.home}
        if placed:
            self._owned = [
                one for one in self._owned if one.application.home or _key_of(one.application.resource) not in placed
            ]
            self._sets = [one for one in self._sets if one.home or _key_of(one.resource) not in placed]

    def _as_used(self, owned: Owned, used: Collection[str]) -> Owned | None:
        """A chart may bring the very Application that renders it: then that one decides, not the first try."""
        resource = owned.application.resource
        if id(resource) not in self._first_tries(used):
            return owned
        if self._is_outdone(resource):
            return None
        other = self._made_by_applications.get(_key_of(resource))
        if other is None:
            built = {*self._unused, *self._only_with_options(used)}  # it brings itself: somebody applies it by hand
            return owned if any(one.path in built for one in owned.rendered) else None
        return replace(owned, application=replace(owned.application, resource=other))

    def _is_outdone(self, resource: Resource) -> bool:
        """Whether the one that builds it has it otherwise: in another namespace, with other values or a patch."""
        is_same = _key_of(resource) in self._made_by_applications
        return not is_same and _place_of(resource) in self._written_by_applications

    def _first_tries(self, used: Collection[str]) -> Collection[int]:
        """Ids of what charts and kustomizations made by themselves, before it was known who builds them and how."""
        if self._tried is None:
            tried = [build.resources for folder in used for build in self._unused.get(folder, ())]
            tried += (self._builds.of(folder).resources for folder in self._only_with_options(used))
            self._tried = {id(resource) for resources in tried for resource in resources}
        return self._tried

    def _only_with_options(self, used: Collection[str]) -> list[str]:
        """Kustomizations to which every Application that builds them adds something of its own."""
        as_they_are = {id(one.build) for app in self._owned for one in app.rendered if one.build}
        roots = [folder for folder in self._tree.build_roots if folder in used]
        return [folder for folder in roots if id(self._builds.of(folder)) not in as_they_are]

    @lazy
    def _made_by_applications(self) -> dict[tuple[object, ...], Resource]:
        made = (r for app in self._owned for r in app.resources if r.group == GROUP and r.kind in _KINDS)
        return {_key_of(resource): resource for resource in {id(r): r for r in made}.values()}

    @lazy
    def _written_by_applications(self) -> frozenset[tuple[object, ...]]:
        return frozenset(map(_place_of, self._made_by_applications.values()))


def _key_of(resource: Resource) -> tuple[object, ...]:
    """By which an Application is the same one, whatever built it."""
    node = resource.node.origin
    return (resource.kind, resource.name, resource.namespace, node.file.path, node.span, resource.said)


def _is_masked(resource: Resource) -> bool:
    """It stands in a template that was not rendered: what it says is not what comes out."""
    return resource.patched and not resource.built


def _place_of(resource: Resource) -> tuple[object, ...]:
    """By which it is the same one, whatever values it was printed with."""
    node = resource.node.origin
    return (resource.kind, resource.name, node.file.path, node.span)


def _unknown(application: Application) -> tuple[Rendered, ...]:
    reason = (_why_unknown(application.resource),)
    return tuple(Rendered(source, unresolved=reason) for source in application.sources)


def _why_unknown(resource: Resource) -> str:
    if resource.built:
        return "a kustomization changes the Application in a way that is not known"
    return "the template of the Application was not rendered"


def _expand(maker: Resource, renderer: Renderer, known: KnownSetup) -> ApplicationSet:
    # Templates and generators are half of the tool; most repositories have no ApplicationSet.
    from ..argocd.applicationsets import Controller, OtherTrees, expand
    from .sources.other_repository import FilesOfAnother

    this_repo, elsewhere, versions = renderer.this_repo, renderer.tree.elsewhere, renderer.versions

    def is_this_repo(url: str) -> bool:
        # Where some address has shown itself to be this one by its paths, another must do so, too.
        return this_repo.gives_sets(url)

    def find(url: str, revision: str, pointer: str) -> FilesOfAnother | None:
        root = elsewhere.repository(maker.node.find(f"{pointer}/repoURL"), url, revision)
        return None if root is None else FilesOfAnother(renderer.within(root).tree, root)

    controller = Controller(
        known.clusters, known.clusters_are_configured, versions.lacks(FILLED_LATE), known.new_globbing
    )
    others = OtherTrees(elsewhere.is_mapped, find, elsewhere.why_not)
    found = expand(maker.node.value, renderer.tree, is_this_repo, known.parameters, controller, others)
    if maker.patched:  # what is wrong with it may be put right by what was not read
        found = replace(found, problems=(), fails=False)
    return ApplicationSet(maker, found)
