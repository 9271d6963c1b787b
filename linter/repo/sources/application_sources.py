"""A source of an Application → its objects, or why they cannot be known."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...argocd.applications import Application, Source
from ...argocd.config_plugins import Plugin
from ...argocd.this_repo import Belief, ThisRepo
from ...dialects.phrases import and_more, some
from ...dialects.spelling import is_placeholder
from ...facts.versions import Versions
from ...files.elsewhere import fetched_root, is_fetched
from ...kubernetes.resource import Resource
from ..tree import Tree, folder_of
from .charts import ChartBuild, Charts
from .directory import Failure, read_directory
from .kustomize_builds import Builds, KustomizeBuild, missing_in
from .kustomize_options import edits
from .plugin_options import helm_options_of, is_familiar, plugin_of
from .stand_ins import filled, is_told_a_guess

if TYPE_CHECKING:
    from .helm_options import Asked

REGISTRY: Final = "oci://"
SAYS_IT: Final = "`plugins:` in the config can say what it runs"
NO_CHART: Final = "no Chart.yaml is there, which Helm asks for"
OVERRIDES: Final = ".argocd-source.yaml"
_TAKES_FILES: Final = frozenset(("valueFiles", "fileParameters"))
MOST_BLANKS: Final = 3
NOT_OVERRIDDEN: Final = ("chart", "path", "repoURL", "targetRevision")


class Rendered(NamedTuple):
    """What one source comes to."""

    source: Source
    tool: str = ""
    """helm, kustomize, directory or plugin; empty when it is not known."""
    path: str = ""
    """The folder in this repository; empty when the source is elsewhere."""
    resources: tuple[Resource, ...] = ()
    unresolved: tuple[str, ...] = ()
    """Why objects may be missing here, in words."""
    failures: tuple[Failure, ...] = ()
    """Why Argo CD cannot generate the manifests."""
    missing: bool = False
    """The path is not in the repository."""
    belief: Belief = Belief.NO
    build: KustomizeBuild | None = None
    """Of a source that Kustomize builds."""
    chart: ChartBuild | None = None
    """Of a source that Helm renders."""
    asked: Asked | None = None
    """What a source wants of Helm; also where the chart is elsewhere, and only takes files from here."""
    blanks: tuple[str, ...] = ()
    """What its tool is told that is not known: words stand for it, and say nothing of any cluster."""


class Renderer(NamedTuple):
    tree: Tree
    builds: Builds
    charts: Charts
    this_repo: ThisRepo
    versions: Versions
    others: dict[str, Renderer]
    """By root: those for repositories that were fetched."""
    plugins: Mapping[str, Plugin] = MappingProxyType({})
    """Config management plugins, by name."""

    def render(self, applications: Sequence[Application]) -> list[tuple[Rendered, ...]]:
        """What each of them comes to; together, since Helm can work on many charts at once."""
        found = [[_render(self, source, one) for source in one.sources] for one in applications]
        waiting = [one for each in found for one in each if isinstance(one, Waiting)]
        self.charts.prepare(one.asked.request for one in waiting if one.asked.request is not None)
        return [
            tuple(_charted(one.charts or self.charts, one) if isinstance(one, Waiting) else one for one in each)
            for each in found
        ]

    def within(self, root: str) -> Renderer:
        """For the repository that was fetched to a folder."""
        if root not in self.others:
            from .other_repository import tree_of  # only where something was fetched

            tree = tree_of(self.tree, root)
            charts = self.charts.within(tree)
            tree.inflate = charts.inflate
            self.others[root] = self._replace(tree=tree, builds=Builds(tree, self.versions), charts=charts)
        return self.others[root]


class Waiting(NamedTuple):
    """A source that is a chart, before it is rendered."""

    source: Source
    application: Application
    folder: str
    belief: Belief
    asked: Asked
    blanks: tuple[str, ...] = ()
    """What it is told that is not known."""
    is_plugin: bool = False
    """A config management plugin calls Helm."""
    charts: Charts | None = None
    """Of another repository that has it."""


def _charted(charts: Charts, one: Waiting) -> Rendered:
    one = one._replace(blanks=(*one.blanks, *one.asked.guessed))
    is_guess = bool(one.blanks) or is_told_a_guess(one.application, one.source)
    build = charts.for_application(one.folder, one.asked.request, one.application, one.source, is_guess=is_guess)
    unresolved = list(missing_in(build.not_analysed))
    unresolved += (problem.words for problem in one.asked.problems if not problem.fails)
    unresolved += (_not_known(one.blanks),) if one.blanks else ()
    failures = [Failure(refusal.at.file.path, refusal.message) for refusal in build.refusals]
    failures += (Failure(one.folder, problem.words) for problem in one.asked.problems if problem.fails)
    failures = [] if one.blanks else failures
    if not build.is_rendered and not unresolved and not failures:
        unresolved.append("the chart was not rendered")
    return Rendered(
        one.source,
        "plugin" if one.is_plugin else "helm",
        "" if is_fetched(one.folder) else one.folder,
        build.resources,
        tuple(dict.fromkeys(unresolved)),
        tuple(dict.fromkeys(failures)),
        belief=one.belief,
        chart=build,
        asked=one.asked,
        blanks=one.blanks,
    )


def _render(renderer: Renderer, source: Source, application: Application) -> Rendered | Waiting:
    plain, own, blanks = filled(application, source)
    one = _found(renderer, own, plain)
    if isinstance(one, Waiting):
        return one._replace(source=source, application=application, blanks=(*one.blanks, *blanks))
    if _TAKES_FILES.intersection(own.tool("helm")):
        one = one._replace(asked=_asked_of_helm(renderer, own, plain, None))
    if blanks and (one.path or one.resources):
        one = one._replace(unresolved=(*one.unresolved, _not_known(blanks)), failures=(), blanks=blanks)
    return one._replace(source=source) if application.is_open else one


def _not_known(blanks: Sequence[str]) -> str:
    return f"its options have blanks that are not known: {some(blanks, MOST_BLANKS)}"


def _found(renderer: Renderer, source: Source, application: Application) -> Rendered | Waiting:
    tree, this_repo = renderer.tree, renderer.this_repo
    if is_placeholder(source.path):
        return Rendered(source, unresolved=(f"{source.path} is a placeholder",))
    if source.chart:
        return _from_chart(renderer, source, application)
    if source.repo_url.startswith(REGISTRY) or tree.elsewhere.is_mapped(source.repo_url):
        return _from_elsewhere(renderer, source, application)
    path = folder_of(source.path)
    if path is None:
        return Rendered(source, unresolved=(f"path {source.path!r} leads out of the repository",))
    folder = tree.locate(path, application.resource.file.path) if source.path else None
    # Every repository has a root: that one is here, too, tells nothing.
    exists = folder is not None and path != "."
    if source.ref and not source.path and this_repo.lends(source.repo_url):
        return Rendered(source, belief=Belief.BY_PATH)  # only lends its files to others
    if is_placeholder(source.repo_url) and not exists:
        return Rendered(source, unresolved=(f"{source.repo_url} is a placeholder",))
    belief = this_repo.belief("" if is_placeholder(source.repo_url) else source.repo_url, exists)
    if belief is Belief.NO:
        return _from_elsewhere(renderer, source, application)
    if not source.path:
        return Rendered(source, belief=belief, unresolved=("the source has neither path nor chart",))
    if folder is None:
        if not tree.whole or tree.was_passed_over(path):
            return Rendered(source, belief=belief, unresolved=(f"{source.path} was not read",))
        return Rendered(source, path=path, belief=belief, missing=True, unresolved=(f"{source.path} does not exist",))
    return _from_folder(renderer, source, application, folder, belief)


def _from_chart(renderer: Renderer, source: Source, application: Application) -> Rendered | Waiting:
    """A chart of a Helm repository or a registry, if it was fetched."""
    elsewhere, at = renderer.tree.elsewhere, application.place(f"{source.pointer}/chart")
    folder = elsewhere.chart(at, source.repo_url, source.chart, source.target_revision)
    if folder is None:
        words = f"chart {source.chart} comes from {source.repo_url or 'nowhere'}"
        return Rendered(source, "helm", unresolved=(elsewhere.why_not(words),))
    return Waiting(source, application, folder, Belief.NO, _asked_of_helm(renderer, source, application, folder))


def _from_elsewhere(renderer: Renderer, source: Source, application: Application) -> Rendered | Waiting:
    """Another git repository, or an artifact of a registry, if it was fetched."""
    elsewhere, at = renderer.tree.elsewhere, application.place(f"{source.pointer}/repoURL")
    if source.repo_url.startswith(REGISTRY):
        folder = elsewhere.artifact(at, source.repo_url, source.target_revision)
        if folder is None:
            return Rendered(source, unresolved=(elsewhere.why_not(f"{source.repo_url} is in a registry"),))
        return Waiting(source, application, folder, Belief.NO, _asked_of_helm(renderer, source, application, folder))
    if not source.repo_url:
        return Rendered(source, unresolved=("the source has no repoURL",))
    root = elsewhere.repository(at, source.repo_url, source.target_revision)
    if root is None:
        words = f"{source.repo_url} is another repository"
        return Rendered(source, unresolved=(elsewhere.why_not(words),))
    if source.ref and not source.path:
        return Rendered(source)  # only lends its files to others
    other = renderer.within(root)
    folder = other.tree.locate(folder_of(source.path) or ".")
    if folder is None:
        return Rendered(source, unresolved=(f"{source.path} does not exist in {source.repo_url}",))
    found = _from_folder(other, source, application, folder, Belief.NO)
    return found._replace(charts=other.charts) if isinstance(found, Waiting) else found._replace(path="")


def tool_of(source: Source, path: str, tree: Tree) -> str:
    """Named by a block of its own that counts; else found by the files of the folder itself."""
    if source.explicit_tools:
        return source.explicit_tools[0] if len(source.explicit_tools) == 1 else ""
    if path in tree.kustomizations:  # wins where both are
        return "kustomize"
    return "helm" if path in tree.charts else "directory"


def _from_folder(
    renderer: Renderer, source: Source, application: Application, path: str, belief: Belief
) -> Rendered | Waiting:
    tree = renderer.tree
    source = with_overrides(source, application, path, tree)
    tool = tool_of(source, path, tree)
    if tool == "directory":
        options = source.tool("directory")
        folder = read_directory(tree, path, options, renderer.versions)
        unseen = (_not_evaluated(folder.jsonnet),) if folder.jsonnet else ()
        failures = (*folder.failures, *(Failure(one, "holds Helm templates") for one in folder.templates))
        return Rendered(source, tool, path, folder.resources, unseen, failures, belief=belief)
    if tool == "kustomize":
        return _built(renderer, source, application, path, belief)
    if tool == "helm" and path not in tree.charts and tree.reachable.source(posixpath.join(path, "Chart.yaml")) is None:
        return Rendered(source, tool, path, failures=(Failure(path, NO_CHART),), belief=belief)
    if tool == "helm":
        return Waiting(source, application, path, belief, _asked_of_helm(renderer, source, application, path))
    if tool == "plugin":
        return _by_plugin(renderer, source, application, path, belief)
    return Rendered(source, tool, path, (), ("the tool is not clear",), belief=belief)


def _not_evaluated(programs: Sequence[str]) -> str:
    return f"Jsonnet is not evaluated: {programs[0]}{and_more(len(programs) - 1)}"


def _by_plugin(
    renderer: Renderer, source: Source, application: Application, path: str, belief: Belief
) -> Rendered | Waiting:
    """By the tool that the plugin wraps, if it is one: what it fills in afterwards are values of placeholders."""
    name = source.tool("plugin").get("name")
    plugin = plugin_of(name, path, renderer.tree, renderer.plugins)
    if plugin is not None and plugin.tool == "kustomize" and path in renderer.tree.kustomizations:
        return _built(renderer, source, application, path, belief)._replace(tool="plugin", failures=())
    if plugin is not None and plugin.tool == "directory":
        read = read_directory(renderer.tree, path, {"recurse": True}, renderer.versions)
        return Rendered(source, "plugin", path, read.resources, belief=belief)
    if plugin is not None and plugin.tool == "helm" and path in renderer.tree.charts:
        options, unknown = helm_options_of(plugin, source, application)
        own = Source({**source.value, "helm": options}, source.pointer)
        asked = _asked_of_helm(renderer, own, application, path)
        return Waiting(source, application, path, belief, asked, unknown, is_plugin=True)
    which = f" {name}" if isinstance(name, str) and name else ""
    hint = f": {SAYS_IT}" if is_familiar(renderer.tree, path, renderer.versions) else ""
    unseen = f"a config management plugin{which} makes the manifests{hint}"
    return Rendered(source, "plugin", path, (), (unseen,), belief=belief)


def _asked_of_helm(renderer: Renderer, source: Source, application: Application, path: str | None) -> Asked:
    """`path` is None where the chart is elsewhere."""
    from .cluster_apis import cluster_apis  # only for charts
    from .helm_options import request_for

    tree, this_repo = renderer.tree, renderer.this_repo
    here = tree.root_for(source.path, application.resource.file.path)
    roots: dict[str, str | None] = {}
    for one in application.sources:
        if one.ref and (tree.elsewhere.is_mapped(one.repo_url) or not this_repo.lends(one.repo_url)):
            at = application.place(f"{one.pointer}/repoURL")
            roots[one.ref] = tree.elsewhere.repository(at, one.repo_url, one.target_revision)
        elif one.ref:
            roots[one.ref] = "." if is_fetched(here) else here
    root = None if path is None else fetched_root(path) or here
    apis = cluster_apis(tree, renderer.versions)

    def at_address(pointer: str, address: str) -> str | None:
        return tree.elsewhere.file(application.place(f"{source.pointer}{pointer}"), address)

    return request_for(
        source,
        application,
        path or "",
        tree.reachable,
        roots,
        renderer.versions,
        root=root,
        api_versions=apis,
        at_address=at_address,
    )


def _built(renderer: Renderer, source: Source, application: Application, path: str, belief: Belief) -> Rendered:
    options, builds = source.tool("kustomize"), renderer.builds
    change = key = None
    if options:
        place = application.place(f"{source.pointer}/kustomize")
        # Components that are not there may be left out: another revision may have them.
        if place.present and not options.get("components"):
            key = (id(place.raw), repr(options))
        change = edits(options, place, lambda entry: builds.has_folder(posixpath.join(path, entry)))
    build = builds.for_application(path, change, application.place(f"{source.pointer}/path"), key)
    unresolved = missing_in(build.not_analysed)
    failures = dict.fromkeys(Failure(error.at.file.path, error.message) for error in build.errors)
    return Rendered(source, "kustomize", path, build.resources, unresolved, tuple(failures), belief=belief, build=build)


def with_overrides(source: Source, application: Application, path: str, tree: Tree) -> Source:
    """The source with what files in its folder say: for every Application, then for this one."""
    prefix = "" if path == "." else f"{path}/"
    value: Any = source.value
    for name in (OVERRIDES, f".argocd-source-{application.name}.yaml"):
        file = tree.sources.get(f"{prefix}{name}")
        if file and file.documents and file.documents[0].root.is_mapping:
            override = {key: one for key, one in file.documents[0].root.value.items() if key not in NOT_OVERRIDDEN}
            value = _merged(value, override)
    return source if value is source.value else Source(value, source.pointer)


def _merged(value: Any, patch: Any) -> Any:
    """A JSON merge patch."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(value) if isinstance(value, Mapping) else {}
    for key, one in patch.items():
        if one is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), one)
    return merged
