"""What a chart renders depends on the APIs of the cluster, so it changes when a CRD is installed.

.Capabilities.APIVersions.Has asks for what the cluster serves. Argo CD passes that to
Helm, so the answer is the cluster's. But it is the one at the time of the render: a
ServiceMonitor that needs monitoring.coreos.com/v1 is left out of the first sync if the
CRD comes later, also if it comes with the same Application, and appears when the chart
is rendered the next time. In a render elsewhere (`helm template` in a pipeline) it is
missing altogether.

One finding stands for a chart, and names all APIs that it asks for and that do not
belong to Kubernetes itself. Silent where all Applications set helm.apiVersions, which
Argo CD then passes instead of the cluster's, and what the values switch off.

Fix: have a value decide whether the object is made; or set helm.apiVersions in the
Application to what the cluster is meant to have.

See: argo-cd#7303, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/monitor.yaml
    {{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}  # <- here
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
    {{- end }}
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/monitor.yaml
    {{- if .Values.monitoring }}
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
    {{- end }}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Note, Repo, Severity, rule
from ...linter.helm.chart import Chart, is_notes
from ...linter.helm.expressions import Call, Literal
from ...linter.helm.statements import Statement
from ...linter.repo.sources.chart_verdicts import verdict

HAS: Final = ".Capabilities.APIVersions.Has"
MOST_NAMED: Final = 6


@rule("GL737", Severity.NOTE, Moment.UPGRADE)
def check(repo: Repo) -> Iterator[Finding]:
    for folder, chart in repo.charts.by_folder.items():
        views = [view for view in repo.charts.views[folder] if not _is_fixed(view.use)]
        found: dict[str, tuple[Statement, Call]] = {}
        for statement, call, api in _asked(chart):
            if api not in found and verdict(views, statement, None).reached is not False:
                found[api] = (statement, call)
        if not found:
            continue
        first, *others = found.items()
        names = ", ".join(list(found)[:MOST_NAMED]) + (" and others" if len(found) > MOST_NAMED else "")
        statement, call = first[1]
        yield Finding(
            statement.place(call),
            headline=f"what chart {chart.name!r} renders depends on the CRDs of the cluster",
            happens=f"Argo CD tells Helm what is there at the time, so objects come and go with {names}.",
            do="Set helm.apiVersions in the Application, if it must not depend on the cluster.",
            related=tuple(Note(one.place(at), f"asks for {api}") for api, (one, at) in others[:MOST_NAMED]),
        )


def _is_fixed(use: object) -> bool:
    source = getattr(use, "source", None)
    return source is not None and bool(source.tool("helm").get("apiVersions"))


def _asked(chart: Chart) -> Iterator[tuple[Statement, Call, str]]:
    for name, places in chart.templates.calls.items():
        if not name.endswith(HAS):
            continue
        for statement, call in places:
            asked = call.arguments[0] if call.arguments else None
            if isinstance(asked, Literal) and isinstance(asked.value, str) and not is_notes(statement.file.path):
                api = "/".join(asked.value.split("/")[:2])
                if _is_custom(api):
                    yield statement, call, api


def _is_custom(api: str) -> bool:
    """Whether the group is none of Kubernetes' own, nor of a distribution's: those do not come and go."""
    group = api.partition("/")[0]
    return "." in group and not group.endswith((".k8s.io", ".openshift.io")) and "/" in api
