"""A delete policy that Argo CD does not know is ignored, and nothing says so.

Policies are compared letter by letter: HookSucceeded, HookFailed and
BeforeHookCreation; in helm.sh/hook-delete-policy hook-succeeded, hook-failed
and before-hook-creation. Anything else is dropped. When no valid one is left
Argo CD uses BeforeHookCreation, so a Job that was meant to go after success
stays, and one that was meant to stay ("never") is deleted by the next sync.

Fix: write the policy as Argo CD has it. The fix offered is unsafe: from then
on objects are deleted that stayed until now.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, stackrox/stackrox#2482

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: hook-succeeded  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: HookSucceeded
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.argocd.delete_hooks import is_run
from ...linter.dialects.spelling import is_placeholder, nearest, respelled
from ...linter.kubernetes.annotations.hooks import (
    DELETE_POLICIES,
    DELETE_POLICY,
    HELM_DELETE_POLICIES,
    HELM_DELETE_POLICY,
    split,
)

KNOWN: Final = {DELETE_POLICY: tuple(DELETE_POLICIES), HELM_DELETE_POLICY: tuple(HELM_DELETE_POLICIES)}


@rule("GL104", Severity.WARNING, Moment.SYNC, annotated=KNOWN, literal=True, of_fetched=False)
def check(hook: Resource) -> Iterator[Finding]:
    if not is_run(hook):  # on anything else the annotation means nothing at all
        return
    for key, known in KNOWN.items():
        annotation = hook.annotation(key)
        unknown = [item for item in split(annotation.text) if item not in known]
        if unknown and not is_placeholder(annotation.text):
            yield _finding(hook, annotation, unknown, known)


def _finding(hook: Resource, annotation: Node, unknown: list[str], known: tuple[str, ...]) -> Finding:
    corrections = {item: guess for item in unknown if (guess := nearest(item, known))}
    left = " and ".join(hook.hook.effective_delete_policies)
    default = "" if hook.hook.delete_policies else ", the default"
    meant = f"Write {' and '.join(corrections.values())}, if that is meant." if corrections else ""
    fixes: tuple[Fix, ...] = ()
    if len(corrections) == len(unknown):
        value = respelled(annotation.text, corrections)
        fixes = (Fix(f"write {value}", annotation.set(value)),)
    return Finding(
        annotation,
        headline=f"Argo CD knows no delete policy {' and '.join(repr(item) for item in unknown)}",
        happens=f"What counts for hook {hook} is {left}{default}.",
        do=meant or "Use HookSucceeded, HookFailed or BeforeHookCreation.",
        fixes=fixes,
    )
