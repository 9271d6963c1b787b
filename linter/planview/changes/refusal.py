"""Changes that the API server refuses, as far as the plan knows of them: one function to ask.

Only what surely cannot change is told, and only where both revisions say something.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ...model import App
from ...resource import Resource

_FIXED: Final = {
    "apps/Deployment": ("spec.selector",),
    "apps/DaemonSet": ("spec.selector",),
    "apps/ReplicaSet": ("spec.selector",),
    "apps/StatefulSet": ("spec.selector", "spec.serviceName", "spec.podManagementPolicy", "spec.volumeClaimTemplates"),
    "batch/Job": ("spec.template", "spec.selector", "spec.completionMode"),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.storageClassName", "spec.volumeMode", "spec.volumeName"),
    "rbac.authorization.k8s.io/RoleBinding": ("roleRef",),
    "rbac.authorization.k8s.io/ClusterRoleBinding": ("roleRef",),
    "storage.k8s.io/StorageClass": ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"),
    "Secret": ("type",),
}
_CONTENT: Final = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}


class Refusal(NamedTuple):
    field: str
    """The first field that cannot be changed."""
    recreates: bool
    """The object is deleted and created anew instead."""
    words: str


def refusal_of(before: Resource, after: Resource, app: App) -> Refusal | None:
    """None where the change is taken. This is the place for a fuller knowledge of what cannot change."""
    field = _fixed_field(before, after)
    if not field:
        return None
    options = app.effective(after)
    if options.force and not options.server_side_apply and not after.versions.argocd_before("2.12"):
        return Refusal(field, True, f"{field} cannot be changed: Force=true deletes it and creates it anew")
    what = "the sync fails, again at every retry" if app.application else "whoever applies it fails"
    return Refusal(field, False, f"{field} cannot be changed: the API server refuses it, and {what}")


def _fixed_field(before: Resource, after: Resource) -> str:
    if before["immutable"].value is True:
        for key in _CONTENT.get(after.group_kind, ()):
            if before[key].value != after[key].value:
                return f"{key} (it is immutable)"
    for field in _FIXED.get(after.group_kind, ()):
        steps = field.split(".")
        old, new = _stored(before.node.at(*steps).value), _stored(after.node.at(*steps).value)
        if old not in (None, "") and new not in (None, "") and old != new:
            return field
    return ""


def _stored(value: Any) -> Any:
    """What is empty is not there."""
    return {key: part for key, part in value.items() if part} or None if isinstance(value, dict) else value
