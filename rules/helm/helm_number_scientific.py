"""A large number of the values comes out as 1e+06 in a text.

Helm reads all numbers of values as floating point, and a template prints such a number
from a million on with an exponent: `maxSize: 1000000` with
`"{{ .Values.maxSize }}"` or `{{ .Values.maxSize | quote }}` becomes "1e+06", 12345678
becomes "1.2345678e+07". A field that takes numbers does not mind, but in an argument,
an environment variable, an annotation or a piece of configuration it is a text that the
program does not take for the number, or for an id that nobody has. Helm 3 and Helm 4
do the same; only parameters (--set) are kept as integers.

Reported where the value is known, in the chart or in an Application, and stands in
quotes, goes through quote, squote, toString or printf, or is a part of a longer text.
What is converted by int or int64, or printed by toYaml or toJson, is left alone.

Fix: convert it: `{{ .Values.maxSize | int64 | quote }}`; or write the value in quotes.

See: https://helm.sh/docs/chart_best_practices/values/#make-types-clear

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # values.yaml
    maxSize: 5000000
    ---
    # templates/config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    data:
      MAX_SIZE: {{ .Values.maxSize | quote }}  # <- here
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # values.yaml
    maxSize: 5000000
    ---
    # templates/config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    data:
      MAX_SIZE: {{ .Values.maxSize | int64 | quote }}
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Note, Repo, Severity, rule
from ...linter.helm.chart import is_notes
from ...linter.helm.expressions import Call, Expression, Literal, Path
from ...linter.helm.printed_values import LARGE, printed
from ...linter.helm.statements import Statement
from ...linter.helm.template_documents import around
from ...linter.helm.template_lines import placed
from ...linter.repo.sources.chart_verdicts import verdict

TOO_LARGE: Final = 1e300
MAKE_TEXT: Final = frozenset({"quote", "squote", "toString", "printf", "print", "b64enc", "cat", "trim"})


@rule("GL744", Severity.WARNING, Moment.SYNC, any_tool=True)
def check(repo: Repo) -> Iterator[Finding]:
    for folder, chart in repo.charts.by_folder.items():
        for statement in chart.templates.statements:
            if statement.keyword or is_notes(statement.file.path):
                continue
            path = _as_text(statement)
            if path is None or around(statement.file, statement.span.start).is_test:
                continue
            for view in repo.charts.views[folder]:
                leaf = view.reach.leaf(path) if view.is_enabled else None
                if leaf is None or leaf.is_typed or not _is_large(leaf.value):
                    continue
                reached = verdict([view], statement).reached
                if reached is not False:
                    yield Finding(
                        statement.place(),
                        headline=f"{path} comes out as {printed(leaf.value)} in this text",
                        happens=f"It is {leaf.value} {view.words}, and Helm prints large numbers with an exponent.",
                        do="Convert it with | int64.",
                        related=(Note(leaf.at, "the value"),),
                        confidence=Confidence.HIGH if reached else Confidence.MEDIUM,
                    )
                    break


def _is_large(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        return False
    return LARGE <= abs(value) < TOO_LARGE and value == int(value)


def _as_text(statement: Statement) -> Path | None:
    """The value that an action makes a piece of text of, without converting it before."""
    path, makes_text = _through(statement.expression)
    if path is None or path.names[:1] != ("Values",):
        return None
    if makes_text:
        return path
    if statement.variable:
        return None
    where = placed(statement.file, statement.span)
    if where.is_whole or not (where.before + where.after).strip(" -"):
        return None  # a number of YAML, and that is the same with an exponent
    return path


def _through(expression: Expression) -> tuple[Path | None, bool]:
    makes_text = False
    while isinstance(expression, Call):
        if expression.name in MAKE_TEXT:
            makes_text = True
            if expression.name == "printf" and not _prints_as_it_is(expression):
                return None, False
        elif expression.name != "default":
            return None, False
        paths = [one for one in expression.arguments if isinstance(one, (Path, Call))]
        if len(paths) != 1:
            return None, False
        expression = paths[0]
    return (expression, makes_text) if isinstance(expression, Path) else (None, False)


def _prints_as_it_is(call: Call) -> bool:
    first = call.arguments[0] if call.arguments else None
    return isinstance(first, Literal) and isinstance(first.value, str) and ("%v" in first.value or "%s" in first.value)
