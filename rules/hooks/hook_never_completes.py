"""A hook never completes: the sync waits for it for ever, or judges it wrongly.

Argo CD calls a Job done when it is complete, and a Pod that is not restarted when it has succeeded.
A Job that starts no pod (parallelism: 0), or a container that only waits (sleep infinity, tail -f
/dev/null, while true without a way out), never gets there: the sync hangs, since by default it has no
timeout, or fails with the deadline. Nothing after the hook is ever applied.

A bare Pod whose restartPolicy is Always, the default of Kubernetes, is a warning: Argo CD calls it
done as soon as it is ready, whether or not its command is through, or failed once the command ends
and Kubernetes restarts it. A Pod with ports or probes, or with a command that never ends, is taken for
one that is to run on, for which that is right.

What is suspended or paused is suspended-object-blocks-sync, what merely may hang hook-without-deadline.
A Deployment or StatefulSet as a hook is done when it is healthy, and fine.

Fix: give the hook a command that ends; give a Pod that does its work once restartPolicy: Never, or make
it a Job. The fix offered for Pods is unsafe: one that is meant to run on would then never count as done.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy

Bad:
    apiVersion: v1
    kind: Pod
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync  # <- here
    spec:
      containers:
        - name: migrate
          image: shop:1.4
          command: [migrate]
Good:
    apiVersion: v1
    kind: Pod
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      containers:
        - name: migrate
          image: shop:1.4
          command: [migrate]
      restartPolicy: Never
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.argocd.delete_hooks import is_run
from ...linter.argocd.endless_pods import never_ends

OF_A_SERVER: Final = ("ports", "readinessProbe", "livenessProbe", "startupProbe")


@rule("GL110", Severity.ERROR, Moment.SYNC, kinds="Job Pod")
def check(hook: Resource) -> Iterator[Finding]:
    if hook.group_kind not in ("batch/Job", "Pod") or not is_run(hook):
        return
    endless = never_ends(hook)
    if hook.kind == "Pod" and _is_restarted(hook):
        if endless is None and not _is_server(hook):
            yield _restarted(hook)
    elif endless is not None:
        yield Finding(
            endless.at,
            headline=f"hook {hook} {endless.why}",
            happens=_never(hook),
            do="Give it a command that ends.",
        )


def _never(hook: Resource) -> str:
    waiting = "the sync" if hook.hook.phases else "the deletion of the Application"
    has_deadline = hook["spec"]["activeDeadlineSeconds"].value is not None
    return (
        f"It never completes, and {waiting} {'fails with its deadline' if has_deadline else 'waits for it for ever'}."
    )


def _is_restarted(pod: Resource) -> bool:
    return pod["spec"]["restartPolicy"].value in (None, "Always")


def _is_server(pod: Resource) -> bool:
    return any(container[key].present for container in pod["spec"]["containers"] for key in OF_A_SERVER)


def _restarted(pod: Resource) -> Finding:
    policy = pod["spec"]["restartPolicy"]
    default = "" if policy.present else ", the default"
    return Finding(
        policy if policy.present else pod.hook_annotation,
        headline=f"hook {pod} has restartPolicy Always{default}",
        happens="Argo CD calls it done as soon as it is ready, finished or not, or failed once its command ends and"
        " Kubernetes restarts it.",
        do="Set restartPolicy: Never.",
        fixes=(Fix("set restartPolicy: Never", policy.set("Never")),),
        severity=Severity.WARNING,
    )
