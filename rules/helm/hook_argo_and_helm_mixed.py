"""An object is one hook to Argo CD and another one to Helm, and only Argo CD's annotation counts.

When argocd.argoproj.io/hook has a valid type, Argo CD does not look at the types of
helm.sh/hook any more: an object with PreSync and post-install runs before the sync, and
only then. Types for the deletion of the Application are the exception; those count in
both. And the delete policies of both annotations add up: with HookSucceeded from one and
before-hook-creation from the other, both are followed.

Different phases are a warning, delete policies that only Helm's annotation has are a
note. Silent where both say the same, where Helm's is a test, and with Skip.

Fix: keep one pair of annotations, or let both say the same.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync  # <- here
        helm.sh/hook: post-install,post-upgrade
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        helm.sh/hook: pre-install,pre-upgrade
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Note, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import (
    DELETE_HOOKS,
    DELETE_POLICIES,
    DELETE_POLICY,
    HELM_DELETE_POLICIES,
    HELM_DELETE_POLICY,
    HELM_HOOK,
    HELM_HOOK_TYPES,
    HOOK,
    SYNC_TYPES,
    split,
)


@rule("GL748", Severity.WARNING, Moment.SYNC, annotated=(HELM_HOOK,), literal=True)
def check(hook: Resource) -> Iterator[Finding]:
    argo, helm = hook.annotation(HOOK), hook.annotation(HELM_HOOK)
    if not argo.text or is_placeholder(argo.text) or is_placeholder(helm.text):
        return
    written = [one for one in split(argo.text) if one in SYNC_TYPES]
    if not written or written == ["Skip"]:
        return
    mapped = [HELM_HOOK_TYPES[one] for one in split(helm.text) if one in HELM_HOOK_TYPES]
    other = [one for one in dict.fromkeys(mapped) if one not in DELETE_HOOKS]
    if other and set(other) != set(written):
        yield Finding(
            argo,
            headline=f"{hook} is {' and '.join(written)} by Argo CD's annotation, {' and '.join(other)} by Helm's",
            happens="Argo CD follows its own annotation and ignores Helm's.",
            do="Let both say the same, or take one of them away.",
            related=(Note(helm, "has no effect under Argo CD"),),
        )
        return
    own = [one for one in split(hook.annotation(DELETE_POLICY).text) if one in DELETE_POLICIES]
    helms = hook.annotation(HELM_DELETE_POLICY)
    added = [HELM_DELETE_POLICIES[one] for one in split(helms.text) if one in HELM_DELETE_POLICIES]
    extra = [one for one in added if one not in own]
    if own and extra and not is_placeholder(hook.annotation(DELETE_POLICY).text):
        yield Finding(
            helms,
            headline=f"the delete policies of {hook} add up",
            happens=f"Besides {' and '.join(own)} Argo CD follows {' and '.join(extra)} of Helm's annotation.",
            do="Write in both what is to happen.",
            severity=Severity.NOTE,
        )
