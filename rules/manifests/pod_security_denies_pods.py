"""The namespace enforces a Pod Security standard that pods of its own workloads do not meet.

A namespace with the label pod-security.kubernetes.io/enforce refuses pods that ask for more than
the standard permits. The workload itself is accepted with a warning; its pods are never created:
"violates PodSecurity". The Deployment stays Progressing and becomes Degraded, a hook Job holds the
sync open.

Compared are a Namespace of the repository and the workloads that go into it: host namespaces, host
paths, host ports, privileged containers and added capabilities for `baseline`; for `restricted` also
privilege escalation, users, seccomp profiles and capabilities that are not dropped. Namespaces whose
label is set elsewhere, and what an admission controller changes, are not seen.

Fix: give the pod what the standard asks for, or the namespace another standard.

See: https://kubernetes.io/docs/concepts/security/pod-security-standards/

Bad:
    apiVersion: v1
    kind: Namespace
    metadata:
      name: shop
      labels:
        pod-security.kubernetes.io/enforce: baseline
    ---
    apiVersion: apps/v1
    kind: DaemonSet
    metadata:
      name: agent
      namespace: shop
    spec:
      template:
        spec:
          hostNetwork: true  # <- here
          containers:
            - name: agent
              image: agent:1.4
Good:
    apiVersion: v1
    kind: Namespace
    metadata:
      name: shop
      labels:
        pod-security.kubernetes.io/enforce: privileged
    ---
    apiVersion: apps/v1
    kind: DaemonSet
    metadata:
      name: agent
      namespace: shop
    spec:
      template:
        spec:
          hostNetwork: true
          containers:
            - name: agent
              image: agent:1.4
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.pod_security import ENFORCE, first_violation
from ...linter.kubernetes.pods import pod_spec

EXEMPT: Final = "kube-system"
"""Where clusters commonly do not ask; if they did, little of the cluster itself would run."""


@rule("GL029", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = (one for app in repo.apps for one in _denied(app))
    for place, ((resource, namespace, words), *_) in by_line(found):
        level = namespace.labels[ENFORCE].text
        yield Finding(
            place,
            headline=f"{resource} asks for more than namespace {namespace.name!r} permits: {words}",
            happens=f"Its pods are refused, since they violate PodSecurity {level}, and it never becomes healthy.",
            do=f"Let the pods meet {level}, or give the namespace another standard.",
            related=(Note(namespace.labels[ENFORCE], f"the namespace enforces {level}"),),
            severity=Severity.NOTE if namespace.name == EXEMPT else None,
            confidence=Confidence.MEDIUM,
        )


def _denied(app: App) -> Iterator[tuple[Node, tuple[Resource, Resource, str]]]:
    namespaces = {
        one.name: one
        for one in app.resources
        if one.group_kind == "Namespace" and not one.patched and one.labels[ENFORCE].text
    }
    for resource in app.resources if namespaces else ():
        namespace = namespaces.get(resource.namespace or app.namespace)
        pod = pod_spec(resource) if namespace is not None and not resource.patched else None
        if namespace is None or pod is None:
            continue
        violation = first_violation(pod, namespace.labels[ENFORCE].text)
        if violation is not None:
            yield violation.at, (resource, namespace, violation.words)
