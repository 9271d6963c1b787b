"""Charts of the repository, rendered by the real Helm: for an Application with its values, else with their own.

Where there is no Helm, or it refuses, the templates are read as they stand:
what is literal in them is still looked at, and what is not is unknown.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ...argocd.applications import Application, Source
from ...facts.regexes import regex
from ...facts.versions import Versions
from ...files.elsewhere import BRINGS_IT, shown
from ...helm.chart_layout import ChartLayout
from ...helm.dependencies import joined
from ...helm.helm_request import Request
from ...kubernetes.resource import RENDERED, TEMPLATE, Resource, resources_in
from ...kustomize.inflation import WITHOUT_HELM
from ...programs.outcomes import Failed, Printed, Refused
from ...yaml.lazy import lazy
from ...yaml.source import Document, Node, Place, SourceFile, Span, Spot
from ..roots import Root
from ..tree import Tree
from .kustomize_builds import NotAnalysed

if TYPE_CHECKING:
    from ...helm.answer import Rendering
    from ...helm.run.real_helm import RealHelm
    from ...kustomize.inflation import Inflated, Inflation
    from ..reuse import Reuse
    from .chart_origins import ChartOrigins
    from .given_values import Given

RELEASE: Final = "release-name"
"""What Helm itself calls a release that nobody named."""
NO_HELM: Final = f"{WITHOUT_HELM}: their templates are read as they stand"
_PLACE: Final = regex(r"(?P<path>[^\s:()\"']+\.(?:ya?ml|tpl|txt|json)):(?P<line>\d+)")
_ENVIRONMENT: Final = regex(
    r"values[-_.](?!example|sample|template)[\w.-]+\.ya?ml"
    r"|(?P<folder>(?:envs?|environments?|clusters|stages)/(?!_|example|sample|template)[\w.-]+)(?:/[\w-]+)?\.ya?ml"
)
"""Value files of one environment, from the folder of a chart; those of one folder belong together."""
_WRONG_VERSION: Final = "which is incompatible with Kubernetes"
_MINORS: Final = range(36, 15, -1)


class ChartRefusal(NamedTuple):
    """Why a chart does not render."""

    at: Place
    message: str
    is_ours: bool = False
    """Helm did not come to an end, or was not asked: its time, its size, a file that it cannot be given."""


class ChartBuild(NamedTuple):
    """What a chart comes to with one set of values."""

    folder: str
    resources: tuple[Resource, ...]
    request: Request | None = None
    application: Application | None = None
    source: Source | None = None
    """The one of the Application that is the chart."""
    lacks_dependencies: bool = False
    """Something that Argo CD would fetch is not here, so what is said of the rest may not hold."""
    not_analysed: tuple[NotAnalysed, ...] = ()
    refusals: tuple[ChartRefusal, ...] = ()
    is_rendered: bool = False
    """False where the templates were only read as they stand."""
    home: str = ""
    """Of a chart that is installed by hand: the cluster of the Argo CD that it is for."""

    @property
    def folders(self) -> frozenset[str]:
        return frozenset((self.folder,))

    @property
    def label(self) -> str:
        """How messages name it: one chart may be rendered for many."""
        return str(self.application) if self.application is not None else self.title

    @property
    def title(self) -> str:
        files = self.request.value_files if self.request is not None else ()
        folder = shown(self.folder)
        return f"{folder} ({', '.join(map(posixpath.basename, files))})" if files else folder


class Charts:
    """Every chart of the repository; each set of values is rendered once."""

    def __init__(
        self,
        tree: Tree,
        versions: Versions,
        helm: RealHelm | None,
        reuse: Reuse | None = None,
        done: list[ChartBuild] | None = None,
        roots: Sequence[Root] = (),
    ) -> None:
        """`done` is a list that another one keeps, too; `roots` are installed by hand, as the config says."""
        self.roots = roots
        self._tree = tree
        self._versions = versions
        self._helm = helm
        self._reuse = reuse
        """Of another revision, from which what nobody changed is taken."""
        self._done: list[ChartBuild] = [] if done is None else done
        self._by_request: dict[Request, ChartBuild] = {}
        self._layouts: dict[str, ChartLayout] = {}

    def within(self, tree: Tree) -> Charts:
        """The charts of another repository, rendered by the same Helm."""
        return Charts(tree, self._versions, self._helm, done=self._done)

    @property
    def can_render(self) -> bool:
        return self._helm is not None

    @property
    def done(self) -> tuple[ChartBuild, ...]:
        return tuple(self._done)

    def prepare(self, requests: Iterable[Request]) -> None:
        """Renders these at once: most of it is waiting."""
        if self._helm is not None:
            self._helm.prepare(one for one in requests if self._reused(one) is None)

    def for_application(
        self,
        folder: str,
        request: Request | None,
        application: Application,
        source: Source,
        *,
        is_guess: bool = False,
    ) -> ChartBuild:
        """`request` is None where the values cannot be known; the templates then stand for themselves.

        With a guess in its values a chart may be refused that is none of the kind for any cluster.
        """
        from .given_values import Given  # only for charts

        build = self._as_written(folder) if request is None else self.rendered(request, Given(application, source))
        if is_guess:
            build = build._replace(refusals=(), resources=tuple(one.tentatively for one in build.resources))
        return self._keep(build._replace(application=application, source=source))

    def unused(self, folder: str) -> list[ChartBuild]:
        """As each environment has it; else with its own values, which may be nobody's."""
        own, *environments = self.own_requests(folder)
        homes = [one.cluster for one in self._roots_at(folder)] or [""] * len(environments)
        builds = [
            self._keep(self._by_hand(request)._replace(home=home))
            for request, home in zip(environments, homes, strict=True)
        ]
        if any(build.is_rendered and build.resources for build in builds):
            return builds
        build = self.rendered(own)
        resources = (*(one.tentatively for one in build.resources), *self._switched_off(build))
        return [self._keep(build._replace(resources=resources))]

    def _by_hand(self, request: Request) -> ChartBuild:
        """Which files of a folder belong together is a guess, and so is what comes of them."""
        build = self.rendered(request)
        is_guess = len(request.value_files) > 1 and not self._roots_at(request.chart)
        return build._replace(resources=tuple(one.tentatively for one in build.resources)) if is_guess else build

    def _switched_off(self, build: ChartBuild) -> Iterator[Resource]:
        """What is written in templates that print nothing, in a chart of Applications: other values switch it on."""
        if not build.is_rendered or not self.brings_applications(build.folder):
            return
        printed = {one.file.path for one in build.resources}
        for path in self._tree.below(joined(build.folder, "templates")):
            is_partial = posixpath.basename(path).startswith("_")
            if path in self._tree.templates and path not in printed and not is_partial:
                yield from self._unrendered(path)

    @lazy
    def of_their_own(self) -> tuple[str, ...]:
        """The charts that are rendered with their own values if nobody else renders them.

        No library, which Helm refuses, and none that another chart brings along, with other values than its own.
        """
        roots = self._tree.chart_roots
        borrowed = {root: {folder for _, folder in self.layout(root).keyed_subcharts()} - {root} for root in roots}
        top = [root for root in roots if not any(root in lent for lent in borrowed.values())]
        brought = {folder for root in top for folder in borrowed[root]}  # of a circle, nobody is brought by the top
        return tuple(root for root in roots if root not in brought and not self._is_library(root))

    def _is_library(self, folder: str) -> bool:
        root = self._tree.root_of(joined(folder, "Chart.yaml"))
        return root is not None and root["type"].text == "library"

    def own_requests(self, folder: str) -> list[Request]:
        """What `helm template` is asked for when nobody says anything; for Applications, in each environment.

        Whoever installs such a chart does it by hand, with the file of one environment.
        """
        own = Request(folder, RELEASE, "default", kube_version=str(self._versions.kubernetes or ""))
        if roots := self._roots_at(folder):
            return [own, *(self._as_installed(own, root) for root in roots)]
        within = self._tree.below(folder) if self.brings_applications(folder) else ()
        begin = 0 if folder == "." else len(folder) + 1
        files: dict[str, list[str]] = {}
        for path in within:
            found = _ENVIRONMENT.fullmatch(path[begin:]) if not self._tree.by_file.get(path) else None
            if found:
                files.setdefault(found["folder"] or path, []).append(path)
        return [own, *(own._replace(value_files=tuple(sorted(each, key=_last_values))) for each in files.values())]

    def _roots_at(self, folder: str) -> list[Root]:
        return [one for one in self.roots if one.path == folder]

    @staticmethod
    def _as_installed(own: Request, root: Root) -> Request:
        release, namespace = root.name or own.release, root.namespace or own.namespace
        return own._replace(release=release, namespace=namespace, value_files=root.value_files)

    def _keep(self, build: ChartBuild) -> ChartBuild:
        self._done.append(build)
        return build

    def brings_applications(self, folder: str) -> bool:
        """Whether its templates speak of Applications."""
        prefix = joined(folder, "templates/")
        texts = (file.text for path, file in self._tree.templates.items() if path.startswith(prefix))
        return any("argoproj.io/" in text and "kind: Application" in text for text in texts)

    # -- with Helm

    def inflate(self, wanted: Inflation) -> Inflated:
        """For a kustomization that asks for a chart."""
        from .inflated_charts import inflate  # few do

        return inflate(self, self._versions, wanted)

    def rendered(self, request: Request, given: Given | None = None) -> ChartBuild:
        build = self._reused(request) or self._anew(request, given)
        self._by_request[request] = build
        return build

    def built(self, request: Request) -> ChartBuild | None:
        """None where nobody has asked for it."""
        return self._by_request.get(request)

    def inputs(self, request: Request) -> Iterator[str]:
        """The folders and files that have a part in it."""
        yield request.chart
        yield from (folder for _, folder in self.layout(request.chart).keyed_subcharts())
        yield from request.value_files
        yield from (path for _, path in request.set_file)

    def _reused(self, request: Request) -> ChartBuild | None:
        return self._reuse.chart(request) if self._reuse is not None else None

    def _anew(self, request: Request, given: Given | None) -> ChartBuild:
        chart = self._chart_file(request.chart)
        if self._helm is None:
            return self._as_written(request.chart)._replace(
                request=request, not_analysed=(NotAnalysed(chart.path, NO_HELM),)
            )
        request, rendering = self.ask(request)
        outcome = rendering.outcome
        unread = tuple(not_seen(rendering, chart.path))
        if isinstance(outcome, Failed) and outcome.met_limit:
            unread += (NotAnalysed(chart.path, f"a chart: Helm {outcome.reason}", met_limit=True),)
        if isinstance(outcome, Printed):
            resources = tuple(self._resources(self.origins(request, given).documents(outcome.text)))
            build = ChartBuild(request.chart, resources, request, is_rendered=True)
        else:
            refusal = self._refusal(outcome, request.chart)
            build = self._as_written(request.chart)._replace(request=request, refusals=(refusal,))
        return build._replace(not_analysed=unread, lacks_dependencies=bool(rendering.missing))

    def ask(self, request: Request) -> tuple[Request, Rendering]:
        """What Helm says, and what it was asked in the end."""
        assert self._helm is not None
        rendering = self._helm.template(request)
        if isinstance(rendering.outcome, Refused) and not request.kube_version:
            return self._with_a_fitting_version(request, rendering)
        return request, rendering

    def origins(
        self, request: Request, given: Given | None = None, files: Sequence[str | Node] | None = None
    ) -> ChartOrigins:
        from .chart_origins import ChartOrigins  # half of what is known of Helm; not every repository has a chart

        assert self._helm is not None
        return ChartOrigins(self._tree, self._helm, self.layout(request.chart), request, given, files)

    def _with_a_fitting_version(self, request: Request, rendering: Rendering) -> tuple[Request, Rendering]:
        """Helm takes its own release's Kubernetes for the cluster's; nobody knows whether that is so."""
        assert self._helm is not None
        for minor in _MINORS:
            if not (isinstance(rendering.outcome, Refused) and _WRONG_VERSION in rendering.outcome.message):
                break
            request = request._replace(kube_version=f"1.{minor}.0")
            rendering = self._helm.template(request)
        return request, rendering

    def _resources(self, documents: Iterable[Document]) -> Iterator[Resource]:
        for document in documents:
            yield from resources_in(document.root, self._versions, RENDERED)

    def _refusal(self, outcome: Refused | Failed, folder: str) -> ChartRefusal:
        chart = self._chart_file(folder)
        if isinstance(outcome, Failed):
            return ChartRefusal(_top(chart), outcome.reason, is_ours=True)
        return ChartRefusal(self._named_place(outcome.message, folder) or _top(chart), outcome.message)

    def _named_place(self, message: str, folder: str) -> Place | None:
        """The innermost line that Helm names, of a file that is in the repository."""
        for match in reversed(list(_PLACE.finditer(message))):
            path = self.layout(folder).find(match["path"]).path
            file = self._tree.template(path) if path else None
            if file is not None:
                line = min(int(match["line"]), file.text.count("\n") + 1)
                span = file.line_span(line)
                start = span.start + len(file.line_text(line)) - len(file.line_text(line).lstrip())
                return Spot(file, span._replace(start=start))
        return None

    # -- without

    def _as_written(self, folder: str) -> ChartBuild:
        """Its templates as they stand: what a template may still change is marked as such."""
        resources: list[Resource] = []
        inner = (*self.layout(folder).subcharts, *(one for _, one in self.layout(folder).keyed_subcharts()))
        for chart in dict.fromkeys((folder, *inner)):
            for path in self._tree.below(chart):
                if not path.startswith((joined(chart, "templates/"), joined(chart, "crds/"))):
                    continue
                if posixpath.basename(path).startswith("_"):  # nothing comes of it by itself
                    continue
                if path in self._tree.templates:
                    resources += self._unrendered(path)
                else:
                    resources += self._tree.objects_in([path])
        return ChartBuild(folder, tuple(resources))

    def _unrendered(self, path: str) -> Iterator[Resource]:
        file = self._tree.template(path)
        for document in file.documents if file is not None else ():
            yield from resources_in(document.root, self._versions, TEMPLATE)

    def twice(self, request: Request) -> tuple[str, str] | None:
        """Two renderings of the same; None if there are not two."""
        if self._helm is None:
            return None
        one, other = (self._helm.template(request, again=again).outcome for again in (False, True))
        return (one.text, other.text) if isinstance(one, Printed) and isinstance(other, Printed) else None

    # -- where things are

    def layout(self, folder: str) -> ChartLayout:
        if folder not in self._layouts:
            self._layouts[folder] = ChartLayout(folder, self._tree.reachable, self._tree.elsewhere)
        return self._layouts[folder]

    def _chart_file(self, folder: str) -> SourceFile:
        file = self._tree.reachable.source(joined(folder, "Chart.yaml"))
        return file if file is not None else SourceFile(joined(folder, "Chart.yaml"), "")


def _last_values(path: str) -> tuple[bool, str]:
    """What is common comes before what an environment has of its own."""
    return posixpath.basename(path).startswith("values"), path


def not_seen(rendering: Rendering, chart: str) -> Iterator[NotAnalysed]:
    for one in rendering.missing:
        name = f"{one.name} {one.version}".rstrip()
        reason = "a dependency of a chart that is not in the repository"
        can_fetch = one.repository.startswith(("http://", "https://", "oci://"))
        yield NotAnalysed(chart, f"{reason}: {BRINGS_IT}" if can_fetch else reason, name)
    for left_out in rendering.left_out:
        needy = "a template that needs a dependency which is not here"
        what = needy if left_out.refusal else "a file that Helm was not given"
        yield NotAnalysed(left_out.path, what, left_out.reason)
    if rendering.schema_unchecked:
        reason = "values that were not held against their schema"
        yield NotAnalysed(chart, reason, rendering.schema_unchecked, hides_objects=False)


def _top(file: SourceFile) -> Place:
    """What stands for a chart as a whole: its name."""
    root = file.documents[0].root if file.documents else None
    return root["name"] if root is not None else Spot(file, Span(0, 0))
