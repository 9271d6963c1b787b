"""A hook without a delete policy stays in the cluster after it has run.

Where no policy is given, Argo CD 1.4 and later use BeforeHookCreation: the old
object is deleted when the next sync is about to create it again. So the sync
after this one is not blocked, but the finished Job and its pods stay until
then. Hooks that do not run (a ConfigMap, a ServiceAccount) are left to
hook-object-still-referenced.

Two cases are worse, and are warnings. A hook with generateName gets another
name in every sync, so BeforeHookCreation never finds an old one and they pile
up. A PostDelete hook is left behind for good: without HookSucceeded nothing
deletes it once the Application is gone (BeforeHookCreation does not, for it is created
only once), and when an Application of that name is deleted the next time, Argo CD finds
the finished Job, takes it for done and skips the clean-up. Argo CD 3.5 was seen to
leave it even with HookSucceeded; ttlSecondsAfterFinished removes a Job surely.

Silent for a Job or Workflow that Kubernetes itself removes after a while
(ttlSecondsAfterFinished, ttlStrategy), and where a policy is written but not
known to Argo CD: unknown-delete-policy reports that one.

Fix: say when the hook may go. BeforeHookCreation,HookSucceeded removes it once
the whole sync has succeeded and keeps it after a failed one, to be looked at.
With a generated name, and for hooks of the deletion, only HookSucceeded acts
(for a SyncFail hook with a generated name HookFailed, since its sync never
succeeds). The fix is unsafe: how long a finished run is to be seen is for its
owner to say.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, argo-cd#15613, argo-cd#16595

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync  # <- here
    spec:
      activeDeadlineSeconds: 600
Good:
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
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.argocd.delete_hooks import is_run, running_delete_types
from ...linter.kubernetes.annotations.hooks import (
    DELETE_POLICY,
    HELM_DELETE_POLICIES,
    HELM_DELETE_POLICY,
    HELM_HOOK,
    HOOK,
    split,
)

HELM_NAMES: Final = {argo: helm for helm, argo in HELM_DELETE_POLICIES.items()}


@rule("GL101", Severity.NOTE, Moment.SYNC, annotated=(HOOK, HELM_HOOK), of_fetched=False)
def check(hook: Resource) -> Iterator[Finding]:
    if not is_run(hook) or _is_removed_by_kubernetes(hook):
        return
    if _has_some_policy(hook) and not _is_kept_for_good(hook):
        return
    effect = _effect(hook)
    if effect is None:
        return
    helm = hook.hook_annotation.key == HELM_HOOK
    policy = hook.annotation(HELM_DELETE_POLICY if helm else DELETE_POLICY)
    value = ",".join(HELM_NAMES[name] if helm else name for name in _advice(hook))
    yield Finding(
        hook.hook_annotation,
        headline=f"{effect.role} {hook} has no delete policy{' that ever acts' if _has_some_policy(hook) else ''}",
        happens=effect.happens,
        do=f"Set the delete policy {value}.",
        fixes=(Fix(f"set the delete policy {value}", policy.set(value), safe=False),),
        severity=effect.severity,
        moment=None if hook.hook.phases else Moment.REMOVAL,
    )


def _has_some_policy(hook: Resource) -> bool:
    """Known or not; a value that is no string is another rule's business."""
    policies = (hook.annotation(key) for key in (DELETE_POLICY, HELM_DELETE_POLICY))
    return any(policy.present and (split(policy.text) or not isinstance(policy.value, str)) for policy in policies)


def _is_kept_for_good(hook: Resource) -> bool:
    """A PostDelete hook is created once: a policy for the time before that says nothing."""
    return "PostDelete" in running_delete_types(hook) and hook.hook.delete_policies == ("BeforeHookCreation",)


def _is_removed_by_kubernetes(hook: Resource) -> bool:
    spec = hook["spec"]
    if hook.group_kind == "batch/Job":
        return spec["ttlSecondsAfterFinished"].present
    if hook.group_kind == "argoproj.io/Workflow":
        ttl = spec["ttlStrategy"]
        return ttl["secondsAfterCompletion"].present or ttl["secondsAfterSuccess"].present
    return False


def _has_generated_name(hook: Resource) -> bool:
    return not hook.name and bool(hook.generate_name)


def _advice(hook: Resource) -> tuple[str, ...]:
    if not hook.hook.phases:
        return ("HookSucceeded",)
    if _has_generated_name(hook):
        return ("HookFailed",) if hook.hook.phases == ("SyncFail",) else ("HookSucceeded",)
    return ("BeforeHookCreation", "HookSucceeded")


class Effect(NamedTuple):
    role: str
    happens: str
    severity: Severity


def _effect(hook: Resource) -> Effect | None:
    """None for an object that does not run: that it is a hook at all is another rule's business."""
    if "PostDelete" in running_delete_types(hook):
        happens = (
            "It is left in the cluster after the Application is gone, and the next deletion of an Application of that"
            " name takes it for done and does not run it."
        )
        return Effect("PostDelete hook", happens, Severity.WARNING)
    if not hook.hook.phases:
        return Effect("PreDelete hook", "When it is done it stays until the Application's objects go.", Severity.NOTE)
    if _has_generated_name(hook):
        happens = (
            "It gets a new name in every sync, so the default, BeforeHookCreation, never finds an old one, and they"
            " pile up."
        )
        return Effect("hook", happens, Severity.WARNING)
    if not hook.runs_to_an_end:
        return None
    again = "it runs again" if hook.hook.phases == ("SyncFail",) else "the next sync"
    happens = f"Argo CD then uses BeforeHookCreation: the finished {hook.kind} stays until {again}."
    return Effect("hook", happens, Severity.NOTE)
