"""A hook that Helm runs for the first installation only, or for upgrades only, runs at every sync.

To Argo CD every operation is a sync. pre-install and pre-upgrade are both PreSync,
post-install and post-upgrade both PostSync, whichever of the two is named. A Job that
fills an empty database once runs again with every sync; a migration that is meant for
upgrades runs before the very first installation, when there is nothing to migrate, and
a failure there stops the sync before anything is applied.

Reported for hooks that do something (Jobs, Pods, Workflows) and have no annotation of
Argo CD's own, which would show that somebody has thought of it.

Fix: make sure that the hook can run again, and on nothing; then name both types, or
use argocd.argoproj.io/hook.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: seed
      annotations:
        helm.sh/hook: post-install  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: seed
      annotations:
        helm.sh/hook: post-install,post-upgrade
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder
from ...linter.kubernetes.annotations.hooks import HELM_HOOK, HOOK, split


@rule("GL747", Severity.NOTE, Moment.SYNC, annotated=(HELM_HOOK,), literal=True)
def check(hook: Resource) -> Iterator[Finding]:
    annotation = hook.annotation(HELM_HOOK)
    text = annotation.text
    if not hook.runs_to_an_end or hook.annotation(HOOK).present or is_placeholder(text):
        return
    types = split(text)
    for when in ("pre", "post"):
        install, upgrade = f"{when}-install" in types, f"{when}-upgrade" in types
        if install and not upgrade:
            happens = f"Helm runs {when}-install once, when the release is installed; Argo CD knows no such time."
        elif upgrade and not install:
            happens = f"Helm leaves {when}-upgrade out when the release is installed; Argo CD runs it then, too."
        else:
            continue
        yield Finding(
            annotation,
            headline=f"Argo CD runs {hook} at every sync, {'not only' if install else 'also'} at the first",
            happens=happens,
            do="Make sure that it may run again and again.",
        )
        return
