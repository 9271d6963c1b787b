"""Helm refuses a chart, so Argo CD cannot generate the manifests.

The chart is rendered here with the real Helm as Argo CD does it: with the values,
parameters, release name and namespace of the Application. What Helm refuses, Argo CD
refuses, too: it shows a ComparisonError and syncs nothing of the Application until it is
repaired. The finding has Helm's own reason, at the line that Helm names; if it names
none, at the name of the chart.

A chart that no Application of the repository uses is rendered with its own values, and
with each ci/*-values.yaml. Many charts want values that they have no default for, so
there it is a note. So it is where a dependency is missing here that Argo CD would fetch.

A chart that needs more time, memory or room for its output than it is given here
(30 seconds, 1 GB, 32 MB) is stopped, which is told as a warning: Argo CD by default
gives Helm 90 seconds.

Without Helm nothing is rendered and the rule is silent.

Fix: correct the place that is named, or give the value that the template asks for; helm
template with the same values shows when it renders.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/, argo-cd#7767, argo-cd#3280
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Confidence, Finding, Moment, Place, Repo, Severity, and_more, by_line, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.dialects.target_revision import follows_main_line
from ...linter.repo.sources.charts import ChartBuild, ChartRefusal


@rule("GL730", Severity.ERROR, Moment.SYNC, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    found = ((refusal.at, (build, refusal)) for build in repo.chart_builds for refusal in build.refusals)
    for place, together in by_line(found):
        yield _finding(place, together)


def _finding(place: Place, together: list[tuple[ChartBuild, ChartRefusal]]) -> Finding:
    """Of those at one line the one that matters most: an Application that is stopped."""
    build, refusal = max(together, key=lambda one: (_severity(*one), one[0].application is not None))
    if refusal.is_ours:
        message = f"{build.title} was not rendered here: {refusal.message}"
    else:
        message = f"Helm refuses the chart {_values(build)}{_effect(together)}: {refusal.message}"
    if build.lacks_dependencies:
        message += "; perhaps only since a dependency is missing here that Argo CD would fetch"
    confidence = Confidence.LOW if build.lacks_dependencies else Confidence.HIGH
    return Finding(place, message, severity=_severity(build, refusal), confidence=confidence)


def _severity(build: ChartBuild, refusal: ChartRefusal) -> Severity:
    if build.application is None or build.lacks_dependencies or not _is_synced(build):
        return Severity.NOTE
    if build.application.resource.tentative:  # made by a chart with values that nobody may use
        return Severity.NOTE
    if _has_blanks(build):  # something else fills them in, or Argo CD would fail of them sooner
        return Severity.NOTE
    return Severity.WARNING if refusal.is_ours else Severity.ERROR


def _has_blanks(build: ChartBuild) -> bool:
    """Whether parameters of the Application are still to be filled in."""
    parameters = build.source.tool("helm").get("parameters") if build.source is not None else None
    found = (one.get("value") for one in parameters if isinstance(one, dict)) if isinstance(parameters, list) else ()
    return any(isinstance(text, str) and is_placeholder(text) for text in found)


def _is_synced(build: ChartBuild) -> bool:
    """Whether the Application syncs the chart as it is in this checkout, or may."""
    return build.source is None or follows_main_line(build.source.target_revision) is not False


def _values(build: ChartBuild) -> str:
    if build.application is not None:
        made = (
            ", which a chart makes with values that may not be in use" if build.application.resource.tentative else ""
        )
        return f"with the values of {build.application}{made}"
    files = build.request.value_files if build.request is not None else ()
    return f"with {files[0]}" if files else "with its own values, which no Application here uses"


def _effect(together: list[tuple[ChartBuild, ChartRefusal]]) -> str:
    names = list(dict.fromkeys(str(build.application) for build, _ in together if build.application is not None))
    if not names:
        return ""
    more = and_more(len(names) - 1, " (nor of {} more)")
    return f", so Argo CD cannot generate its manifests{more}"
