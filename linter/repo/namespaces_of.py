"""What the repository shows of a namespace: its labels, where an Application of the same cluster brings it."""

from __future__ import annotations

from collections.abc import Mapping

from ..kubernetes.admission_policies import NAME_LABEL
from .app import App
from .model import Repo


class NamespaceLabels:
    """Of all namespaces, found in one pass over the objects."""

    def __init__(self, repo: Repo) -> None:
        self._found: dict[tuple[str | int, str], list[dict[str, str]]] = {}
        for app in repo.apps:
            for one in app.resources:
                if one.kind == "Namespace" and not one.group and not one.patched:
                    labels = {key: value.scalar_text for key, value in one.labels.items()} | {NAME_LABEL: one.name}
                    self._found.setdefault((_cluster_of(app), one.name), []).append(labels)

    def of(self, app: App, namespace: str) -> Mapping[str, str] | None:
        """None where nobody knows: it has no Namespace here, or several that differ."""
        found = self._found.get((_cluster_of(app), namespace), ())
        return found[0] if found and all(one == found[0] for one in found) else None


def _cluster_of(app: App) -> str | int:
    """One word for all Applications of a cluster; an app of which it is not known is alone."""
    return (app.application.destination.cluster if app.application else "") or id(app)
