"""The annotation of kubectl apply, exported into git, keeps the object OutOfSync.

kubectl.kubernetes.io/last-applied-configuration holds the object as it was applied
last. Each sync writes it anew, from what is in git, without the annotation itself.
If git has one, too, it is an old one: Argo CD compares it with the cluster's like any
other annotation, finds a difference after every sync, and with selfHeal syncs for
ever. With server-side apply or server-side diff nothing is shown, but the copy still
doubles the object, and may hold what was taken out of it since, secrets included.

Fix: take the annotation out. The fix is safe: every sync writes its own.

See: argo-cd#20119, argo-cd#3657

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        kubectl.kubernetes.io/last-applied-configuration: |  # <- here
          {"apiVersion":"v1","data":{"greeting":"hi"},"kind":"ConfigMap","metadata":{"name":"settings"}}
    data:
      greeting: hello
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      greeting: hello
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.yaml.removal import removal

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


@rule("GL042", Severity.WARNING, Moment.SYNC, annotated=[LAST_APPLIED], literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    annotation = resource.annotation(LAST_APPLIED)
    yield Finding(
        annotation,
        f"{resource} has the last-applied-configuration of an export in git; every sync writes another one,"
        " so Argo CD shows the object as OutOfSync for ever (not with server-side apply or diff)",
        (Fix("take it out", removal([annotation]), safe=True),),
    )
