"""What Argo CD waits for once an object is applied, and for how long at worst.

A sync has no time limit of its own. It goes on when the health of what it
waits for is Healthy, and fails when that is Degraded; Progressing, Suspended
and Unknown keep it waiting. So the question for every kind is what makes it
Healthy, and whether anything ever makes it Degraded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from ..facts.tables import has_health_check
from .endless_pods import never_ends
from .keda_pause import paused_scaling

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node

WAVE_DELAY: Final = 2
"""Seconds between two waves, unless ARGOCD_SYNC_WAVE_DELAY says otherwise."""
_NO_PROGRESS_DEADLINE: Final = 2**31 - 1
"""A Deployment with this progressDeadlineSeconds never gives up."""
_DEFAULT_PROGRESS_DEADLINE: Final = 600
_SUSPENDABLE: Final = (".toolkit.fluxcd.io",)
"""Groups whose health checks call an object with `spec.suspend: true` Suspended."""


class Wait(NamedTuple):
    until: str
    """What ends it well, to stand after "until"."""
    limit: int | None = None
    """Seconds until it counts as failed; None when nothing ends it."""
    since_progress: bool = False
    """The limit starts anew with every bit of progress."""
    fails_when: str = ""
    """What fails the sync besides the limit, to stand after "if"."""
    stuck: str = ""
    """Why it can never end well: it waits for ever, or until somebody intervenes."""
    caveat: str = ""
    """What makes it likely to take for ever."""
    brief: bool = False
    """A matter of moments: only a controller has to take notice."""

    @property
    def is_endless(self) -> bool:
        """Nothing but success, or a failure that may never be reported, ends it."""
        return not self.brief and (bool(self.stuck) or self.limit is None)

    @property
    def worst(self) -> str:
        """What happens when it does not end well, in few words."""
        if self.stuck:
            return f"for ever: {self.stuck}"
        if self.limit is not None:
            return f"fails after {duration(self.limit)}{' without progress' if self.since_progress else ''}"
        return "a moment" if self.brief else "no time limit"

    def __str__(self) -> str:
        if self.stuck:
            return self.worst
        failing = f"; if {self.fails_when}, the sync fails" if self.fails_when else ""
        ending = "" if self.brief else f"; {self.worst}"
        caveat = f" ({self.caveat})" if self.caveat else ""
        return f"until {self.until}{caveat}{failing}{ending}"


def duration(seconds: int) -> str:
    """In the largest unit that leaves a whole number."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def wait_for(resource: Resource, has_own_check: bool = False) -> Wait | None:
    """None for what counts as done once it is applied.

    `has_own_check` says that the settings of Argo CD hold a check for the kind, which goes before the built-in one.
    """
    if has_own_check:
        return Wait("your own health check says Healthy", fails_when="that says Degraded")
    if not has_health_check(resource.group, resource.kind) or _too_old(resource):
        return None
    look = _KINDS.get(f"{resource.group}/{resource.kind}", _other)
    return look(resource)


def _too_old(resource: Resource) -> bool:
    """The declared Argo CD has no check for the kind yet."""
    versions = resource.versions
    if resource.is_crd:
        return versions.lacks("crd-health")
    if resource.group == "batch" and resource.kind == "CronJob":
        return versions.lacks("cronjob-health")
    return resource.group == "policy" and versions.lacks("poddisruptionbudget-health")


def _seconds(node: Node) -> int | None:
    value = node.value
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _is_idle(resource: Resource) -> bool:
    value = resource["spec"]["replicas"].value
    return value == 0 and not isinstance(value, bool)


# -- kinds that run something to its end


def _job(job: Resource) -> Wait:
    if job["spec"]["suspend"].value is True:
        return Wait("it completes", stuck="it is suspended")
    limit = _seconds(job["spec"]["activeDeadlineSeconds"])
    return _until_its_end(job, "it completes", limit)


def _workflow(workflow: Resource) -> Wait:
    spec = workflow["spec"]
    if spec["suspend"].value is True:
        return Wait("it succeeds", stuck="it is suspended")
    return Wait("it succeeds", _seconds(spec["activeDeadlineSeconds"]), fails_when="it fails")


def _pod(pod: Resource) -> Wait:
    limit = _seconds(pod["spec"]["activeDeadlineSeconds"])
    if pod["spec"]["restartPolicy"].text in ("Never", "OnFailure"):
        return _until_its_end(pod, "it has run to its end", limit)
    return Wait("it is ready", limit, fails_when="a container crashes or its image cannot be pulled")


def _until_its_end(runner: Resource, until: str, limit: int | None) -> Wait:
    endless = never_ends(runner)
    if endless is None:
        return Wait(until, limit, fails_when="it fails")
    why = f"it {endless.why}"
    return Wait(until, stuck=why) if limit is None else Wait(until, limit, caveat=f"never: {why}")


# -- kinds that run on


def _deployment(deployment: Resource) -> Wait:
    spec = deployment["spec"]
    until = "all its replicas are updated and available"
    if spec["paused"].value is True:
        return Wait(until, stuck="it is paused")
    if _is_idle(deployment):
        return Wait("its controller has seen it", brief=True)
    limit = _seconds(spec["progressDeadlineSeconds"]) or _DEFAULT_PROGRESS_DEADLINE
    return Wait(until, None if limit == _NO_PROGRESS_DEADLINE else limit, since_progress=True)


def _rollout(rollout: Resource) -> Wait:
    until = "it is rolled out, pauses included"
    if rollout["spec"]["paused"].value is True:
        return Wait(until, stuck="it is paused")
    return Wait(until, fails_when="it is aborted or exceeds its progress deadline")


def _stateful_set(stateful_set: Resource) -> Wait:
    if _is_idle(stateful_set):
        return Wait("its controller has seen it", brief=True)
    return Wait("all its pods are ready")


def _daemon_set(daemon_set: Resource) -> Wait:
    if daemon_set["spec"]["updateStrategy"]["type"].text == "OnDelete":
        return Wait("its controller has seen it", brief=True)
    return Wait("a pod is available on every node that it is meant for")


def _replica_set(replica_set: Resource) -> Wait:
    if _is_idle(replica_set):
        return Wait("its controller has seen it", brief=True)
    return Wait("all its replicas are available", fails_when="pods cannot be created")


# -- kinds that somebody else completes


def _service(service: Resource) -> Wait | None:
    return Wait("it has an address") if service["spec"]["type"].text == "LoadBalancer" else None


def _ingress(_: Resource) -> Wait:
    return Wait("it has an address")


def _claim(_: Resource) -> Wait:
    return Wait(
        "it is bound",
        fails_when="its volume is lost",
        caveat="a class with WaitForFirstConsumer binds it only for a pod that uses it",
    )


def _autoscaler(_: Resource) -> Wait:
    return Wait("it can scale", fails_when="it cannot read its target or its metrics")


def _scaled_object(scaled: Resource) -> Wait:
    until = "it is ready"
    if paused_scaling(scaled) is not None:
        return Wait(until, stuck="it is paused")
    return Wait(until, fails_when="it cannot read its target or its triggers")


def _api_service(_: Resource) -> Wait:
    return Wait("it is available")


def _definition(_: Resource) -> Wait:
    return Wait("it is established", fails_when="its names are not accepted or its schema is invalid", brief=True)


def _disruption_budget(_: Resource) -> Wait:
    return Wait("its controller has seen it", brief=True)


def _cron_job(_: Resource) -> Wait:
    return Wait("its controller has seen it", fails_when="its last run failed", brief=True)


def _application_set(_: Resource) -> Wait:
    return Wait("its Applications are generated, healthy or not", fails_when="it cannot generate them")


def _other(resource: Resource) -> Wait:
    until = "it is healthy"
    if resource.group.endswith(_SUSPENDABLE) and resource["spec"]["suspend"].value is True:
        return Wait(until, stuck="it is suspended")
    return Wait(until, fails_when="its controller reports a failure")


_KINDS: Final[dict[str, Callable[[Resource], Wait | None]]] = {
    "/PersistentVolumeClaim": _claim,
    "/Pod": _pod,
    "/Service": _service,
    "apiextensions.k8s.io/CustomResourceDefinition": _definition,
    "apiregistration.k8s.io/APIService": _api_service,
    "apps/DaemonSet": _daemon_set,
    "apps/Deployment": _deployment,
    "apps/ReplicaSet": _replica_set,
    "apps/StatefulSet": _stateful_set,
    "argoproj.io/ApplicationSet": _application_set,
    "argoproj.io/Rollout": _rollout,
    "argoproj.io/Workflow": _workflow,
    "autoscaling/HorizontalPodAutoscaler": _autoscaler,
    "batch/CronJob": _cron_job,
    "batch/Job": _job,
    "extensions/Ingress": _ingress,
    "keda.sh/ScaledObject": _scaled_object,
    "networking.k8s.io/Ingress": _ingress,
    "policy/PodDisruptionBudget": _disruption_budget,
}
