"""A template asks whether Helm installs or upgrades, and under Argo CD it is always an installation.

Argo CD renders charts with `helm template`. There is no release that could be
upgraded: .Release.IsInstall is always true, .Release.IsUpgrade always false,
.Release.Revision always 1. What belongs into an upgrade only is never rendered. What
belongs into an installation only is rendered every time; if it is a random password,
every render has another one.

A note where only a render could tell whether the place is reached, and in a subchart or
a library, which others wrote. Silent: NOTES.txt, tests, and what the values switch off.

Fix: let a value decide, or a hook that finds out by itself what there is to do.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/, https://helm.sh/docs/chart_template_guide/builtin_objects/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/job.yaml
    {{- if .Release.IsUpgrade }}  # <- here
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    {{- end }}
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # templates/job.yaml
    {{- if .Values.migrate }}
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    {{- end }}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Repo, Severity, rule
from ...linter.helm.chart import Chart, is_notes
from ...linter.helm.expressions import Call, Expression, Path
from ...linter.helm.template_documents import around
from ...linter.repo.sources.chart_verdicts import verdict

ALWAYS: Final = {"IsInstall": "true", "IsUpgrade": "false", "Revision": "1"}
"""Under Argo CD."""
EVERY_TIME: Final = "What is meant for the first installation is rendered every time."
NEVER: Final = "What is meant for upgrades is never rendered."


@rule("GL736", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for folder, chart in repo.charts.by_folder.items():
        seen: set[tuple[str, int]] = set()
        for statement in chart.templates.statements:
            for path in statement.paths:
                if len(path.names) < 2 or path.names[-2] != "Release" or path.names[-1] not in ALWAYS:
                    continue
                line = (statement.file.path, statement.file.position(path.span.start).line)
                if line in seen or is_notes(statement.file.path) or around(statement.file, path.span.start).is_test:
                    continue
                found = verdict(repo.charts.views[folder], statement, None)
                if found.reached is False:
                    continue
                seen.add(line)
                yield Finding(
                    statement.place(path),
                    headline=f"{path} is always {ALWAYS[path.names[-1]]} under Argo CD",
                    happens=_effect(path, _is_negated(statement.expression, path)),
                    do="Let a value decide, or a hook that finds out by itself what there is to do.",
                    severity=Severity.WARNING if found.reached and not _is_vendored(chart) else Severity.NOTE,
                    confidence=Confidence.HIGH if found.reached else Confidence.MEDIUM,
                )


def _effect(path: Path, negated: bool) -> str:
    if path.names[-1] == "Revision":
        return "It never counts up."
    return EVERY_TIME if (path.names[-1] == "IsInstall") is not negated else NEVER


def _is_negated(expression: Expression, path: Path) -> bool:
    """Whether an odd number of `not` is around it."""
    if not isinstance(expression, Call):
        return False
    inside = next((one for one in expression.arguments if _holds(one, path)), None)
    if inside is None:
        return False
    return (expression.name == "not") is not _is_negated(inside, path)


def _holds(expression: Expression, path: Path) -> bool:
    if isinstance(expression, Call):
        return any(_holds(one, path) for one in expression.arguments)
    return expression is path


def _is_vendored(chart: Chart) -> bool:
    """Others wrote it, and only they can change it."""
    return chart.is_library or chart.is_subchart
