"""Files → the repository as rules see it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..argocd.argocd_settings import Settings, read_settings
from ..argocd.clusters import Cluster
from ..argocd.config_plugins import plugins_in
from ..argocd.this_repo import normal_url
from ..facts.versions import Versions
from ..files.elsewhere import NOTHING, Elsewhere
from ..helm.chart import Chart, chart_in
from ..kubernetes.crds import Schemas
from ..kubernetes.resource import Resource, resources_in
from ..kustomize.release import shipped_with
from ..yaml.source import SourceFile
from .app import App
from .argocd_setup import ArgoSetup
from .detect_versions import complete
from .known_paths import KnownPaths
from .kustomizations import Kustomizations
from .model import Repo
from .ownership import KnownSetup, Owned, find_owners
from .reach import Reach, find_reach
from .reuse import Reuse
from .roots import Root
from .sources.charts import Charts
from .sources.kustomize_builds import builds_of
from .sources.rewrites import Rewrites
from .synced_objects import ObjectSets
from .tree import Tree
from .units import Unit, remaining_units
from .used_charts import UsedCharts

if TYPE_CHECKING:
    from ..files.disk import Reader
    from ..helm.run.real_helm import RealHelm
    from ..kustomize.kustomize_binary import RealKustomize
    from .sources.chart_proofs import Proofs


class Surroundings(NamedTuple):
    """What is known of the repository besides the files that hold manifests."""

    folders: Sequence[str] = ()
    passed_over: Sequence[str] = ()
    """Folders that exist and were not walked."""
    empty: Sequence[str] = ()
    """Folders with nothing in them: submodules, perhaps."""
    templates: Sequence[SourceFile] = ()
    """Helm templates."""
    others: Sequence[SourceFile] = ()
    jsonnet: Sequence[str] = ()
    """Paths of programs that Argo CD would run to make manifests."""
    reader: Reader | None = None
    """Opens what a kustomization names and the run has not found by itself."""
    remotes: Sequence[str] = ()
    repo_urls: Sequence[str] = ()
    supplied: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    """Parameters for generators of ApplicationSets, by the name of the set."""
    clusters: Sequence[Cluster] = ()
    """Those that the config names."""
    roots: Sequence[Root] = ()
    plugins: Mapping[str, str] = MappingProxyType({})
    """Command lines of config management plugins that no file defines."""
    """Charts that are installed by hand, as the config says."""
    kustomize: RealKustomize | None = None
    """Builds in place of our own."""
    helm: RealHelm | None = None
    """Renders charts; without it their templates are read as they stand."""
    elsewhere: Elsewhere = NOTHING
    """What the repository takes from elsewhere, as far as somebody brought it."""
    base: str = "."
    """The folder that was asked for: a repository within the repository counts its paths from there."""
    whole: bool = False
    is_ignored: Callable[[str], bool] = lambda path: False
    """Whether `.gitignore` keeps a file of that name out of git."""
    data_kinds: Mapping[str, bool] | None = None
    """Which kinds hold data, where the config says so."""


def build_repo(
    files: Sequence[SourceFile],
    versions: Versions = Versions(),
    schemas: Schemas | None = None,
    around: Surroundings = Surroundings(),
    reuse: Reuse | None = None,
) -> Repo:
    """`reuse` is what another revision has made already of the files that are the same."""
    settings = read_settings(files)
    held = {file.path: found for file in files if reuse and (found := reuse.objects(file)) is not None}
    by_file: dict[str, Sequence[Resource]] = {
        file.path: held[file.path] if file.path in held else [r for d in file.documents for r in resources_in(d.root)]
        for file in files
    }
    tree = Tree(
        files,
        by_file,
        around.folders,
        around.templates,
        around.others,
        around.base,
        jsonnet=around.jsonnet,
        passed_over=around.passed_over,
        whole=around.whole,
        reader=around.reader,
        restricted=not settings.build_options.reads_any_file,
        elsewhere=around.elsewhere,
    )
    given, versions = versions, complete(versions, tree)
    if reuse is not None and (versions, tree.restricted) != (reuse.versions, reuse.restricted):
        return build_repo(files, given, schemas, around)  # what the other has made was judged by other versions
    if versions != Versions():  # which the objects themselves had a say in
        by_file |= {path: [r.judged_by(versions) for r in by_file[path]] for path in by_file if path not in held}
    builds = builds_of(tree, versions, around.kustomize, reuse)
    charts = Charts(tree, versions, around.helm, reuse, roots=around.roots)
    tree.inflate, tree.kustomize = charts.inflate, shipped_with(versions)
    setup = KnownSetup(
        (*around.remotes, *around.repo_urls),
        around.supplied,
        tuple(around.clusters),
        new_globbing=settings.new_globbing,
        plugins=plugins_in(files, around.plugins),
    )
    owners = find_owners(tree, builds, charts, versions, setup)
    reach, owners = find_reach(tree, builds, charts, owners)
    units = remaining_units(tree, builds, owners, reach)
    groups = (*(one.resources for one in owners.owned), *(one.resources for one in units))
    resources = tuple({id(one): one for group in groups for one in group if not one.is_sealed}.values())
    known = (schemas or Schemas()).with_crds(resources, files)
    built = (*builds.done, *(one.build for owned in owners.owned for one in owned.rendered if one.build))
    unread = dict.fromkeys(item for build in built for item in build.not_analysed)
    unread |= dict.fromkeys(item for chart in charts.done for item in chart.not_analysed)
    sets = ObjectSets()
    apps = (
        *(_app(owned, known, settings, sets) for owned in owners.owned),
        *(_unit(one, known, settings, reach) for one in units if one.resources),
    )
    applications = tuple(app for app in apps if app.application is not None)
    done = tuple({id(build): build for build in built}.values())
    urls = frozenset(normal_url(url) for url in (*around.remotes, *around.repo_urls))
    return Repo(
        files=tuple(files),
        resources=resources,
        apps=apps,
        kustomize=Kustomizations(
            applications,
            done,
            tree.kustomizations,
            Rewrites(tree, builds),
            has_sets=bool(owners.sets),
            may_be_built=lambda folder: bool(reach.templates_for(folder)),
        ),
        charts=UsedCharts(
            applications,
            dict(_charts(tree)),
            charts.done,
            lambda folders: _proofs(charts, folders, settings),
            around.helm,
        ),
        argocd=ArgoSetup(applications, owners.sets, settings, resources, tuple(files), reach),
        paths=KnownPaths(
            applications, tuple(files), tree.folders, frozenset(around.empty), urls, tree.reachable, around.is_ignored
        ),
        versions=versions,
        not_analysed=(*unread, *owners.given_up),
        reach=reach,
        whole=around.whole,
        data_kinds=around.data_kinds or {},
        brought_by=around.elsewhere.brought_by,
        owners=_owners(resources, applications),
        reused_by=lambda touched: Reuse(tree, builds, charts, versions, touched),
    )


def _owners(resources: Sequence[Resource], applications: Sequence[App]) -> dict[int, Resource]:
    """By the id of its text. What an Application has and an unused chart or overlay, too, is the Application's."""
    synced = {id(one) for app in applications for one in app.resources}
    return {id(one.node.raw): one for one in sorted(resources, key=lambda one: (not one.tentative, id(one) in synced))}


def _proofs(charts: Charts, folders: Collection[str], settings: Settings) -> Proofs:
    from .sources.chart_proofs import prove  # renders once more, which only a few charts need

    return prove(charts, charts.done, folders, settings)


def _charts(tree: Tree) -> Iterator[tuple[str, Chart]]:
    for folder in sorted(tree.charts):
        chart = chart_in(tree.reachable, folder)
        if chart is not None:
            yield folder, chart


def _unit(unit: Unit, schemas: Schemas, settings: Settings, reach: Reach) -> App:
    """What no Application syncs; a set that is not expanded may say with which options it is synced."""
    return App(unit.name, unit.resources, schemas, settings=settings, template=reach.options_for(unit.folder))


def _app(owned: Owned, schemas: Schemas, settings: Settings, sets: ObjectSets) -> App:
    application = owned.application
    return App(application.name, owned.resources, schemas, application, owned.rendered, settings, sets=sets)
