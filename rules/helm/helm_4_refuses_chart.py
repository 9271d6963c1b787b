"""Helm 4 does not know the apiVersion of a chart and refuses it, which Helm 3 did not.

Argo CD renders with Helm 4 since 3.5. Helm 3 took any word for the apiVersion of
Chart.yaml; Helm 4 takes v1, v2 or none ("unsupported chart version", "invalid chart
apiVersion"). Argo CD then shows a ComparisonError and syncs nothing of the Application.
The charts within a chart may say what they like.

An error where Argo CD is known to be 3.5 or later, else a note: it waits for the upgrade.
It is the only thing of 95 oddities of charts that Helm 3.17 renders and Helm 4.1 and 4.2
refuse without asking the network. A chart that Helm 4 has refused in this run is left to helm-chart-fails.

Fix: write apiVersion: v2; v1 where the dependencies are in requirements.yaml.

See: https://helm.sh/docs/topics/charts/#the-apiversion-field

Bad:
    # Chart.yaml
    apiVersion: 2  # <- here
    name: shop
    version: 1.4.2
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Repo, Severity, rule
from ...linter.helm.chart import Chart

HELM_4: Final = "helm-4"
_KNOWN: Final = ("", "v1", "v2")
_SAID_BY_HELM_4: Final = ("unsupported chart version", "invalid chart apiVersion")


@rule("GL749", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for chart in repo.charts.rendered:
        written = chart.root["apiVersion"]
        if written.scalar_text in _KNOWN or not written.present or _is_told(repo, chart):
            continue
        is_near = repo.versions.has(HELM_4)
        right = "v1" if written.scalar_text == "1" else "v2"
        yield Finding(
            written,
            headline=f"Helm 4 refuses a chart of apiVersion {written.scalar_text}",
            happens="Argo CD renders with it since 3.5, and then cannot generate the manifests.",
            do=f"Write apiVersion: {right}.",
            fixes=(Fix(f"write {right}", written.set(right)),),
            severity=None if is_near else Severity.NOTE,
            moment=None if is_near else Moment.UPGRADE,
        )


def _is_told(repo: Repo, chart: Chart) -> bool:
    """By the Helm of this run."""
    refusals = (refusal for build in repo.chart_builds if build.folder == chart.folder for refusal in build.refusals)
    return any(words in refusal.message for refusal in refusals for words in _SAID_BY_HELM_4)
