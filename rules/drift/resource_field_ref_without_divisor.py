"""A resourceFieldRef without a divisor is OutOfSync for ever under server-side apply.

The API server writes divisor: "0" into every resourceFieldRef of a container's
environment. Argo CD takes no notice, with one exception: with
ServerSideApply=true, and without ServerSideDiff=true, it merges git's object into
the live one, and a resourceFieldRef is replaced whole. The divisor is then missing
on git's side, the object is OutOfSync after every sync, and with selfHeal it is
synced again and again.

Silent where the Application, or Argo CD's own settings in the repository, ignore
the field or ask the server for the difference.

Fix: write divisor: "0", which means the same as none. The fix is safe: the server
sets the same value. Another way, for all objects at once, is
argocd.argoproj.io/compare-options: ServerSideDiff=true on the Application.

See: kubescape/helm-charts#531, istio/istio#56695, argo-cd#18197

Bad:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      template:
        spec:
          containers:
            - name: web
              env:
                - name: GOMEMLIMIT
                  valueFrom:
                    resourceFieldRef:  # <- here
                      resource: limits.memory
Good:
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      template:
        spec:
          containers:
            - name: web
              env:
                - name: GOMEMLIMIT
                  valueFrom:
                    resourceFieldRef:
                      resource: limits.memory
                      divisor: "0"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Repo, Resource, Severity, rule

POD: Final = ("spec", "template", "spec")
PODS: Final = {
    "apps/Deployment": POD,
    "apps/DaemonSet": POD,
    "apps/StatefulSet": POD,
    "batch/Job": POD,
    "batch/CronJob": ("spec", "jobTemplate", *POD),
}
Path = tuple[str | int, ...]


@rule("GL418", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        pod = PODS.get(resource.group_kind)
        if pod is None:
            continue
        apps = repo.merging(resource)
        for path, reference in _without_divisor(resource, pod) if apps else ():
            if any(not repo.argocd.ignores(app, resource, path) for app in apps):
                yield _finding(resource, reference)


def _without_divisor(resource: Resource, pod: Path) -> Iterator[tuple[Path, Node]]:
    for kind in ("containers", "initContainers"):
        for number, container in enumerate(resource.node.at(*pod, kind)):
            for index, variable in enumerate(container["env"]):
                reference = variable["valueFrom"]["resourceFieldRef"]
                if reference.is_mapping and reference["divisor"].value in (None, ""):
                    path = (*pod, kind, number, "env", index, "valueFrom", "resourceFieldRef", "divisor")
                    yield path, reference


def _finding(resource: Resource, reference: Node) -> Finding:
    return Finding(
        reference,
        headline=f"a resourceFieldRef of {resource} has no divisor",
        happens="With ServerSideApply=true and without ServerSideDiff=true Argo CD shows it as OutOfSync for ever.",
        do='Write divisor: "0", which is the default.',
        fixes=(Fix('write divisor: "0"', reference["divisor"].set("0"), safe=True),),
    )
