"""A hook Job without a deadline can hold its sync open for ever.

Argo CD waits for every hook of a phase before it goes on, and by default a
sync has no timeout of its own (the controller's --sync-timeout is 0). A Job
that hangs, on a lock, on an image that cannot be pulled, on a pod that cannot
be scheduled, never fails; so the sync never ends, and while it runs no other
one can start. A hook of the deletion blocks the deletion in the same way.

backoffLimit does not help: it counts failures, and a run that hangs has none.

Silent when the pod template has a deadline of its own. It ends each pod, the
failed pods use up backoffLimit, and the Job fails in the end; only a pod that
is never scheduled escapes it. Silent, too, for a Workflow that takes its spec
from a WorkflowTemplate, or whose templateDefaults have a deadline.

Fix: set activeDeadlineSeconds longer than the slowest run you expect. The fix
offered is unsafe, since only you know how long that is; it proposes ten
minutes.

See: argo-cd#4979, argo-cd#15593, argo-cd#17314

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync  # <- here
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded
    spec:
      backoffLimit: 2
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation,HookSucceeded
    spec:
      backoffLimit: 2
      activeDeadlineSeconds: 600
"""

from collections.abc import Iterator
from typing import Final

from ...linter.argo.delete_hooks import is_run
from ...linter.resource import Resource
from ...linter.rule import Finding, Fix, Severity, rule

OTHER_LIMITS: Final = {
    "batch/Job": (("template", "spec", "activeDeadlineSeconds"),),
    "argoproj.io/Workflow": (("workflowTemplateRef",), ("templateDefaults", "activeDeadlineSeconds")),
}
TEN_MINUTES: Final = 600


@rule("GL102", Severity.WARNING, kinds="Job Workflow")
def check(hook: Resource) -> Iterator[Finding]:
    if hook.group_kind not in OTHER_LIMITS or not is_run(hook):
        return
    spec = hook["spec"]
    deadline = spec["activeDeadlineSeconds"]
    if deadline.value is not None or any(spec.at(*path).value is not None for path in OTHER_LIMITS[hook.group_kind]):
        return
    blocked = "its sync open and every later one out" if hook.hook.phases else "the deletion of the Application up"
    yield Finding(
        hook.hook_annotation,
        f"hook {hook} has no activeDeadlineSeconds; a run that hangs holds {blocked}"
        " (by default Argo CD has no timeout)",
        (Fix("set a deadline of ten minutes", deadline.set(TEN_MINUTES)),),
    )
