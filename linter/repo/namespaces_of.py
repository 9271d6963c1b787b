"""What the repository shows of a namespace: its labels, where an Application of the same cluster brings it."""

from __future__ import annotations

from collections.abc import Mapping

from ..kubernetes.admission_policies import NAME_LABEL
from .app import App
from .model import Repo


def namespace_labels(repo: Repo, app: App, namespace: str) -> Mapping[str, str] | None:
    """None where nobody knows: it has no Namespace here, or several that differ."""
    found = [
        {key: value.scalar_text for key, value in one.labels.items()} | {NAME_LABEL: namespace}
        for other in repo.apps
        if other is app or _same_cluster(other, app)
        for one in other.resources
        if one.group_kind == "Namespace" and one.name == namespace and not one.patched
    ]
    return found[0] if found and all(one == found[0] for one in found) else None


def _same_cluster(other: App, app: App) -> bool:
    if other.application is None or app.application is None:
        return False
    return other.application.destination.cluster == app.application.destination.cluster != ""
