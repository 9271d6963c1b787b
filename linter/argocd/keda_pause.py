"""KEDA's way to pause an object: annotations, not fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node

PAUSED: Final = "autoscaling.keda.sh/paused"
PAUSED_REPLICAS: Final = "autoscaling.keda.sh/paused-replicas"


def paused_scaling(scaled: Resource) -> Node | None:
    """The annotation that makes KEDA pause a ScaledObject, which Argo CD then calls Suspended."""
    paused, replicas = scaled.annotation(PAUSED), scaled.annotation(PAUSED_REPLICAS)
    if paused.text == "true":
        return paused
    return replicas if replicas.present else None
