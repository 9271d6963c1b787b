"""A chart from elsewhere has a CRD that is too large for a client-side apply: the sync fails.

Argo CD applies as kubectl does: the whole object, as JSON, goes into the annotation
kubectl.kubernetes.io/last-applied-configuration as well, and all annotations together may have 262144
bytes. The CRDs of some operators have grown beyond that, so an Application that takes their chart without
ServerSideApply=true fails with "metadata.annotations: Too long": the CRD is not created, or not updated, and the
operator runs without it. object-too-large-for-last-applied tells objects that the repository itself has.

Known are the charts of Argo CD, CloudNativePG, External Secrets, Kyverno, kube-prometheus-stack and
prometheus-operator-crds, each from the version on that has such a CRD, as a source of an Application or as a
dependency of the chart that it renders; the same charts, or their folder of CRDs, in the git repository that they
are made in; and Argo CD's own manifests of a release, as a remote resource of the kustomization that an Application
builds. Where the values leave the CRDs out, or annotate them with the option, nothing is said.

Fix: add ServerSideApply=true to the syncOptions. The fix is unsafe, since it changes how everything in the
Application is applied.

See: argo-cd#820, prometheus-operator/prometheus-operator#4355, cloudnative-pg/cloudnative-pg#4377,
https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/3.2-3.3/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: postgres
    spec:
      project: default
      source:
        repoURL: https://cloudnative-pg.github.io/charts
        chart: cloudnative-pg
        targetRevision: 0.26.0  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: cnpg-system
      syncPolicy:
        syncOptions:
          - CreateNamespace=true
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: postgres
    spec:
      project: default
      source:
        repoURL: https://cloudnative-pg.github.io/charts
        chart: cloudnative-pg
        targetRevision: 0.26.0
      destination:
        server: https://kubernetes.default.svc
        namespace: cnpg-system
      syncPolicy:
        syncOptions:
          - CreateNamespace=true
          - ServerSideApply=true
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...linter.api import App, Cause, Finding, Fix, Moment, Node, Repo, Severity, by_line, rule, table
from ...linter.argocd.applications import Application, Source
from ...linter.facts.file_names import KUSTOMIZATIONS
from ...linter.kubernetes.crds.operators import chart_pin
from ...linter.repo.installed_operators import InstalledOperators, comes_without_crds
from ...linter.yaml.source import SourceFile

OPTION: Final = "ServerSideApply=true"
ENOUGH: Final = frozenset((OPTION, "Replace=true"))
OPTIONS: Final = "/spec/syncPolicy/syncOptions"
RELEASE: Final = re.compile(
    r"(?:raw\.githubusercontent\.com|github\.com)/([\w.-]+/[\w.-]+)/(?:[^?]*[?&]ref=)?(v?\d+\.\d+(?:\.\d+)?)"
)
IN_GIT: Final = re.compile(r"github\.com[/:]([\w.-]+/[\w-]+)")
FOLDER: Final = re.compile(r"charts/([\w-]+)(?:/(?:charts/)?crds(?:/.*)?)?/?")
NUMBERS: Final = re.compile(r"[v^~=> ]*(\d+)(?:\.(\d+))?(?:\.(\d+))?")


class Large(NamedTuple):
    application: Application
    chart: str
    crd: str


@rule("GL308", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, (first, *_) in by_line(_found(repo)):
        options = first.application.field(OPTIONS)
        yield Finding(
            place,
            headline=f"{first.chart} has a CRD that is too large for a client-side apply",
            happens=f'The sync of {first.application.name!r} fails at {first.crd} ("metadata.annotations: Too long: may'
            ' not be more than 262144 bytes").',
            do=f"Add {OPTION} to its syncOptions.",
            fixes=(Fix(f"add {OPTION} to the syncOptions", options.append(OPTION), safe=False),) if options else (),
            cause=Cause(
                f"{first.chart} without {OPTION}",
                f"{first.chart} has a CRD that is too large for a client-side apply, at {{count}} places",
            ),
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Large]]:
    installed = InstalledOperators(repo)
    kustomizations: dict[str, list[SourceFile]] = {}
    for file in repo.files:
        folder, name = posixpath.split(file.path)
        if name in KUSTOMIZATIONS:
            kustomizations.setdefault(folder, []).append(file)
    for app in repo.applications:
        application = app.application
        if application is None or ENOUGH.intersection(application.sync_options):
            continue
        here = {one.name for one in app.resources if one.is_crd}
        for place, chart, crd in _charts(installed, app, application, kustomizations):
            if crd not in here:
                yield place, Large(application, chart, crd)


def _charts(
    installed: InstalledOperators,
    app: App,
    application: Application,
    kustomizations: Mapping[str, Sequence[SourceFile]],
) -> Iterator[tuple[Node, str, str]]:
    """Those with such a CRD: where the version is written, the chart's name, the CRD."""
    for one in app.rendered:
        source = one.source
        if source.chart:
            crd = _large(source.repo_url, source.chart, source.target_revision)
            is_seen_to = ENOUGH.intersection(installed.options_on_crds(application, one))
            if crd and not is_seen_to and not installed.leaves_crds_out(application, one):
                yield application.place(f"{source.pointer}/targetRevision"), source.chart, crd
        crd = _large_in_git(source)
        if crd and not installed.leaves_crds_out(application, one):
            yield application.place(f"{source.pointer}/targetRevision"), source.path, crd
        yield from _remote(kustomizations.get(one.path, ())) if one.tool == "kustomize" else ()
        chart = installed.repo.charts.by_folder.get(one.path) if one.path else None
        for dependency in chart.not_vendored if chart else ():
            crd = _large(dependency.repository, dependency.name, dependency.version)
            if crd and chart and not comes_without_crds(chart, dependency):
                yield dependency.node["version"], dependency.name, crd


def _remote(files: Iterable[SourceFile]) -> Iterator[tuple[Node, str, str]]:
    """Manifests of a release that the kustomization of a folder takes from where they are published."""
    for file in files:
        for document in file.documents:
            for entry in document.root["resources"]:
                match = RELEASE.search(entry.text)
                found = table("large-crds.json")["repositories"].get(match[1]) if match else None
                if match and found and _at_least(match[2], found["since"]) and "/manifests/" in entry.text:
                    yield entry, match[1], str(found["crd"])


def _at_least(version: str, since: str) -> bool:
    numbers = NUMBERS.match(version)
    return numbers is not None and [int(one or 0) for one in numbers.groups()] >= [int(one) for one in since.split(".")]


def _large(repository: str, chart: str, version: str) -> str:
    entry = table("large-crds.json")["charts"].get(chart_pin(repository, chart))
    if entry is None or not _at_least(version, entry["since"]):
        return ""
    # Of a number that no release has, such as the operator's own, it is not known what it would bring.
    is_release = "before" not in entry or not _at_least(version, entry["before"])
    return str(entry["crd"]) if is_release else ""


def _large_in_git(source: Source) -> str:
    """A chart in the repository that it is made in, where each release has a tag of the chart's name."""
    repository, folder = IN_GIT.search(source.repo_url), FOLDER.fullmatch(source.path.strip("/"))
    charts = table("large-crds.json")["chartsInGit"].get(repository[1].removesuffix(".git")) if repository else None
    tag = f"{folder[1]}-" if folder else ""
    if not charts or not folder or not source.target_revision.startswith(tag):
        return ""
    return _large(charts, folder[1], source.target_revision.removeprefix(tag))
