"""Who creates an Application that is new in git, who deletes one that is gone, and what goes with it."""

from __future__ import annotations

from typing import NamedTuple

from ...argo.effective import effective_options
from ...change import Change
from ...model import App


class Deletion(NamedTuple):
    automatic: bool
    cascades: bool
    """Its objects are deleted with it."""
    who: str


def deletion_of(change: Change, app: App) -> Deletion:
    application = app.application
    assert application is not None
    resource = application.resource
    if application.is_generated:
        cascades = application.cascades or _adds_finalizer(application.value, resource["spec"]["syncPolicy"].value)
        maker = next((one for one in change.head.sets if one.resource.identity == resource.identity), None)
        if maker is not None:
            keeps = maker.resource["spec"]["syncPolicy"]["applicationsSync"].text in ("create-only", "create-update")
            if maker.expansion.unresolved or maker.expansion.problems:
                return Deletion(
                    False, cascades, f"whether ApplicationSet {resource.name!r} still makes it is not known"
                )
            if keeps:
                return Deletion(False, cascades, f"ApplicationSet {resource.name!r} deletes no Applications")
            return Deletion(True, cascades, f"ApplicationSet {resource.name!r} deletes it")
    else:
        cascades = application.cascades
    parents = change.base.managers(resource)
    now = {id(one.before): one.after for one in change.apps if one.before is not None}
    for parent in parents:
        after = now.get(id(parent))
        above = after.application if after else None
        if above is None:
            return Deletion(False, cascades, f"its parent {parent.application} is removed, too")
        if above.prunes and effective_options(resource, above).prune == "true":
            return Deletion(True, cascades, f"the sync of its parent {above} prunes it")
        return Deletion(False, cascades, f"its parent {above} does not prune it by itself")
    return Deletion(False, cascades, "nothing in the repository deletes it: somebody has to")


def creation_of(change: Change, app: App) -> str:
    application = app.application
    assert application is not None
    resource = application.resource
    if application.is_generated:
        return f"ApplicationSet {resource.name!r} creates it"
    parents = change.head.managers(resource)
    if not parents:
        return "nothing in the repository creates it: somebody has to"
    above = parents[0].application
    by_hand = "" if above and above.is_automated else ", which somebody has to start"
    return f"the sync of its parent {above} creates it{by_hand}"


def _adds_finalizer(value: object, policy: object) -> bool:
    """The controller of ApplicationSets gives the finalizer to Applications that have none, unless told otherwise."""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    own = metadata.get("finalizers") if isinstance(metadata, dict) else None
    preserves = isinstance(policy, dict) and policy.get("preserveResourcesOnDeletion") is True
    return not own and not preserves
