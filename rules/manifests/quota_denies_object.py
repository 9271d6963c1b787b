"""A ResourceQuota or LimitRange of the Application refuses its own pods or claims.

A quota on cpu or memory wants every container to say how much it needs, and refuses pods that do not ("must
specify limits.cpu"). It refuses what is larger than the whole of it ("exceeded quota"), and a LimitRange what
is beyond its bounds ("maximum cpu usage per Container is 1, but limit is 2"). The workload itself is
accepted; its pods are never made, it stays Progressing and becomes Degraded, and a hook Job holds the sync
open. A claim is refused at once, and the sync fails.

Compared are the quotas and ranges of an Application with its own workloads and claims in the same namespace: one
workload with all its replicas, one claim. How much else is in the namespace no file tells. What a default of a
LimitRange fills in is not missing; quotas with scopes are left alone.

Fix: write what the pods need, or change the quota.

See: https://kubernetes.io/docs/concepts/policy/resource-quotas/,
https://kubernetes.io/docs/concepts/policy/limit-range/

Bad:
    apiVersion: v1
    kind: ResourceQuota
    metadata:
      name: shop
      namespace: shop
    spec:
      hard:
        limits.memory: 4Gi
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
      namespace: shop
    spec:
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
            - name: shop  # <- here
              image: registry.example.com/shop:1.4
Good:
    apiVersion: v1
    kind: ResourceQuota
    metadata:
      name: shop
      namespace: shop
    spec:
      hard:
        limits.memory: 4Gi
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
      namespace: shop
    spec:
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
              resources:
                limits:
                  memory: 512Mi
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import App, Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.pods import pod_spec
from ...linter.kubernetes.quotas import Refusal, by_namespace, of_claim, of_pods


@rule("GL032", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, ((resource, refusal), *_) in by_line(one for app in repo.apps for one in _refused(app)):
        is_claim = resource.kind == "PersistentVolumeClaim"
        what = "It is refused, and the sync fails" if is_claim else "Its pods are refused, and it never becomes healthy"
        yield Finding(
            place,
            headline=f"{refusal.by} refuses {'' if is_claim else 'the pods of '}{resource}",
            happens=f'{what} ("{refusal.says}").',
            do=f"Write what it needs within the bounds, or change the {refusal.by.kind}.",
            related=(Note(refusal.by["spec"], "the bounds of the namespace"),),
            severity=Severity.ERROR if is_claim else Severity.WARNING,
            confidence=Confidence.HIGH if is_claim else Confidence.MEDIUM,
        )


def _refused(app: App) -> Iterator[tuple[Node, tuple[Resource, Refusal]]]:
    ranges = by_namespace(app.resources, "LimitRange", app.namespace)
    quotas = by_namespace(app.resources, "ResourceQuota", app.namespace)
    for resource in app.resources if ranges or quotas else ():
        namespace = resource.namespace or app.namespace
        if resource.patched or not (namespace in ranges or namespace in quotas):
            continue
        here = (ranges.get(namespace, ()), quotas.get(namespace, ()))
        pod = pod_spec(resource)
        if resource.group_kind == "PersistentVolumeClaim":
            found = of_claim(resource, *here)
        elif pod is not None and pod["containers"].is_sequence:
            found = of_pods(pod, _replicas(resource), *here)
        else:
            continue
        yield from ((one.at, (resource, one)) for one in found)


def _replicas(resource: Resource) -> int:
    """At least; a DaemonSet has one at every node."""
    field = resource["spec"]["parallelism" if resource.kind == "Job" else "replicas"].value
    return field if isinstance(field, int) else 1
