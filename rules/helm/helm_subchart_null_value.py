"""A value of a subchart is left empty, and takes the subchart's own settings away.

`resources:` with nothing behind it, perhaps because all that was under it is commented
out, is null. In the values that an Application gives a chart, null deletes the key with everything
below it from the values of a subchart, since Helm 3.17 (Argo CD 3.0); before, the subchart kept its own
settings. A template of the subchart that asks for something below it fails then ("nil pointer
evaluating interface {}"), or renders without it.

In the values.yaml of the chart itself null did the same up to Argo CD 3.4. Since 3.5, which renders with
Helm 4, it changes nothing: the subchart keeps its settings. So it is a warning where Argo CD is known to
be older, and a note where its version is not known.

Reported where the subchart is in charts/ and has a mapping with something in it at that
key. An explicit null is meant, probably, and is a note. Subcharts that are not in the
repository are not known, and left alone.

Fix: take the key away, write {} if nothing is to be changed, or null if it is meant.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/2.14-3.0/

Bad:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
        helm:
          valueFiles:
            - values-prod.yaml
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # shop/values-prod.yaml
    redis:
      master:  # <- here
      # count: 2
    ---
    # shop/charts/redis/Chart.yaml
    apiVersion: v2
    name: redis
    version: 1.0.0
    ---
    # shop/charts/redis/values.yaml
    master:
      count: 1
Good:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
        helm:
          valueFiles:
            - values-prod.yaml
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # shop/values-prod.yaml
    redis:
      master: {}
      # count: 2
    ---
    # shop/charts/redis/Chart.yaml
    apiVersion: v2
    name: redis
    version: 1.0.0
    ---
    # shop/charts/redis/values.yaml
    master:
      count: 1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Note, Repo, Severity, rule, some
from ...linter.helm.chart import Chart

MOST: Final = 10_000
HELM_4: Final = "helm-4"
_WHEN: Final = {
    False: "Since Helm 3.17 (Argo CD 3.0)",
    True: "From Argo CD 3.0 to 3.4 (Helm 3.17 to 3.19), not with Helm 4,",
}
"""By whether it stands in the chart's own values."""


class Emptied(NamedTuple):
    at: Node
    default: Node
    path: str


@rule("GL741", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    if repo.versions.lacks("helm-null-in-subchart"):
        return
    seen: set[int] = set()
    for chart in repo.charts.by_folder.values():
        keys = {one.name: one.key for one in chart.dependencies}
        for vendored in chart.vendored:
            subchart = repo.charts.by_folder.get(vendored.path)
            if subchart is None or subchart.values is None:
                continue
            key = keys.get(vendored.name, vendored.name)
            for root in _layers(chart, repo):
                for one in _emptied(root[key], subchart.values, key):
                    if id(one.at.raw) not in seen:
                        seen.add(id(one.at.raw))
                        is_own = root is chart.values
                        yield _finding(one, vendored.name, is_own, is_own and not repo.versions.lacks(HELM_4))


def _layers(chart: Chart, repo: Repo) -> Iterator[Node]:
    """Its own values, which Helm 4 does not let take anything away, and what Applications lay over them."""
    if chart.values is not None and not repo.versions.has(HELM_4):
        yield chart.values
    for use in repo.charts.uses:
        if use.chart is chart:
            yield from use.layers.over


def _emptied(over: Node, default: Node, path: str) -> Iterator[Emptied]:
    waiting = [(over, default, path)]
    for _ in range(MOST):
        if not waiting:
            return
        node, below, name = waiting.pop()
        for key, child in node.items():
            there = below[key]
            if not there.is_mapping or not any(True for _ in there.items()):
                continue
            if child.is_mapping:
                waiting.append((child, there, f"{name}.{key}"))
            elif child.present and child.value is None:
                yield Emptied(child, there, f"{name}.{key}")


def _finding(one: Emptied, subchart: str, is_own: bool, is_doubtful: bool) -> Finding:
    is_meant = bool(one.at.scalar_text.strip())
    keys = [key for key, _ in one.default.items()]
    named = some(keys, 3)
    fixes = () if is_meant else (Fix("write {}", one.at.set({})),)
    return Finding(
        one.at,
        headline=f"{one.path} is null, which takes away what subchart {subchart!r} has there",
        happens=f"{_WHEN[is_own]} a template that asks for it fails: {named}.",
        do="Write {} to leave the defaults, or take the key out.",
        fixes=fixes,
        related=(Note(one.default, "what the subchart has"),),
        severity=Severity.NOTE if is_meant or is_doubtful else None,
    )
