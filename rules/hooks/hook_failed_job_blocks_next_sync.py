"""A hook with a fixed name that is not deleted before its creation fails or skips its next run.

Delete policies that are written down replace the default. With HookSucceeded alone, the Job stays when
the sync fails: the next sync applies it over the old one and takes the old run for the new one. If
that had failed, the sync fails at once, the corrected commit included; if it had succeeded, it does not
run again. And if its pod template changed meanwhile, say by a new image, the API server refuses it
("field is immutable"). With HookFailed alone the same happens after a sync that succeeded. Somebody has
to delete the Job by hand.

Silent for generated names, for HookSucceeded together with HookFailed (one of them always acts), with
HookFailed for a SyncFail hook, where the object's own sync options have Force=true, and where
ttlSecondsAfterFinished is below 10: the Job is gone before the first retry. Up to 155 it is a note: a sync that is
tried again as by default, five times within 155 seconds, outlives the Job. An unknown policy is unknown-delete-policy.

Fix: add BeforeHookCreation. With HookSucceeded that is safe: the hook runs on every good sync anyway, and
only what an earlier failed one left is deleted. (Argo CD 3.2 takes one sync more: the one that deletes the
failed Job still ends with its failure.) With HookFailed, and for SyncFail hooks, it is not: they
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
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import DELETE_POLICY, HELM_DELETE_POLICY, split

KINDS: Final = frozenset({"batch/Job", "Pod", "argoproj.io/Workflow"})
"""What runs once and has a health check: the old run's result is taken for the new one's."""
TTL: Final = "ttlSecondsAfterFinished"
FIRST_RETRY: Final = 10
ALL_RETRIES: Final = 155
"""Seconds that the five retries of a sync take by default: 5, 10, 20, 40 and 80."""
BEFORE: Final = {DELETE_POLICY: "BeforeHookCreation", HELM_DELETE_POLICY: "before-hook-creation"}


@rule("GL109", Severity.WARNING, Moment.TROUBLE, kinds="Job Pod Workflow")
def check(hook: Resource) -> Iterator[Finding]:
    if hook.group_kind not in KINDS or not hook.is_hook or not hook.hook.phases or not hook.name:
        return
    left = _left_behind(hook)
    seconds = _lifetime(hook)
    if left is None or "Force=true" in hook.sync_options or (seconds is not None and seconds < FIRST_RETRY):
        return
    policy = _valid_policy(hook)
    before = BEFORE[str(policy.key)]
    is_safe = hook.hook.delete_policies[0] == "HookSucceeded" and "SyncFail" not in hook.hook.phases
    yield Finding(
        policy,
        headline=f"hook {hook} is deleted only when a sync {left.deleted_when}",
        happens=f"After {left.stays_after} it stays{_until(seconds)}, and {left.then}{_refused(hook)}.",
        do=f"Add {before}.",
        fixes=(Fix(f"add {before}", policy.set(f"{policy.text},{before}"), safe=is_safe),),
        severity=Severity.NOTE if seconds is not None and seconds <= ALL_RETRIES else None,
        moment=Moment.SYNC if set(hook.hook.delete_policies) == {"HookFailed"} else None,
    )


class Left(NamedTuple):
    """When a hook stays in the cluster, and what comes of it."""

    deleted_when: str
    stays_after: str
    then: str


def _left_behind(hook: Resource) -> Left | None:
    """None when nothing is left behind."""
    policies = set(hook.hook.delete_policies)
    only_after_failure = hook.hook.phases == ("SyncFail",)
    if policies == {"HookSucceeded"} and only_after_failure:
        then = "if the next sync fails, too, it counts as done and does not run"
        return Left("succeeds (HookSucceeded)", "a failed sync", then)
    if policies == {"HookSucceeded"}:
        then = "the next sync takes the old run, failed or not, for the new one"
        return Left("succeeds (HookSucceeded)", "a failed sync", then)
    if policies == {"HookFailed"} and not only_after_failure:
        then = "the next sync takes the old run for the new one and does not run it"
        return Left("fails (HookFailed)", "a good sync", then)
    return None


def _lifetime(hook: Resource) -> int | None:
    ttl = hook["spec"][TTL].value
    return ttl if isinstance(ttl, int) and not isinstance(ttl, bool) else None


def _until(seconds: int | None) -> str:
    return "" if seconds is None else f" for {seconds} s, until Kubernetes removes it"


def _refused(hook: Resource) -> str:
    if hook.kind == "Workflow":
        return ""
    changed = "its pod template" if hook.kind == "Job" else "its spec"
    return f", or is refused if {changed} changed (immutable)"


def _valid_policy(hook: Resource) -> Node:
    argo = hook.annotation(DELETE_POLICY)
    known = any(item in ("HookSucceeded", "HookFailed") for item in split(argo.text))
    return argo if known else hook.annotation(HELM_DELETE_POLICY)
