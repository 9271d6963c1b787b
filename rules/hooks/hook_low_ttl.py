"""A hook with a low TTL may be removed by Kubernetes before Argo CD has seen its end.

With ttlSecondsAfterFinished: 0, or a few seconds, Kubernetes deletes the finished Job at once. Before
Argo CD 3.0 nothing held it back: if the controller had not looked in between, the sync waited for
ever for a hook that no longer existed. Since 3.0 a finalizer on every hook of a sync keeps the object
until Argo CD has seen the result. So it is reported only where Argo CD is known to be older, by the repository or by
argocd-version in the config.

Less than a minute counts as low: the controller may be busy for longer than the field says. The same
holds for the ttlStrategy of a Workflow.

Fix: leave the field out and let Argo CD delete the hook with HookSucceeded. The fix offered does
that; it is unsafe, because a failed run then stays until the next sync.

See: argo-cd#21055, argo-cd#18884, argo-cd#6880, envoyproxy/gateway#3156

Bad:
    # .gitops-lint.yaml
    argocd-version: "2.14"
    ---
    # manifest.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      ttlSecondsAfterFinished: 0  # <- here
      activeDeadlineSeconds: 600
Good:
    # .gitops-lint.yaml
    argocd-version: "2.14"
    ---
    # manifest.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded
    spec:
      activeDeadlineSeconds: 600
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Patch, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import DELETE_POLICY, HELM_DELETE_POLICY, HELM_HOOK

LOW: Final = 60
FINALIZER: Final = "hook-finalizer"
FIELDS: Final = {
    "batch/Job": (("ttlSecondsAfterFinished",),),
    "argoproj.io/Workflow": (("ttlStrategy", "secondsAfterCompletion"), ("ttlStrategy", "secondsAfterSuccess")),
}


@rule("GL111", Severity.WARNING, Moment.SYNC, kinds="Job Workflow")
def check(hook: Resource) -> Iterator[Finding]:
    if not hook.versions.lacks(FINALIZER) or not hook.is_hook or not hook.hook.phases:
        return
    for path in FIELDS.get(hook.group_kind, ()):
        ttl = hook["spec"].at(*path)
        seconds = ttl.value
        if isinstance(seconds, int) and not isinstance(seconds, bool) and 0 <= seconds < LOW:
            yield _finding(hook, ttl, seconds)
            return


def _finding(hook: Resource, ttl: Node, seconds: int) -> Finding:
    when = f"{seconds} s after it has finished" if seconds else "as soon as it has finished"
    return Finding(
        ttl,
        headline=f"Kubernetes removes hook {hook} {when}",
        happens=f"If Argo CD {hook.versions.argocd} has not seen its end by then, the sync waits for it for ever.",
        do="Leave the field out, and let Argo CD delete the hook with HookSucceeded.",
        fixes=(Fix("let Argo CD delete it instead", _left_to_argo(hook, ttl)),),
    )


def _left_to_argo(hook: Resource, ttl: Node) -> Patch:
    if hook.hook.delete_policies:
        return ttl.remove()
    if hook.hook_annotation.key == HELM_HOOK:
        return ttl.remove().also(hook.annotation(HELM_DELETE_POLICY).set("before-hook-creation,hook-succeeded"))
    return ttl.remove().also(hook.annotation(DELETE_POLICY).set("BeforeHookCreation,HookSucceeded"))
