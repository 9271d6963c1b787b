"""A delete policy without a hook does nothing: the object is a plain one.

`argocd.argoproj.io/hook-delete-policy` and `helm.sh/hook-delete-policy` say when a hook goes. On an
object that no annotation makes a hook nobody reads them. A Job that was meant to run again with
every sync is then applied once; when its template changes, the API server refuses the change, and
the sync fails for good.

Fix: add argocd.argoproj.io/hook or helm.sh/hook, or take the policy away.

See: lsst-sqre/phalanx@2be156737, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import HELM_HOOK, HOOK

POLICIES: Final = ("argocd.argoproj.io/hook-delete-policy", "helm.sh/hook-delete-policy")


@rule("GL115", Severity.WARNING, Moment.SYNC, annotated=POLICIES)
def check(resource: Resource) -> Iterator[Finding]:
    if resource.patched or any(resource.annotation(key).present for key in (HOOK, HELM_HOOK)):
        return
    for key in POLICIES:
        policy = resource.annotation(key)
        if policy.present:
            yield Finding(
                policy,
                headline=f"{resource} has a delete policy and is no hook",
                happens=_effect(resource),
                do=f"Add {HOOK} or {HELM_HOOK}, or take the policy away.",
                severity=Severity.WARNING if resource.runs_to_an_end else Severity.NOTE,
            )
            return


def _effect(resource: Resource) -> str:
    if resource.runs_to_an_end:
        return "It is applied once as a plain object, never deleted before the next sync, and refused when it changes."
    return "Nobody reads the policy: it is applied, compared and pruned like any other object."
