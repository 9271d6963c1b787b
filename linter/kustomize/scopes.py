"""Which kinds Kustomize takes for cluster-wide: those of the OpenAPI document it carries, and no others."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ..facts.tables import table

if TYPE_CHECKING:
    from .objects import Gvk


@cache
def _cluster_scoped() -> frozenset[str]:
    return frozenset(table("kustomize-openapi.json")["clusterScoped"])


@lru_cache(maxsize=4096)
def is_cluster_scoped(gvk: Gvk) -> bool:
    """Kinds it does not know count as namespaced: custom resources, and built-in ones younger than its document."""
    group, version, kind = gvk
    return (f"{group}/{version}/{kind}" if group else f"{version}/{kind}") in _cluster_scoped()
