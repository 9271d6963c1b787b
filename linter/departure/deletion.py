"""Who deletes an Application that is gone from git, and what it takes along."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ..argo.applications import Application
from ..argo.effective import effective_options
from ..change import Change
from ..model import App
from ..resource import Resource
from .follows import both_known, refuses_to_empty


class Deleter(Enum):
    SET = "the controller of its ApplicationSet"
    PARENT = "the parent, which prunes"
    HAND = "whoever syncs the parent with pruning"
    NOBODY = "nobody that the repository shows"


class Deletion(NamedTuple):
    by: Deleter
    parent: Application | None = None
    """The Application above it, as it is now."""
    makers: tuple[Resource, ...] = ()
    """The ApplicationSet, as it is now; empty if it is gone, too."""


def deletion_of(change: Change, app: App) -> Deletion | None:
    """Of an Application of the base that head does not have; None where it stays, or where nobody can tell."""
    application = app.application
    if application is None or application.resource.patched:
        return None
    if not application.is_generated:
        return _by_parents(change, application.resource)
    makers = [one for one in change.head.sets if one.resource.identity == application.resource.identity]
    if not makers:
        return _by_parents(change, application.resource)
    if any(one.expansion.fails or one.expansion.unresolved for one in makers):
        return None
    if any(_keeps_applications(one.resource) for one in makers):
        return None
    return Deletion(Deleter.SET, makers=tuple(one.resource for one in makers))


def _keeps_applications(maker: Resource) -> bool:
    return maker["spec"]["syncPolicy"]["applicationsSync"].text in ("create-only", "create-update")


def _by_parents(change: Change, resource: Resource) -> Deletion | None:
    """A parent that is gone, too, is what is reported instead."""
    parents: Sequence[App] = change.base.managers(resource)
    if not parents:
        return Deletion(Deleter.NOBODY)
    now = {id(one.before): one for one in change.apps}
    found: list[Deletion] = []
    for parent in parents:
        partner = now.get(id(parent))
        after = partner.after if partner else None
        if after is None or after.application is None or not both_known(parent, after):
            return None
        if effective_options(resource, after.application).prune != "true" or refuses_to_empty(after):
            return None
        by = Deleter.PARENT if after.application.prunes else Deleter.HAND
        found.append(Deletion(by, after.application))
    return min(found, key=lambda one: one.by is not Deleter.PARENT)
