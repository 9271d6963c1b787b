"""A template puts a number or a boolean where Kubernetes takes only strings.

`port: {{ .Values.port }}` under annotations, labels, the data of a ConfigMap, the
stringData of a Secret or the value of an environment variable comes out as `port: 5432`:
a number to YAML, whatever it was in the values. The API server refuses the object
("cannot unmarshal number into Go struct field … of type string"), or Argo CD cannot
even compare it, and the sync fails. It shows only with some values: with "5.0", true,
on, an account id, a version of two numbers.

Reported where the value is known, in the chart or in an Application, and does not come
out as a string. It is an error where the place is surely rendered, and a warning where
only a render could tell. What is piped to quote, squote, toString, toJson or b64enc is
left alone, and so is a value that is not set.

Fix: append `| quote` to the action.

See: argoproj/argo-helm#532, aws/aws-application-networking-k8s#323, https://helm.sh/docs/chart_template_guide/functions_and_pipelines/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # values.yaml
    port: 5432
    ---
    # templates/config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    data:
      DB_PORT: {{ .Values.port }}  # <- here
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # values.yaml
    port: 5432
    ---
    # templates/config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    data:
      DB_PORT: {{ .Values.port | quote }}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Severity, rule
from ...linter.helm.chart import is_notes
from ...linter.helm.expressions import Call, Expression, Literal, Path
from ...linter.helm.printed_values import printed, type_of_printed
from ...linter.helm.statements import Statement
from ...linter.helm.template_documents import around
from ...linter.helm.template_lines import placed, wants_text
from ...linter.repo.sources.chart_verdicts import verdict
from ...linter.repo.sources.chart_views import ChartView


class Shown(NamedTuple):
    text: str
    type: str
    at: Node | None
    view: ChartView


@rule("GL743", Severity.ERROR, Moment.SYNC, any_tool=True)
def check(repo: Repo) -> Iterator[Finding]:
    for folder, chart in repo.charts.by_folder.items():
        for statement in chart.templates.statements:
            path = _value_of(statement.expression)
            if path is None or statement.keyword or statement.variable or is_notes(statement.file.path):
                continue
            where = placed(statement.file, statement.span)
            what = wants_text(statement.file, statement.span, where) if where.is_whole else ""
            shown = _shown(path, statement, repo.charts.views[folder]) if what else None
            if shown is None or around(statement.file, statement.span.start).is_test:
                continue
            reached = verdict([shown.view], statement).reached
            if reached is False:
                continue
            yield Finding(
                statement.place(),
                headline=f"{path} comes out as {shown.text}, and {what} has to be a string",
                happens=f"It is {shown.type} {shown.view.words}: the API server refuses the object, the sync fails.",
                do="Append | quote.",
                related=(Note(shown.at, "the value"),) if shown.at is not None else (),
                severity=None if reached else Severity.WARNING,
                confidence=Confidence.HIGH if reached else Confidence.MEDIUM,
            )


def _value_of(expression: Expression) -> Path | None:
    """The value that an action prints as it is, or with something else in its place if it is not set."""
    if isinstance(expression, Call) and expression.name == "default" and len(expression.arguments) == 2:
        expression = expression.arguments[1] if isinstance(expression.arguments[0], Literal) else expression
    is_value = isinstance(expression, Path) and expression.names[:1] == ("Values",) and expression.base in ("", "$")
    return expression if is_value and isinstance(expression, Path) else None


def _shown(path: Path, statement: Statement, views: Sequence[ChartView]) -> Shown | None:
    for view in views:
        if not view.is_enabled:
            continue
        leaf = view.reach.leaf(path)
        fallback = statement.expression.arguments[0] if isinstance(statement.expression, Call) else None
        value, at = (leaf.value, leaf.at) if leaf is not None else (None, None)
        if not value and isinstance(fallback, Literal) and view.is_known:
            value, at = fallback.value, None
        text = printed(value, is_typed=leaf is not None and leaf.is_typed)
        kind = type_of_printed(text) if text else ""
        if text and kind:
            return Shown(text, kind, at, view)
    return None
