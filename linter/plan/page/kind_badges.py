"""Badges for kinds: a few letters, and the family that colours them."""

from __future__ import annotations

import re
from typing import Final

from ...kubernetes.resource import Resource

_SHORT: Final = {
    "ClusterRole": "cr", "ClusterRoleBinding": "crb", "ConfigMap": "cm", "CronJob": "cj", "DaemonSet": "ds",
    "Deployment": "dep", "Ingress": "ing", "Job": "job", "Namespace": "ns", "NetworkPolicy": "np", "Pod": "pod",
    "Role": "ro", "RoleBinding": "rb", "Secret": "sec", "Service": "svc", "ServiceAccount": "sa", "StatefulSet": "sts",
}  # fmt: skip
_FAMILIES: Final = {
    "work": ("apps", "batch"),
    "net": ("networking.k8s.io", "gateway.networking.k8s.io", "discovery.k8s.io", "networking.istio.io"),
    "rights": ("rbac.authorization.k8s.io",),
    "store": ("storage.k8s.io", "snapshot.storage.k8s.io"),
    "argo": ("argoproj.io",),
}
_CORE: Final = {
    "ConfigMap": "conf", "Secret": "conf", "Pod": "work", "Service": "net", "ServiceAccount": "rights",
    "PersistentVolume": "store", "PersistentVolumeClaim": "store",
}  # fmt: skip


def letters(kind: str) -> str:
    """At most three, from the capitals where there are several."""
    if kind in _SHORT:
        return _SHORT[kind]
    capitals = "".join(re.findall(r"[A-Z]", kind)).lower()
    return (capitals if len(capitals) > 1 else kind.lower())[:3]


def family(resource: Resource) -> str:
    if not resource.group:
        return _CORE.get(resource.kind, "base")
    if resource.is_crd:
        return "base"
    return next((name for name, groups in _FAMILIES.items() if resource.group in groups), "custom")
