"""A Rollout changes weights and selectors that Argo CD puts back.

During a canary Argo Rollouts writes the weights of the VirtualService that its trafficRouting
names, and the selectors of its canary and stable Services. Services get a label that git does not
have, which Argo CD does not compare; the weights of a VirtualService are in git, and differ as
long as a rollout runs. With selfHeal Argo CD puts git's weights back, again and again, and the
canary gets no traffic, or all; without it the Application is OutOfSync until the rollout is done,
and a sync in between ends the canary's share.

Fix: ignore the weights in the Application, and respect that:
`.spec.http[].route[].weight` for VirtualService, with RespectIgnoreDifferences=true.

See: argo-rollouts#3854, argo-rollouts#2463, argo-rollouts#3565

Bad:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          selfHeal: true
    # shop/route.yaml
    apiVersion: networking.istio.io/v1
    kind: VirtualService
    metadata:
      name: shop
    spec:
      http:
        - route:
            - destination:
                host: shop
              weight: 100  # <- here
            - destination:
                host: shop-canary
              weight: 0
    # shop/rollout.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Rollout
    metadata:
      name: shop
    spec:
      strategy:
        canary:
          trafficRouting:
            istio:
              virtualService:
                name: shop
Good:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: networking.istio.io
          kind: VirtualService
          jqPathExpressions:
            - .spec.http[].route[].weight
      syncPolicy:
        automated:
          selfHeal: true
        syncOptions:
          - RespectIgnoreDifferences=true
    # shop/route.yaml
    apiVersion: networking.istio.io/v1
    kind: VirtualService
    metadata:
      name: shop
    spec:
      http:
        - route:
            - destination:
                host: shop
              weight: 100
            - destination:
                host: shop-canary
              weight: 0
    # shop/rollout.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Rollout
    metadata:
      name: shop
    spec:
      strategy:
        canary:
          trafficRouting:
            istio:
              virtualService:
                name: shop
"""

from collections.abc import Iterator

from ...linter.api import App, Finding, Moment, Node, Note, Repo, Resource, Severity, rule


@rule("GL421", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for app in repo.applications:
        for rollout in app.resources:
            if rollout.group_kind != "argoproj.io/Rollout" or app.application is None:
                continue
            for route, weight in _weights(app, rollout):
                path = ("spec", "http", 0, "route", 0, "weight")
                if not repo.argocd.ignores(app, route, path):
                    yield _finding(app, rollout, route, weight)


def _weights(app: App, rollout: Resource) -> Iterator[tuple[Resource, Node]]:
    """Of each VirtualService that the rollout names, the first weight that git sets."""
    istio = rollout["spec"]["strategy"]["canary"]["trafficRouting"]["istio"]
    named = {istio["virtualService"]["name"].text, *(one["name"].text for one in istio["virtualServices"])}
    for route in app.resources:
        if route.group_kind == "networking.istio.io/VirtualService" and route.name in named and not route.patched:
            weights = (to["weight"] for http in route["spec"]["http"] for to in http["route"])
            weight = next((one for one in weights if one.present), None)
            if weight is not None:
                yield route, weight


def _finding(app: App, rollout: Resource, route: Resource, weight: Node) -> Finding:
    heals = app.application is not None and app.application.heals
    effect = "selfHeal puts git's weights back while a canary runs" if heals else "a sync in between puts git's back"
    return Finding(
        weight,
        headline=f"{rollout} writes the weights of {route}, and {app.application} compares them",
        happens=f"The Application is OutOfSync during every rollout, and {effect}.",
        do="Ignore .spec.http[].route[].weight of the VirtualService, with RespectIgnoreDifferences=true.",
        related=(Note(rollout["kind"], f"{rollout} names it in trafficRouting"),),
        severity=Severity.WARNING if heals else Severity.NOTE,
    )
