"""App of apps: which sync creates which Applications, and in which wave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from ...argocd.argocd_settings import Customization
from ...repo.app import App
from .plan_views import ChildView, Link

_NO_CHECK: Final = (
    "since 1.8 it has no health check for Application, so a wave of Applications is done once they are created,"
    " and waves between Applications order their creation, not their syncs."
)


class Families:
    def __init__(self, apps: Sequence[App], ids: dict[int, str]) -> None:
        """`ids` is by the id of an app."""
        self._ids = ids
        self._by_object: dict[int, list[App]] = defaultdict(list)
        """By the id of the object that is, or makes, an Application."""
        for app in apps:
            if app.application is not None:
                self._by_object[id(app.application.resource)].append(app)
        self._parents: dict[int, list[App]] = defaultdict(list)
        for app in apps:
            for child in self._below(app) if app.application else ():
                self._parents[id(child)].append(app)

    def _below(self, app: App) -> list[App]:
        return [child for one in app.resources for child in self._by_object.get(id(one), ()) if child is not app]

    def children(self, app: App) -> tuple[ChildView, ...]:
        """In the order of the sync."""
        return tuple(
            ChildView(self._ids[id(child)], child.name, task.slot.wave, _maker(child))
            for task in app.plan.tasks
            for child in self._by_object.get(id(task.resource), ())
            if child is not app
        )

    def child_of_object(self, app: App, resource: object) -> str:
        """The id of the app that an object of kind Application stands for."""
        found = [child for child in self._by_object.get(id(resource), ()) if child is not app]
        return self._ids[id(found[0])] if len(found) == 1 else ""

    def parents(self, app: App) -> tuple[tuple[str, str], ...]:
        return tuple((self._ids[id(parent)], parent.name) for parent in self._parents.get(id(app), ()))


def _maker(child: App) -> str:
    application = child.application
    return application.resource.name if application and application.is_generated else ""


def health_note(children: Sequence[ChildView], check: Customization | None) -> str:
    """Whether the parent waits for its children."""
    written = [child for child in children if not child.made_by]
    if not written:
        return ""
    if check is not None:
        adder = Link.to(check.at) if check.at is not None else "a setting of Argo CD"
        return f"Argo CD waits for the health of the Applications in here: {adder} adds a health check for them."
    them = "the Application" if len(written) == 1 else f"the {len(written)} Applications"
    return f"Argo CD does not wait for the health of {them} in here: {_NO_CHECK}"
