"""A hook Job without a deadline can hold its sync open for ever.

Argo CD waits for every hook of a phase before it goes on, and by default a
sync has no timeout of its own (the controller's --sync-timeout is 0). A Job
that hangs, on a lock, on an image that cannot be pulled, on a pod that cannot
be scheduled, never fails; so the sync never ends, and while it runs no other
one can start. A hook of the deletion blocks the deletion in the same way.

backoffLimit does not help: it counts failures, and a run that hangs has none.

Silent where only the pod template has a deadline: it ends each pod, the failed
pods use up backoffLimit, and the Job fails in the end. Silent, too, for a Workflow
that takes its spec from a WorkflowTemplate, or whose templateDefaults have a
deadline. A note for the hook of a chart from elsewhere (fetched, copied with a Chart.yaml
that names its home or sources, or printed into a file): its owner does not change it by hand.
A note, too, where every container's command has a limit of its own (`kubectl wait --timeout=300s`,
`timeout 600 ...`): then only a pod that never starts hangs.

Fix: set activeDeadlineSeconds longer than the slowest run you expect. The fix
offered is unsafe, since only you know how long that is; it proposes ten
minutes, or the seconds that the config says: `options: {hook-without-deadline: {deadline: 1800}}`.

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
from dataclasses import dataclass
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Repo, Resource, Severity, regex, rule
from ...linter.argocd.delete_hooks import is_run

POD: Final = ("template", "spec")
POD_DEADLINE: Final = (*POD, "activeDeadlineSeconds")
LIMIT: Final = regex(r"(?:^|\s)(?:--timeout[= ]\S|timeout (?:-\S+ )*\d)")
LOOP: Final = regex(r"\b(?:until|while)\b")
"""May go round for ever, whatever limit each round has."""
WORKFLOW_LIMITS: Final = (("workflowTemplateRef",), ("templateDefaults", "activeDeadlineSeconds"))
TEMPLATES: Final = "templates"


@dataclass(frozen=True)
class Options:
    deadline: int = 600
    """Seconds that the fix proposes."""


@rule("GL102", Severity.WARNING, Moment.TROUBLE, of_fetched=False, options=Options())
def check(repo: Repo, options: Options) -> Iterator[Finding]:
    for hook in repo.resources:
        if hook.kind in ("Job", "Workflow"):
            yield from _findings(hook, repo, options)


def _findings(hook: Resource, repo: Repo, options: Options) -> Iterator[Finding]:
    is_job = hook.group_kind == "batch/Job"
    if not (is_job or hook.group_kind == "argoproj.io/Workflow") or not is_run(hook):
        return
    spec = hook["spec"]
    deadline = spec["activeDeadlineSeconds"]
    if deadline.value is not None or (not is_job and any(spec.at(*path).value is not None for path in WORKFLOW_LIMITS)):
        return
    if is_job and spec.at(*POD_DEADLINE).value is not None:
        return
    blocked = "its sync open and every later one out" if hook.hook.phases else "up the deletion of the Application"
    yield Finding(
        hook.hook_annotation,
        headline=f"hook {hook} has no activeDeadlineSeconds",
        happens=f"A run that hangs holds {blocked}, since Argo CD has no timeout by default.",
        do="Set activeDeadlineSeconds longer than the slowest run you expect.",
        fixes=(Fix(f"set a deadline of {_spoken(options.deadline)}", deadline.set(options.deadline)),),
        severity=Severity.NOTE if _is_from_elsewhere(hook, repo) or _ends_itself(spec) else None,
    )


def _ends_itself(spec: Node) -> bool:
    containers = [*spec.at(*POD)["containers"]]
    return bool(containers) and all(_has_limit(container) for container in containers)


def _has_limit(container: Node) -> bool:
    words = " ".join(word.text for part in ("command", "args") for word in container[part])
    return LIMIT.search(words) is not None and LOOP.search(words) is None


def _is_from_elsewhere(hook: Resource, repo: Repo) -> bool:
    """In a copy of somebody's chart; or the label of a chart, in a file that is no template of one."""
    path = hook.node.origin.file.path
    if path.endswith("Chart.yaml"):  # of a chart that this one depends on
        return True
    return repo.charts.is_copy(path) or (hook.labels["helm.sh/chart"].present and TEMPLATES not in path.split("/"))


def _spoken(seconds: int) -> str:
    return "ten minutes" if seconds == 600 else f"{seconds} seconds"
