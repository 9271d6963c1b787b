"""A template asks the cluster with lookup, and under Argo CD it never gets an answer.

Argo CD renders charts with `helm template`, which has no cluster to ask: lookup gives
an empty map, always. A template that means to keep a Secret that is there already
takes its other branch each time. Where that branch makes a random value, every render
has another one: the Application is OutOfSync without a change in git, and the sync that
follows replaces the secret that is in use. That is an error. Where the branch is
`fail`, the manifests can never be generated: an error, too. Otherwise it is a note:
what is guarded by lookup is never rendered, or always, which charts mostly allow for.

In a chart that no Application of the repository renders it is a note, and a warning
where the repository has no Application at all.

Silent: what the values of all Applications (or the chart's own, where no Application is
known) switch off, NOTES.txt, and tests.

Fix: set the value that the template takes instead, if it has one; else keep the object
out of the chart.

See: argo-cd#5202, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/secret.yaml
    {{- $old := lookup "v1" "Secret" .Release.Namespace "shop" }}  # <- here
    apiVersion: v1
    kind: Secret
    metadata:
      name: shop
    data:
      {{- if $old }}
      password: {{ $old.data.password }}
      {{- else }}
      password: {{ randAlphaNum 16 | b64enc }}
      {{- end }}
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/secret.yaml
    apiVersion: v1
    kind: Secret
    metadata:
      name: shop
    data:
      password: {{ required "password is missing" .Values.password | b64enc }}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Note, Repo, Severity, rule
from ...linter.helm.chart import Chart, is_notes
from ...linter.helm.expressions import Call
from ...linter.helm.lookups import Lookups
from ...linter.helm.reached_actions import CLOCK, RANDOM
from ...linter.helm.statements import Statement
from ...linter.helm.template_documents import around
from ...linter.repo.sources.chart_verdicts import verdict
from ...linter.repo.sources.chart_views import ChartView

MOST: Final = 500
EMPTY: Final = "lookup finds nothing under Argo CD"
WHY: Final = "Argo CD renders charts without a cluster."


@rule("GL735", Severity.ERROR, Moment.SYNC, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    for folder, chart in repo.charts.by_folder.items():
        views = repo.charts.views[folder]
        lookups = Lookups(chart.templates)
        seen: set[tuple[str, int]] = set()
        for statement, call in chart.templates.calls.get("lookup", ())[:MOST]:
            line = (statement.file.path, statement.file.position(call.span.start).line)
            if is_notes(statement.file.path) or line in seen or around(statement.file, statement.span.start).is_test:
                continue
            reached = verdict(views, statement, None).reached
            if reached is False or (reached is None and statement.define and chart.is_library):
                continue
            seen.add(line)
            dependent = _dependent(chart, lookups, statement)
            random = _random(statement, dependent, views)
            if random is None or not _is_ignored(repo, folder, *random):
                worst = _worst(repo, folder)
                yield _finding(statement, call, dependent, views, random, is_sure=reached is True, severity=worst)


def _is_ignored(repo: Repo, folder: str, maker: Statement, name: Call) -> bool:
    """Whether every Application leaves the random value out of its comparison."""
    if repo.charts.prove is None:
        return False
    line = maker.file.position(name.span.start).line
    return line in repo.charts.prove((folder,)).ignored.get(maker.file.path, ())


def _worst(repo: Repo, folder: str) -> Severity:
    """What nothing here renders is somebody else's business."""
    if repo.charts.has_users(folder):
        return Severity.ERROR
    return Severity.NOTE if repo.applications else Severity.WARNING


def _dependent(chart: Chart, lookups: Lookups, statement: Statement) -> list[Statement]:
    """What is rendered, or not, because of what is looked up in the same template."""
    beside = chart.templates.together[(id(statement.file), statement.define)][:MOST]
    return [one for one in beside if one.guards and any(lookups.depends(g.condition, one) for g in one.guards)]


def _finding(
    statement: Statement,
    call: Call,
    dependent: Sequence[Statement],
    views: Sequence[ChartView],
    random: tuple[Statement, Call] | None,
    *,
    is_sure: bool,
    severity: Severity,
) -> Finding:
    at = statement.place(call)
    confidence = Confidence.HIGH if is_sure else Confidence.MEDIUM
    if random is not None:
        maker, name = random
        return Finding(
            at,
            headline=f"lookup finds nothing under Argo CD, so {name.name} gives another value in every render",
            happens="The Application is OutOfSync without a change in git, and the next sync replaces what is in use.",
            do="Set the value that the template asks for, or keep the secret outside of the chart.",
            related=(Note(maker.place(name), f"{name.name} is what is left"),) if maker is not statement else (),
            severity=severity,
            confidence=confidence,
        )
    failing = [one for one in dependent for inner in one.calls if inner.name == "fail"]
    for one in failing:
        if verdict(views, one).reached is True:
            return Finding(
                at,
                headline=f"{EMPTY}, so the template fails",
                happens=f"{WHY} It can never generate the manifests.",
                do="Switch off what looks it up, or give it by a value.",
                related=(Note(one.place(), "it fails here"),),
                severity=severity,
                confidence=confidence,
            )
    if failing and all(one in failing or one.keyword for one in dependent):
        what, do = "the check behind it never fails", "Do not rely on the check."
    else:
        what, do = "the object never seems to be there", "Give by a value what is looked up."
    headline = f"{EMPTY}, so {what}"
    return Finding(at, headline=headline, happens=WHY, do=do, severity=Severity.NOTE, confidence=confidence)


def _random(
    statement: Statement, dependent: Sequence[Statement], views: Sequence[ChartView]
) -> tuple[Statement, Call] | None:
    """What makes a random value where nothing was looked up."""
    for one in (statement, *dependent):
        for call in one.calls:
            if call.name in RANDOM | CLOCK and verdict(views, one, call).reached is not False:
                return one, call
    return None
