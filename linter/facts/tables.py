"""Typed access to the facts in schemas/; each file is read when somebody first asks."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def table(name: str) -> Any:
    """A file of schemas/, parsed. Nobody changes what comes back."""
    data = files("gitops_lint.schemas").joinpath(name).read_bytes()
    if name.endswith(".gz"):
        import gzip

        data = gzip.decompress(data)
    return json.loads(data)


@cache
def _cluster_scoped() -> frozenset[str]:
    return frozenset(table("kinds.json")["clusterScoped"])


@cache
def is_cluster_scoped(group: str, kind: str) -> bool:
    """True for the built-in and the well-known custom kinds that live outside namespaces."""
    return f"{group}/{kind}" in _cluster_scoped()


@cache
def builtin_kinds() -> dict[str, frozenset[str]]:
    """The groups of Kubernetes itself; nobody can add a kind to them."""
    return {group: frozenset(kinds) for group, kinds in table("builtin-kinds.json").items()}


@cache
def kind_rank(kind: str) -> int:
    """Where the kind stands in the order in which one wave is applied; all that are not listed stand last."""
    order = table("kinds.json")["applyOrder"]
    return order.index(kind) if kind in order else len(order)


@cache
def has_health_check(group: str, kind: str) -> bool:
    """Whether Argo CD has a health check for the kind; what has none counts as done once applied."""
    health = table("health-checks.json")
    key = f"{group}/{kind}"
    return key in health["kinds"] or any(fnmatchcase(key, pattern) for pattern in health["patterns"])
