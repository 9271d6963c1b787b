"""Where objects hold the pods they start: the built-in kinds, and Rollouts, which are made like Deployments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..yaml.source import Node
from .references import table
from .resource import Resource

KINDS: Final = "Pod ReplicationController Deployment ReplicaSet StatefulSet DaemonSet Job CronJob Rollout"
_ROLLOUT: Final = "argoproj.io/Rollout"
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")


def pod_spec(resource: Resource) -> Node | None:
    """None for an object of another kind, also for one of the same name in another group."""
    if "." in resource.group and resource.group_kind != _ROLLOUT:
        return None
    workload = table.workload(table.canonical(resource.group, resource.kind))
    return resource.node.at(*workload.pod) if workload else None


def containers(pod: Node) -> Iterator[Node]:
    for field in _CONTAINERS:
        yield from pod[field]


def templates(resource: Resource) -> Iterator[tuple[Node, str]]:
    """What an object makes others from, each with the words for what that is."""
    if resource.kind == "Pod":
        return
    pod = pod_spec(resource)
    if pod is None or pod.parent is None:
        return
    yield pod.parent, "its pods"
    if resource.group_kind == "batch/CronJob":
        yield resource["spec"]["jobTemplate"], "its Jobs"
