"""The sentences of the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...argocd.delete_hooks import running_delete_types
from ...argocd.sync_order import MIXED_HOOKS, LeftOut, Plan, Reason, Slot, Step, Task
from ...argocd.waits import WAVE_DELAY
from ...dialects.phrases import counted
from ...facts.versions import since
from ...kubernetes.resource import Resource
from ...lint.result import Reported
from ...repo.app import App
from .plan_views import Link, ObjectView

NAMESPACE_FIRST: Final = "namespace-before-dry-run"


def source_of(app: App) -> str:
    """Where its objects come from, and by which tool."""
    if app.application is None:
        return app.name
    parts = []
    for one in app.rendered:
        what = one.path or one.source.chart or one.source.path or one.source.repo_url or "?"
        parts.append(f"{what} ({one.tool})" if one.tool else what)
    return " + ".join(parts)


def counts(findings: Iterable[Reported]) -> str:
    """``3 errors, 5 warnings``: the severities that occur, worst first."""
    numbers = Counter(item.severity for item in findings)
    return ", ".join(counted(numbers[severity], str(severity)) for severity in sorted(numbers, reverse=True))


def summary(plan: Plan) -> str:
    """How the sync goes."""
    steps = [step for step in plan.steps if step.phase != "SyncFail"]
    objects = counted(len({id(task.resource) for task in plan.tasks}), "object")
    if not steps:
        return "Nothing is applied, unless something fails." if plan.tasks else "Nothing to apply."
    if len(steps) == 1:
        return f"{objects} in one step: {_waited_for(steps[0])}."
    return f"{objects} in {len(steps)} steps; each step starts when the one before is healthy."


def _waited_for(step: Step) -> str:
    if step.waits_for_health:
        return "all of it is waited for"
    hooks = any(task.resource.is_hook for task in step.tasks)
    return "only the hooks are waited for" if hooks else "nothing is waited for"


def after_step(step: Step, objects: Sequence[ObjectView]) -> str:
    """What happens before the next step, or at the end."""
    serious = any(one.wait and not one.wait.brief for one in objects)
    if step.phase == "SyncFail":
        return "Then the sync is over, and failed."
    if not step.is_last:
        return f"{'Then' if serious else 'Nothing to wait for:'} the next step, {WAVE_DELAY} s later."
    if serious:
        return "Then the sync has succeeded."
    if any(task.resource.is_hook for task in step.tasks):
        return "Then the sync has succeeded: nothing here has a health to wait for."
    return "Then the sync has succeeded, whether or not these objects become healthy."


def remarks(task: Task, plan: Plan) -> Iterator[str]:
    """What is special about the place of an object in the order."""
    resource = task.resource
    if task.pulled_from is not None and task.pulled_from != task.slot:
        what = "an object in its namespace" if resource.kind == "Namespace" else "an object of its kind"
        yield f"pulled here from {_slot(task.pulled_from)}: {what} is applied in this step"
    if _is_destination(resource, plan.namespace) and not resource.versions.lacks(NAMESPACE_FIRST):
        first = f"(since Argo CD {since(NAMESPACE_FIRST)})"
        yield f"the destination: on the first sync it is created before everything else, even the dry run {first}"
    if resource.is_hook:
        yield _lifetime(resource)
        phases = resource.hook.phases
        if len(phases) > 1:
            yield f"runs once in each of {', '.join(phases)}"
        if resource.hook.delete_types:
            types = " and ".join(resource.hook.delete_types)
            yield f"also {types} (both since Argo CD {since(MIXED_HOOKS)}; before, no sync applies it)"


def _is_destination(resource: Resource, namespace: str) -> bool:
    return bool(namespace) and resource.group_kind == "Namespace" and resource.name == namespace


def _slot(slot: Slot) -> str:
    return f"{slot.phase_name} wave {slot.wave}"


def _lifetime(hook: Resource) -> str:
    """What becomes of a hook that has run."""
    policies = hook.hook.effective_delete_policies
    by_default = "" if hook.hook.delete_policies else " by default"
    ends = {
        "HookSucceeded": "when the sync has succeeded",
        "HookFailed": "when the sync has failed",
        "BeforeHookCreation": "before its next run",
    }
    if not hook.name and set(policies) == {"BeforeHookCreation"}:
        return f"never deleted: BeforeHookCreation{by_default} finds no old one under a generated name"
    return f"deleted {' and '.join(ends[policy] for policy in dict.fromkeys(policies))}{by_default}"


def left_out(item: LeftOut) -> str:
    """Why a sync does not apply an object."""
    hook = item.resource.hook
    if item.reason is Reason.REPEATED:
        other = Link.to(item.instead["kind"]) if item.instead else "another"
        return f"repeated: the last one wins, which is {other}"
    if item.reason is Reason.SKIPPED:
        return "skipped: its hook type is Skip"
    if item.reason is Reason.DROPPED:
        written, version = item.resource.hook_annotation.scalar_text, item.resource.versions.argocd
        argo_cd = f"Argo CD {version}" if version else "Argo CD"
        return f"never applied, and nothing says so: {argo_cd} knows no hook type in {written!r}"
    types = running_delete_types(item.resource)
    instead = f", so no sync applies it (before Argo CD {since(MIXED_HOOKS)})" if hook.phases else ""
    return f"runs only when the Application is deleted ({', '.join(types)}){instead}"


def notes(app: App, plan: Plan) -> Iterator[str]:
    """What holds for the whole sync."""
    application = app.application
    if application is None:
        return
    options = application.sync_options
    namespace = application.destination.namespace
    in_git = any(_is_destination(resource, namespace) for resource in app.resources)
    if "CreateNamespace=true" in options and namespace and not in_git:
        yield f"CreateNamespace=true: Argo CD creates Namespace {namespace!r} first, if it is not there yet."
    if "ApplyOutOfSyncOnly=true" in options:
        yield "ApplyOutOfSyncOnly=true: only hooks, and objects that differ, are applied and waited for."
    yield from _pruning(app, plan)
    if application.heals and any(task.resource.is_hook for task in plan.tasks):
        yield "A self-heal applies only what differs, and runs no hooks."


def _pruning(app: App, plan: Plan) -> Iterator[str]:
    application = app.application
    if application is None:
        return
    if not application.prunes:
        yield "What leaves git stays in the cluster until somebody prunes it."
    elif "PruneLast=true" in application.sync_options:
        yield "What leaves git is pruned in the Sync phase, after its last wave."
    else:
        yield (
            "What leaves git is pruned in the Sync phase, highest wave first (since Argo CD 2.11);"
            " a prune in a wave of its own makes the sync wait for health between waves."
        )
