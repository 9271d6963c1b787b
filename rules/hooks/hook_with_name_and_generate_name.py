"""A hook with a name and a generateName has the name; generateName does nothing.

Argo CD makes a name of generateName, the revision, the phase and the time only for a hook
that has no name. With both, each run of the hook has the same name: it is deleted before
the next one is made (BeforeHookCreation, the default), or, with HookSucceeded or HookFailed
alone, one that was left behind is taken for the run of this sync.

Fix: take one of them away. The fix offered takes generateName away, which changes nothing.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      generateName: migrate-  # <- here
      annotations:
        argocd.argoproj.io/hook: PreSync
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import HELM_HOOK, HOOK


@rule("GL113", Severity.NOTE, Moment.SYNC, annotated=(HOOK, HELM_HOOK))
def check(resource: Resource) -> Iterator[Finding]:
    if resource.is_hook and resource.name and resource.generate_name:
        node = resource.metadata["generateName"]
        yield Finding(
            node,
            headline=f"generateName of hook {resource} does nothing: it has a name, too",
            happens="Every run has the same name, and the one before is deleted or taken for this one.",
            do="Take the name or the generateName away.",
            fixes=(Fix("take generateName away", node.remove(), safe=True),),
        )
