"""What the API server refuses in code, beyond any schema: each with the server's own words.

A module a subject; every check takes an object and yields what is wrong with it. What an
object leaves open, or another tool fills in later, is no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ..resource import Resource
from . import held_data, needed_fields, object_names, services, workloads
from .refused import Refused

__all__ = ["Refused", "refusals_of"]

Check = Callable[[Resource], Iterator[Refused]]

_OF_ALL: Final[tuple[Check, ...]] = (object_names.names, needed_fields.missing, needed_fields.unsupported)
_OF_WORKLOADS: Final[tuple[Check, ...]] = (workloads.selectors, workloads.policies, workloads.pods)
_CHECKS: Final[dict[str, tuple[Check, ...]]] = {
    "Secret": (held_data.secret_contents,),
    "ConfigMap": (held_data.config_map_contents,),
    "Service": (services.service_ports,),
    "policy/PodDisruptionBudget": (services.disruption_budget,),
    "autoscaling/HorizontalPodAutoscaler": (services.autoscaler,),
    "Pod": (workloads.pods,),
    "apps/Deployment": _OF_WORKLOADS,
    "apps/StatefulSet": _OF_WORKLOADS,
    "apps/DaemonSet": _OF_WORKLOADS,
    "apps/ReplicaSet": _OF_WORKLOADS,
    "batch/Job": (workloads.job_selectors, workloads.pods),
    "batch/CronJob": (workloads.schedules, workloads.pods),
}


def refusals_of(resource: Resource) -> Iterator[Refused]:
    """All that the server says no to; of what SOPS has encrypted nobody can tell."""
    if resource["sops"].is_mapping:
        return
    for check in (*_OF_ALL, *_CHECKS.get(resource.group_kind, ())):
        yield from check(resource)
