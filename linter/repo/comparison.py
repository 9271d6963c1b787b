"""Which fields of an object an Application leaves as they are in the cluster."""

from __future__ import annotations

from ..argocd.ignored_differences import Steps, ignores
from ..kubernetes.resource import Resource
from ..yaml.source import Node
from .app import App
from .model import Repo


def leaves_alone(app: App, resource: Resource, path: Steps, repo: Repo) -> bool:
    """Whether a sync keeps what the cluster has at the path: it takes more than to ignore the difference."""
    return app.options_for(resource).respects_ignored and repo.argocd.ignores(app, resource, path)


def is_told_as_ignored(app: App, resource: Resource, path: Steps) -> bool:
    """Whether ignore-without-respect speaks of it: ignored by an Application that syncs by itself, and yet written."""
    application = app.application
    return application is not None and application.is_automated and ignores(application, resource, path)


def steps_to(node: Node, resource: Resource) -> list[str | int]:
    """The way from an object to one of its places."""
    steps: list[str | int] = []
    place: Node | None = node
    while place is not None and place.raw is not resource.node.raw:
        steps.append(place.key)
        place = place.parent
    return steps[::-1]
