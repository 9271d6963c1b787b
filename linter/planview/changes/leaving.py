"""What becomes of an object that an Application no longer has."""

from __future__ import annotations

from typing import NamedTuple

from ...argo.effective import effective_options
from ...change import Change, ObjectChange
from ...model import App
from ...resource import Resource
from ...stateful import StatefulObjects
from .deletion import deletion_of
from .pairs import Pair
from .views import Action, Fate


class Leaving(NamedTuple):
    action: Action
    fate: Fate
    words: str
    loses_data: bool = False


def leaving(change: Change, pair: Pair, one: ObjectChange, stateful: StatefulObjects) -> Leaving | None:
    """None for what no sync has ever applied."""
    resource = one.before
    if resource is None or pair.before is None:
        return None
    takers = [app for app in (one.after_app, *change.still_in(one)) if app and not pair.has(app)]
    taker = next((app for app in takers if app.application), None)
    if pair.is_unit:
        there = f"{taker.application} has it now" if taker else "whoever applies this folder decides what becomes of it"
        return Leaving(Action.STAY, Fate.HELD if taker else Fate.UNKNOWN, f"leaves this folder: {there}")
    if not resource.hook.phases:
        return None
    if resource.is_hook:
        return Leaving(Action.STAY, Fate.LEFT_BEHIND, "what is left of its last run stays: hooks are not pruned")
    loss = stateful.loss(resource)
    if pair.after is None or pair.application is None:
        return _with_application(change, pair.before, resource, taker, loss.words if loss and loss.certain else "")
    return _by_the_sync(pair, resource, taker, loss.words if loss and loss.certain else "")


def _by_the_sync(pair: Pair, resource: Resource, taker: App | None, loss: str) -> Leaving:
    application = pair.application
    assert application is not None
    assert pair.before is not None
    if pair.failures:
        return _stays(Fate.HELD, "stays: Argo CD cannot generate the manifests, and prunes nothing then")
    if pair.is_seen_less:
        return _stays(Fate.UNKNOWN, "is not seen any more: not everything is known of what the Application brings")
    old = pair.before.application
    if old is not None and old.destination.cluster != application.destination.cluster:
        return _stays(Fate.LEFT_BEHIND, f"stays in {old.destination.cluster or '?'}, where nothing manages it any more")
    if resource.is_crd:
        return _stays(Fate.LEFT_BEHIND, "stays: Argo CD does not mark CRDs as its own, and so does not prune them")
    guard = effective_options(resource, application).prune
    deletes = application.prunes and guard == "true"
    if taker is not None:
        first = "; if this Application syncs first, it deletes the object, and that one creates it anew"
        return _stays(Fate.HELD, f"moves to {taker.application}{first if deletes else ''}")
    if guard == "false":
        return _stays(Fate.PROTECTED, "stays: Prune=false keeps it, and the Application stays OutOfSync")
    if guard == "confirm":
        return _stays(Fate.CONFIRMED, "stays until somebody approves its deletion (Prune=confirm), and the wave waits")
    if not application.prunes:
        return _stays(Fate.WITH_PRUNE, "stays until somebody syncs with prune")
    if _is_emptied(pair.after):
        return _stays(Fate.WITH_PRUNE, "stays: Argo CD refuses to prune everything by itself (allowEmpty is not set)")
    inside = "and everything in it" if resource.group_kind == "Namespace" else ""
    return Leaving(Action.PRUNE, Fate.PRUNED, f"deleted, {loss or inside}" if loss or inside else "", bool(loss))


def _with_application(change: Change, app: App, resource: Resource, taker: App | None, loss: str) -> Leaving:
    application = app.application
    assert application is not None
    deletion = deletion_of(change, app)
    cascades = deletion.cascades
    if taker is not None:
        danger = (
            "; if the old Application is deleted first, it is deleted with it, and created anew" if cascades else ""
        )
        return _stays(Fate.HELD, f"moves to {taker.application}{danger}")
    if not cascades:
        return _stays(Fate.ORPHANED, "stays, and nothing manages it any more")
    kept = resource.is_crd or resource.annotation("helm.sh/resource-policy").text == "keep"
    guard = effective_options(resource, application).delete
    if kept or guard != "true":
        why = (
            "CRDs are never deleted with it"
            if resource.is_crd
            else "resource-policy keep"
            if kept
            else f"Delete={guard}"
        )
        return _stays(Fate.PROTECTED, f"stays when the Application is deleted: {why}")
    words = f"deleted with its Application{f', {loss}' if loss else ''}"
    if not deletion.automatic:
        return _stays(Fate.DELETED, f"stays until the Application is deleted, and is {words}", bool(loss))
    return Leaving(Action.PRUNE, Fate.DELETED, words, bool(loss))


def _stays(fate: Fate, words: str, loses_data: bool = False) -> Leaving:
    return Leaving(Action.STAY, fate, words, loses_data)


def _is_emptied(app: App | None) -> bool:
    """Nothing of it is left in git, and the Application does not say that this may be."""
    if app is None or app.application is None or any(one.hook.phases and not one.is_hook for one in app.resources):
        return False
    policy = app.application.spec.get("syncPolicy")
    automated = policy.get("automated") if isinstance(policy, dict) else None
    return not (isinstance(automated, dict) and automated.get("allowEmpty") is True)
