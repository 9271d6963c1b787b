"""The release is not called as the Application, and Argo CD overwrites the label that selects by it.

With label tracking Argo CD sets app.kubernetes.io/instance of every object that it
applies to the name of the Application; charts set it to the name of the release. As long
as both are equal nobody notices. With another helm.releaseName, a ServiceMonitor that
selects Services by this label finds none: the Services have the name of the Application
there, the selector that of the release. Selectors of Pods still match, since Argo CD
leaves the labels in Pod templates alone.

Reported only where label tracking is known: by application.resourceTrackingMethod in
this repository, or because Argo CD is older than 3.0 and nothing else is set.

Fix: drop releaseName, or switch to annotation tracking, the default since Argo CD 3.0.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/, https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/

Bad:
    # argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      application.resourceTrackingMethod: label
    ---
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop-prod
    spec:
      source:
        repoURL: https://git.example.com/platform.git
        path: charts/shop
        helm:
          releaseName: shop  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/templates/monitor.yaml
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app.kubernetes.io/instance: {{ .Release.Name }}
Good:
    # argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      application.resourceTrackingMethod: annotation
    ---
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop-prod
    spec:
      source:
        repoURL: https://git.example.com/platform.git
        path: charts/shop
        helm:
          releaseName: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/templates/monitor.yaml
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app.kubernetes.io/instance: {{ .Release.Name }}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Finding, Moment, Node, Note, Repo, Severity, Span, Spot, by_line, counted, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.helm.chart import Chart
from ...linter.helm.statements import includes
from ...linter.helm.template_documents import around
from ...linter.repo.sources.chart_uses import ChartUse
from ...linter.repo.sources.chart_verdicts import verdict

LABEL: Final = "app.kubernetes.io/instance"


class Renamed(NamedTuple):
    use: ChartUse
    release: str
    selector: Spot


@rule("GL745", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    if not repo.argocd.settings.tracks_by_label(repo.versions):
        return
    for place, found in by_line(_found(repo)):
        first = found[0]
        name = first.use.application.name
        others = f" So it is with {counted(len(found) - 1, 'more Application')}." if len(found) > 1 else ""
        yield Finding(
            place,
            headline=f"{first.use.application} names its release {first.release!r}, so a ServiceMonitor finds nothing",
            happens=f"With label tracking Argo CD labels the Services {LABEL}: {name}.{others}",
            do="Leave releaseName out, or track by annotation.",
            related=(Note(first.selector, "selects by the name of the release"),),
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Renamed]]:
    for use in repo.charts.uses:
        release = use.source.tool("helm").get("releaseName")
        if not isinstance(release, str) or release in ("", use.application.name) or is_placeholder(release):
            continue
        selector = _selector(use.chart, repo)
        if selector is not None:
            yield use.application.place(f"{use.source.pointer}/helm/releaseName"), Renamed(use, release, selector)


def _selector(chart: Chart, repo: Repo) -> Spot | None:
    """Where a ServiceMonitor selects by the label, itself or through a named template."""
    named = {
        statement.define
        for statement in chart.templates.statements
        if statement.define and LABEL in statement.file.text[max(statement.span.start - 80, 0) : statement.span.start]
    }
    for statement in chart.templates.statements:
        if (
            statement.keyword
            or statement.define
            or "ServiceMonitor" not in around(statement.file, statement.span.start).kinds
        ):
            continue
        line = statement.file.line_span(statement.file.position(statement.span.start).line)
        above = statement.file.text[: line.start]
        is_direct = LABEL in statement.file.text[line.start : statement.span.start]
        is_below = above.rfind("selector:") > above.rfind("metadata:")
        uses = is_direct or bool(named.intersection(name for name in includes(statement) if name))
        if uses and is_below and verdict(repo.charts.views[chart.folder], statement).reached is not False:
            return Spot(statement.file, Span(statement.span.start, statement.span.end))
    return None
