"""replicas leaves git while an autoscaler sets it: the sync that applies this sets it to 1.

It is right to leave the number to the autoscaler, but not at once. As long as git had it, it is part of
what was applied last; when it is gone from git, a client-side apply takes it out of the object, the
API server fills in its default, 1, and the workload is scaled down, under load too, until the
autoscaler notices. With Replace=true it is the same, at every sync.

Silent with server-side apply, which only gives the field up, and where the Application ignores
/spec/replicas with RespectIgnoreDifferences=true: then a sync keeps what the cluster has. A note
where no Application is known.

Fix: first let the Application ignore /spec/replicas of the workload, with
RespectIgnoreDifferences=true, and take replicas out with or after that.

See: argo-cd#1603, kubernetes/kubernetes#25238,
https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling

Bad:
    # both: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # before: deploy/shop.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 3
    # deploy/shop.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:  # <- here
      revisionHistoryLimit: 3
    # both: deploy/hpa.yaml
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata:
      name: shop
    spec:
      scaleTargetRef:
        apiVersion: apps/v1
        kind: Deployment
        name: shop
      maxReplicas: 8
Good:
    # both: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jsonPointers:
            - /spec/replicas
      syncPolicy:
        syncOptions:
          - RespectIgnoreDifferences=true
    # before: deploy/shop.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 3
    # deploy/shop.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      revisionHistoryLimit: 3
    # both: deploy/hpa.yaml
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata:
      name: shop
    spec:
      scaleTargetRef:
        apiVersion: apps/v1
        kind: Deployment
        name: shop
      maxReplicas: 8
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Change, Finding, Moment, Node, Note, Severity, by_line, rule
from ...linter.change.immutable import rewritten
from ...linter.repo.autoscaling import Scaled, scaled_without_number
from ...linter.repo.comparison import leaves_alone

REPLICAS: Final = ("spec", "replicas")


@rule("GL911", Severity.WARNING, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    numbers = {
        id(pair.after): pair.before.node.at(*REPLICAS).value
        for pair in rewritten(change)
        if isinstance(pair.before.node.at(*REPLICAS).value, int) and pair.after.node.at(*REPLICAS).value is None
    }
    if not numbers:
        return
    found = [
        (one.workload.node.at(*REPLICAS), one)
        for one in scaled_without_number(change.head)
        if id(one.workload) in numbers
        and not one.app.options_for(one.workload).server_side_apply
        and not leaves_alone(one.app, one.workload, REPLICAS, change.head)
    ]
    for place, together in by_line(found):
        yield _finding(place, together[0], numbers[id(together[0].workload)])


def _finding(place: Node, one: Scaled, number: int) -> Finding:
    least = f" again to at least {one.least}" if one.least > 1 else ""
    return Finding(
        place,
        headline=f"replicas: {number} of {one.workload} leaves git while {one.autoscaler} sets it",
        happens="The sync takes the field out, the API server fills in 1, and the workload runs with one pod until the"
        f" autoscaler scales it{least}.",
        do="First let the Application ignore /spec/replicas, with RespectIgnoreDifferences=true.",
        related=(Note(one.target, f"{one.autoscaler} scales it"),),
        severity=Severity.NOTE if one.app.application is None else None,
    )
