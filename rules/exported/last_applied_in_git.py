"""The annotation of kubectl apply, exported into git, keeps the object OutOfSync.

kubectl.kubernetes.io/last-applied-configuration holds the object as it was applied
last. Each sync writes it again, from what is in git, without the annotation itself.
If git has one, too, it is an old one: Argo CD compares it with the cluster's like any
other annotation, finds a difference after every sync, and with selfHeal syncs for
ever. With server-side apply or server-side diff nothing is shown, but the copy still
doubles the object, and may hold what was taken out of it since, secrets included (note).

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

from ...linter.api import Cause, Finding, Fix, Moment, Repo, Resource, Severity, rule
from ...linter.argocd.effective_options import Diff
from ...linter.yaml.removal import removal

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


@rule("GL042", Severity.WARNING, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if LAST_APPLIED in resource.annotation_keys:
            yield _finding(resource, is_shown=any(one.diff is Diff.THREE_WAY for one in repo.options_of(resource)))


def _finding(resource: Resource, *, is_shown: bool) -> Finding:
    annotation = resource.annotation(LAST_APPLIED)
    effect = (
        "Every sync writes another one, so Argo CD shows the object as OutOfSync for ever."
        if is_shown
        else "With server-side apply or diff nothing is shown, but the copy may hold what was taken out since."
    )
    return Finding(
        annotation,
        headline=f"{resource} has the last-applied-configuration of an export in git",
        happens=effect,
        do="Take the annotation out: every sync writes its own.",
        fixes=(Fix("take it out", removal([annotation]), safe=True),),
        severity=Severity.WARNING if is_shown else Severity.NOTE,
        cause=Cause(effect, "{count} objects have the last-applied-configuration of an export in git"),
    )
