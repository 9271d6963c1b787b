"""An Application leaves out the CRDs that its chart needs, and nothing else brings them.

With helm.skipCrds: true Argo CD renders a chart without what is in its crds/ folder.
If its templates make objects of these kinds, and no other place of the repository has
the CRDs, the sync is refused: the cluster knows no such kind. Somebody may have installed
them by hand; a new cluster will not have them.

Only charts of this repository are looked at.

Fix: take skipCrds away, or bring the CRDs with another Application that is synced before.

See: argo-cd#28026, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

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
          skipCrds: true  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/crds/carts.yaml
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: carts.shop.example.com
    spec:
      group: shop.example.com
      names:
        kind: Cart
        plural: carts
    ---
    # charts/shop/templates/cart.yaml
    apiVersion: shop.example.com/v1
    kind: Cart
    metadata:
      name: {{ .Release.Name }}
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
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    ---
    # charts/shop/crds/carts.yaml
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: carts.shop.example.com
    spec:
      group: shop.example.com
      names:
        kind: Cart
        plural: carts
    ---
    # charts/shop/templates/cart.yaml
    apiVersion: shop.example.com/v1
    kind: Cart
    metadata:
      name: {{ .Release.Name }}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, Span, Spot, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.helm.chart import Chart
from ...linter.kubernetes.resource import resources_in


class Left(NamedTuple):
    application: Application
    crd: Resource
    user: Spot


@rule("GL746", Severity.WARNING, Moment.INSTALL, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    for place, left in by_line(_found(repo)):
        first = left[0]
        kind = first.crd["spec"]["names"]["kind"].text
        yield Finding(
            place,
            headline=f"{first.application} leaves out the CRD of {kind}, of which its chart makes objects",
            happens="Nothing else in this repository brings it: where it is not installed yet, the sync is refused.",
            do="Take skipCrds away, or bring the CRDs by another Application.",
            related=(Note(first.crd["kind"], "the CRD that is left out"), Note(first.user, f"a {kind}")),
            confidence=Confidence.MEDIUM,
        )


def _found(repo: Repo) -> Iterator[tuple[Node, Left]]:
    for use in repo.charts.uses:
        if use.source.tool("helm").get("skipCrds") is not True:
            continue
        folder = use.chart.path("crds/")
        inside = [
            one
            for file in repo.files
            if file.path.startswith(folder)
            for document in file.documents
            for one in resources_in(document.root)
        ]
        elsewhere = {one.defines for one in repo.resources if one.defines and not one.file.path.startswith(folder)}
        for crd in inside:
            user = _user(use.chart, crd) if crd.defines and crd.defines not in elsewhere else None
            if user is not None:
                place = use.application.place(f"{use.source.pointer}/helm/skipCrds")
                yield place, Left(use.application, crd, user)


def _user(chart: Chart, crd: Resource) -> Spot | None:
    """A template that makes an object of the kind."""
    group, kind = crd["spec"]["group"].text, crd["spec"]["names"]["kind"].text
    pattern = re.compile(rf"^kind:[ \t]*[\"']?{re.escape(kind)}[\"']?[ \t]*\r?$", re.MULTILINE)
    for file in chart.templates.files:
        match = pattern.search(file.text) if f"{group}/" in file.text else None
        if match is not None:
            return Spot(file, Span(*match.span()))
    return None
