"""The values of a chart do not fit its schema, so Helm refuses to render it.

A chart may have a values.schema.json. Helm checks all values against it, those of the
chart, of the Application's files, its inline values and its parameters together, and
stops at a value of the wrong type, a key that is missing or one that must not be
there: "values don't meet the specifications of the schema(s)". The Application shows a
ComparisonError and nothing of it is synced. The schema of a subchart that is switched on
is checked in the same way.

Where no Application is known that renders the chart, its own values are checked, and
what is missing there is left for others to set; that is a warning. Silent with
skipSchemaValidation: true, and where a file with values is not here. Schemas that
refer to other addresses are not judged.

A note is for a key that the Application sets and neither the chart's values nor its
templates know, where the chart has one of nearly the same name: without a schema
nobody else says that it does nothing.

Fix: correct the value.

See: https://helm.sh/docs/topics/charts/#schema-files, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    # apps/shop.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/platform.git
        path: charts/shop
        helm:
          valuesObject:
            replicas: two  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/values.schema.json
    {"type": "object", "properties": {"replicas": {"type": "integer"}}}
Good:
    # apps/shop.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/platform.git
        path: charts/shop
        helm:
          valuesObject:
            replicas: 2
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/values.schema.json
    {"type": "object", "properties": {"replicas": {"type": "integer"}}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Severity, Span, Spot, by_line, rule
from ...linter.helm.chart import Chart
from ...linter.helm.dependencies import root_of
from ...linter.helm.merged_values import Leaf, Tree, plain
from ...linter.helm.schema_check import Violation, violations
from ...linter.repo.sources.chart_views import ChartView

LARGEST: Final = 2_000_000
CLOSE: Final = 0.82
SHORTEST: Final = 4


class Fault(NamedTuple):
    what: str
    happens: str
    do: str
    severity: Severity
    schema: Note | None = None


@rule("GL742", Severity.ERROR, Moment.SYNC, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    for place, faults in by_line(_found(repo)):
        first = max(faults, key=lambda fault: fault.severity)
        yield Finding(
            place,
            headline=first.what,
            happens=first.happens,
            do=first.do,
            related=(first.schema,) if first.schema else (),
            severity=first.severity,
            confidence=Confidence.MEDIUM if first.severity is Severity.NOTE else Confidence.HIGH,
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Fault]]:
    for folder, chart in repo.charts.by_folder.items():
        for view in repo.charts.views[folder]:
            if view.is_known and view.is_enabled:
                yield from _against_schema(chart, view)
                if view.use is not None and not chart.is_subchart:
                    yield from _misspelt(chart, view)


# -- with a schema


def _against_schema(chart: Chart, view: ChartView) -> Iterator[tuple[Node, Fault]]:
    schema = chart.schema
    root = root_of(schema)
    skips = view.use is not None and view.use.source.tool("helm").get("skipSchemaValidation") is True
    if schema is None or root is None or skips or len(schema.text) > LARGEST:
        return
    unread = {one.key for one in chart.dependencies}
    for violation in violations(root.value, plain(view.values)) or ():
        # What a subchart adds to the values of its parent is not laid in here.
        if set(violation.path[:1]) & unread or (view.use is None and violation.keyword == "required"):
            continue
        keys = tuple(key for key in violation.keys if violation.path or key not in unread)
        if violation.keys and not keys:
            continue
        at = _place(view, violation._replace(keys=keys))
        if at is not None:
            name = ".".join(str(step) for step in violation.path)
            subject = f"{name!r}" if name else "the whole"
            who = f"{view.use.application}" if view.use else "whoever renders it with these values"
            what = f"{subject} of the values of chart {chart.name!r} {violation.what}"
            happens = f"Helm refuses the values, and Argo CD cannot generate the manifests of {who}."
            severity = Severity.ERROR if view.use else Severity.WARNING
            note = Note(Spot(schema, Span(0, 0)), "the schema")
            yield (
                at,
                Fault(what, happens, "Correct the value; the schema of the chart says what it takes.", severity, note),
            )


def _place(view: ChartView, violation: Violation) -> Node | None:
    """The value itself; of a key that is too much, the key; of one that is missing, the mapping above it."""
    one: Leaf | Tree = view.values
    steps = list(violation.path)
    if violation.keyword == "additionalProperties" and violation.keys:
        steps.append(violation.keys[0])
    while steps and isinstance(one, dict):
        key = str(steps.pop(0))
        if key not in one:
            break
        one = one[key]
    if isinstance(one, Leaf):
        return one.at.at(*steps) if not one.is_typed else one.at
    leaf = _any_leaf(one)
    if leaf is not None and leaf.at.parent is not None:
        return leaf.at.parent if violation.path else leaf.at
    return view.use.application.place(f"{view.use.source.pointer}/helm") if view.use else view.chart.root["name"]


def _any_leaf(tree: Tree) -> Leaf | None:
    for one in tree.values():
        leaf = one if isinstance(one, Leaf) else _any_leaf(one)
        if leaf is not None:
            return leaf
    return None


# -- without one


def _misspelt(chart: Chart, view: ChartView) -> Iterator[tuple[Node, Fault]]:
    if chart.values is None or view.use is None or chart.schema is not None:
        return
    from difflib import get_close_matches

    known = dict(chart.values.items())
    beside = {"global", "tags", *(one.key for one in chart.dependencies), *(one.name for one in chart.vendored)}
    given = {key: node for root in view.use.layers.over for key, node in root.items()}
    candidates = [key for key in known if key not in given and len(key) >= SHORTEST]
    for key, node in given.items():
        if key in known or key in beside or len(key) < SHORTEST or _is_asked_for(chart, key):
            continue
        near = get_close_matches(key, candidates, n=1, cutoff=CLOSE)
        if near:
            happens = (
                f"It is neither in its values.yaml nor in its templates, and does nothing for {view.use.application}."
            )
            note = Note(known[near[0]], "what may be meant")
            what, do = f"chart {chart.name!r} knows no value {key!r}", f"Write {near[0]}, if that is meant."
            yield node, Fault(what, happens, do, Severity.NOTE, note)


def _is_asked_for(chart: Chart, key: str) -> bool:
    return chart.templates.uses_unknown or any(key in file.text for file in chart.templates.files)
