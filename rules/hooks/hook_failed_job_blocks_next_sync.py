"""A hook with a fixed name that is not deleted before its creation fails or skips its next run.

Delete policies that are written down replace the default. With HookSucceeded alone, the Job stays when
the sync fails: the next sync applies it over the old one and takes the old run for the new one. If
that had failed, the sync fails at once, the corrected commit included; if it had succeeded, it does not
run again. And if its pod template changed meanwhile, say by a new image, the API server refuses it
("field is immutable"). With HookFailed alone the same happens after a sync that succeeded. Somebody has
to delete the Job by hand.

Silent for generated names, for HookSucceeded together with HookFailed (one of them always acts), with
HookFailed for a SyncFail hook, and where the object's own sync options have Force=true. A note when
ttlSecondsAfterFinished ends it after a while. An unknown policy is unknown-delete-policy.

Fix: add BeforeHookCreation. With HookSucceeded that is safe: the hook runs on every good sync anyway, and
only what an earlier failed one left is deleted. With HookFailed, and for SyncFail hooks, it is not: they
may be meant to run once, and would then run every time.

See: argo-cd#7430, alphagov/govuk-helm-charts#362, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: HookSucceeded  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: HookSucceeded,BeforeHookCreation
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import DELETE_POLICY, HELM_DELETE_POLICY, split

KINDS: Final = frozenset({"batch/Job", "Pod", "argoproj.io/Workflow"})
"""What runs once and has a health check: the old run's result is taken for the new one's."""
TTL: Final = "ttlSecondsAfterFinished"
BEFORE: Final = {DELETE_POLICY: "BeforeHookCreation", HELM_DELETE_POLICY: "before-hook-creation"}


@rule("GL109", Severity.WARNING, Moment.TROUBLE, kinds="Job Pod Workflow")
def check(hook: Resource) -> Iterator[Finding]:
    if hook.group_kind not in KINDS or not hook.is_hook or not hook.hook.phases or not hook.name:
        return
    effect = _effect(hook)
    if not effect or "Force=true" in hook.sync_options:
        return
    policy = _valid_policy(hook)
    before = BEFORE[str(policy.key)]
    is_safe = hook.hook.delete_policies[0] == "HookSucceeded" and "SyncFail" not in hook.hook.phases
    yield Finding(
        policy,
        f"hook {hook} {effect}; add {before}",
        (Fix(f"add {before}", policy.set(f"{policy.text},{before}"), safe=is_safe),),
        severity=Severity.NOTE if hook["spec"][TTL].present else None,
        moment=Moment.SYNC if set(hook.hook.delete_policies) == {"HookFailed"} else None,
    )


def _effect(hook: Resource) -> str:
    """What becomes of it; empty when nothing is left behind."""
    policies = set(hook.hook.delete_policies)
    only_after_failure = hook.hook.phases == ("SyncFail",)
    if policies == {"HookSucceeded"} and only_after_failure:
        return (
            f"is deleted only when a sync succeeds (HookSucceeded); it stays{_until(hook)}, and if the next sync fails,"
            f" too, it counts as done and does not run{_refused(hook)}"
        )
    if policies == {"HookSucceeded"}:
        return (
            f"is deleted only when the sync succeeds (HookSucceeded); after a failed one it stays{_until(hook)}, and"
            f" the next sync takes the old run, failed or not, for the new one{_refused(hook)}"
        )
    if policies == {"HookFailed"} and not only_after_failure:
        return (
            f"is deleted only when the sync fails (HookFailed); after a good one it stays{_until(hook)}, and the next"
            f" sync takes the old run for the new one and does not run it{_refused(hook)}"
        )
    return ""


def _until(hook: Resource) -> str:
    ttl = hook["spec"][TTL]
    return f" for {ttl.scalar_text} s, until Kubernetes removes it" if ttl.present else ""


def _refused(hook: Resource) -> str:
    if hook.kind == "Workflow":
        return ""
    changed = "its pod template" if hook.kind == "Job" else "its spec"
    return f", or is refused if {changed} changed (immutable)"


def _valid_policy(hook: Resource) -> Node:
    argo = hook.annotation(DELETE_POLICY)
    known = any(item in ("HookSucceeded", "HookFailed") for item in split(argo.text))
    return argo if known else hook.annotation(HELM_DELETE_POLICY)
