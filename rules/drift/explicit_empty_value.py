"""Empty labels or finalizers on a custom resource are dropped by the server and never in sync.

The API server stores no empty labels, finalizers and ownerReferences. Objects of
the built-in kinds Argo CD reads through their types, where empty and absent are the same.
Those of all other kinds (custom resources, and CustomResourceDefinition, APIService and
Application, too) it compares as they are written: labels: {} is in git and not in the
cluster, so the object is OutOfSync after every sync.

annotations: {} is no fault, Argo CD makes an exception for it, and neither is a value that
is missing. labels: {} is in order where Argo CD tracks by label (the default before 3.0),
since it puts one there. A note: Applications, sets and projects that no Application is
seen to bring, which nobody compares. Silent for what is compared by server-side diff or with
ServerSideApply=true. Empty values elsewhere are not looked at: whether they survive
depends on the kind (for Applications explicit-zero-value knows).

Fix: leave it out. The fix is safe, since absent means the same.

See: argo-cd#18213, argo-cd#3150, argo-cd#8833

Bad:
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
      labels: {}  # <- here
    spec:
      selector:
        matchLabels:
          app: shop
Good:
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from ...linter.api import Confidence, Finding, Fix, Moment, Node, Repo, Resource, Severity, rule, table
from ...linter.argocd.applications import GROUP
from ...linter.argocd.effective_options import Diff
from ...linter.yaml.quick_keys import has_one_of

ROUTE: Final = "route.openshift.io/Route"
DROPPED: Final = frozenset(("labels", "finalizers", "ownerReferences"))


@rule("GL404", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        host = resource["spec"]["host"] if resource.group_kind == ROUTE else None
        if host is not None and host.value == "" and not resource.patched:
            yield _filled_in(host, resource)
        if resource.group in _typed_groups() or not has_one_of(resource.metadata, DROPPED):
            continue
        for field, value in resource.metadata.items():
            if field in DROPPED and value.value in ({}, []) and _is_compared(resource, field, repo):
                yield _finding(value, resource, repo)


@cache
def _typed_groups() -> frozenset[str]:
    return frozenset(table("typed-groups.json")["groups"])


def _is_compared(resource: Resource, field: str, repo: Repo) -> bool:
    if resource.is_hook or resource.hook.is_skipped:
        return False
    if field == "labels" and resource.versions.lacks("annotation-tracking"):
        return False
    return any(app.options_for(resource).diff is Diff.THREE_WAY for app in repo.apps_with(resource))


def _filled_in(host: Node, resource: Resource) -> Finding:
    return Finding(
        host,
        headline=f"{resource} has an empty host, which OpenShift fills in",
        happens="The next sync writes the empty one back, and so for ever: the Application stays OutOfSync.",
        do="Leave the field out, or write the host.",
        fixes=(Fix("leave it out", host.remove()),),
    )


def _finding(value: Node, resource: Resource, repo: Repo) -> Finding:
    is_applied_by_hand = resource.group == GROUP and not repo.managers(resource)
    return Finding(
        value,
        headline=f"{resource} has empty {value.key}, which the API server drops",
        happens="Argo CD compares custom resources as they are written, so it is OutOfSync after every sync.",
        do="Leave the field out.",
        fixes=(Fix("leave it out", value.remove(), safe=True),),
        severity=Severity.NOTE if is_applied_by_hand else Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )
