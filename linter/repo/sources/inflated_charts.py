"""Charts that kustomizations ask for, rendered as Kustomize has Helm render them."""

from __future__ import annotations

from ...facts.versions import Versions
from ...helm.helm_request import Request
from ...kustomize.inflation import NOT_RENDERED, Inflated, Inflation
from ...kustomize.kustomize_errors import BuildError, Cause, NotBuilt
from ...programs.outcomes import Failed, Refused
from .charts import Charts, not_seen


def inflate(charts: Charts, versions: Versions, wanted: Inflation) -> Inflated:
    if not charts.can_render:
        raise NotBuilt(wanted.at, NOT_RENDERED, wanted.at.text)
    request, rendering = charts.ask(request_of(wanted, versions))
    name, outcome = wanted.at.text, rendering.outcome
    if isinstance(outcome, Failed):
        raise NotBuilt(wanted.at, "helmCharts: a chart that was not rendered", f"{name}: {outcome.reason}")
    if isinstance(outcome, Refused):
        raise BuildError(Cause.BAD_CHART, wanted.at, f"Helm refuses to render {name}: {outcome.message}")
    documents = charts.origins(request, files=wanted.layers).documents(outcome.text)
    gaps = (NotBuilt(wanted.at, one.reason, one.detail) for one in not_seen(rendering, wanted.chart))
    return Inflated(tuple(documents), tuple(charts.inputs(request)), tuple(gaps))


def request_of(wanted: Inflation, versions: Versions) -> Request:
    """Argo CD tells Kustomize the version of its cluster, which then counts more than what an entry says."""
    known = versions.kubernetes
    return Request(
        wanted.chart,
        wanted.release,
        wanted.namespace,
        value_files=wanted.value_files,
        values=wanted.values,
        kube_version=f"{known}.0" if known else wanted.kube_version,
        api_versions=wanted.api_versions,
        include_crds=wanted.include_crds,
        skip_tests=wanted.skip_tests,
        skip_hooks=wanted.skip_hooks,
        values_first=True,
    )
