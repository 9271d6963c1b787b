"""replicas in git and an autoscaler for the same workload: every sync undoes what the other did.

A HorizontalPodAutoscaler, a ScaledObject of KEDA and the like write spec.replicas of their
target. If git has the field, too, Argo CD shows the workload as OutOfSync whenever the
autoscaler chose another number, and every sync sets it back to git's: under load that is
an outage, and with selfHeal the two fight for ever. Server-side apply is no way out, since
Argo CD takes the field by force. replicas: 0 also switches a HorizontalPodAutoscaler off.

It is a note where bounds and replicas are one and the same number or no Application is
known, and else a warning. Silent where the Application ignores /spec/replicas of the workload and has
RespectIgnoreDifferences=true; with ignoreDifferences alone every sync still sets the
number (if the Application syncs by itself, ignore-without-respect tells that). Target
and autoscaler are looked for in one Application, or in several of one cluster.

Fix: leave the number to the autoscaler: first let the Application ignore it, with
RespectIgnoreDifferences=true, and only then take replicas out of git. To take it out at
once sets a running workload to 1 for a moment. The fix offered does the first, where the
Application is in the repository; it is unsafe, since it changes how the Application syncs.

See: argo-cd#5105, argo-cd#1603, argo-cd#2748, argo-cd#3002, argo-rollouts#3565, https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 3  # <- here
    ---
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata:
      name: shop
    spec:
      scaleTargetRef:
        apiVersion: apps/v1
        kind: Deployment
        name: shop
      minReplicas: 2
      maxReplicas: 8
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: apps
          kind: Deployment
          name: shop
          jsonPointers:
            - /spec/replicas
      syncPolicy:
        syncOptions:
          - RespectIgnoreDifferences=true
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 3
    ---
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata:
      name: shop
    spec:
      scaleTargetRef:
        apiVersion: apps/v1
        kind: Deployment
        name: shop
      minReplicas: 2
      maxReplicas: 8
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Note, Repo, Severity, by_line, rule
from ...linter.repo.autoscaling import Scaled, scaled_workloads
from ...linter.repo.comparison import is_told_as_ignored, leaves_alone

REPLICAS: Final = ("spec", "replicas")
RESPECT: Final = "RespectIgnoreDifferences=true"


@rule("GL407", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = [
        (one.workload.node.at(*REPLICAS), one)
        for one in scaled_workloads(repo)
        if isinstance(one.workload.node.at(*REPLICAS).value, int)
        and not one.workload.is_hook
        and not leaves_alone(one.app, one.workload, REPLICAS, repo)
    ]
    for _, together in by_line(found):
        if untold := _untold(together, repo):
            yield _finding(max(untold, key=_severity), repo)


def _untold(together: list[Scaled], repo: Repo) -> list[Scaled]:
    """Without those that ignore-without-respect speaks of, and those of its kin that only a person syncs."""
    others = [one for one in together if not is_told_as_ignored(one.app, one.workload, REPLICAS)]
    if len(others) == len(together):
        return others
    return [one for one in others if not repo.argocd.ignores(one.app, one.workload, REPLICAS)]


def _severity(one: Scaled) -> Severity:
    replicas = one.workload.node.at(*REPLICAS).value
    if one.app.application is None or one.least == one.most == replicas:
        return Severity.NOTE
    return Severity.WARNING


def _is_outside(one: Scaled) -> bool:
    replicas = one.workload.node.at(*REPLICAS).value
    return replicas < one.least or (one.most is not None and replicas > one.most)


def _finding(one: Scaled, repo: Repo) -> Finding:
    replicas = one.workload.node.at(*REPLICAS)
    hidden = repo.argocd.ignores(one.app, one.workload, REPLICAS)
    drift = "The difference is ignored, but" if hidden else "Argo CD shows every other number as OutOfSync, and"
    outside = f", outside of its {one.least} to {one.most}" if _is_outside(one) else ""
    return Finding(
        replicas,
        headline=f"git and {one.autoscaler} both set the replicas of {one.workload}",
        happens=f"{drift} every sync sets it back to {replicas.value}{outside}.",
        do="Leave replicas out of git." if not hidden else "Leave replicas out, or add RespectIgnoreDifferences=true.",
        fixes=_fixes(one, hidden),
        related=(Note(one.target, f"{one.autoscaler} scales it"),),
        severity=_severity(one),
    )


def _fixes(one: Scaled, hidden: bool) -> tuple[Fix, ...]:
    application = one.app.certain_application
    if application is None or application.is_generated:
        return ()
    spec = application.resource["spec"]
    group = {"group": one.workload.group} if one.workload.group else {}
    rule = {**group, "kind": one.workload.kind, "name": one.workload.name, "jsonPointers": ["/spec/replicas"]}
    patches = [] if hidden else [spec["ignoreDifferences"].append(rule)]
    if RESPECT not in application.sync_options:
        patches.append(spec["syncPolicy"]["syncOptions"].append(RESPECT))
    patch = patches[0] if len(patches) == 1 else patches[0].also(patches[1])
    return (Fix(f"let {application} leave it to the autoscaler", patch),)
