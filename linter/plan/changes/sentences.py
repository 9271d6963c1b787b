"""What is said of an Application that a change touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...change import Change, Deleter
from ...change.synced import synced
from ...dialects.phrases import counted
from ...repo.app import App
from .change_views import DOES_SOMETHING, Action, ChangedObject
from .plan_pairs import Pair


class How(NamedTuple):
    automatic: bool | None
    words: str


def how(change: Change, pair: Pair, objects: Sequence[ChangedObject]) -> How:
    """Whether the sync happens by itself."""
    if pair.is_unit:
        return How(None, "no Application in the repository syncs it")
    application = pair.application
    if application is None:
        assert pair.before is not None
        deletion = change.fates.of_app(pair.before)
        return How(deletion.unasked, deletion.words)
    if pair.failures:
        return How(False, "Argo CD cannot generate the manifests, so nothing is synced")
    if pair.fixed_to:
        return How(False, f"its source is fixed to {pair.fixed_to!r}, so nothing happens until that changes")
    if not application.is_automated:
        return How(False, "waits until somebody syncs it")
    actions = {one.action for one in objects}
    if objects and not actions & DOES_SOMETHING:
        if actions <= {Action.RUN, Action.SKIP}:
            return How(False, "only hooks differ, which Argo CD does not compare: they run at the next sync")
        return How(False, "nothing differs that it would sync for")
    return How(True, f"syncs by itself, and {'prunes' if application.prunes else 'does not prune'}")


def about(change: Change, pair: Pair) -> Iterator[str]:
    """What happens to the Application itself."""
    if pair.change is None:
        return
    if pair.after is None and pair.before is not None:
        number = len(synced(pair.before))
        objects = counted(number, "object") if number else "objects"
        deletion = change.fates.of_app(pair.before)
        if deletion.by is Deleter.KEPT:
            yield f"The Application is gone from git, but stays in the cluster, and what it manages: {deletion.words}."
            return
        with_it, without = f"with {objects} (it has the finalizer)", f"without its {objects} (no finalizer)"
        goes = with_it if _cascades(pair.before) else without
        yield f"The Application is removed, {goes}: {deletion.words}."
        return
    if pair.before is None and pair.after is not None:
        yield f"The Application is new: {_creation(change, pair.after)}."
        return
    if pair.change.is_renamed and pair.before is not None:
        goes = "with all that it manages" if _cascades(pair.before) else "and leaves its objects to this one"
        old = f"It was called {pair.before.name!r}: to Argo CD this is a new Application"
        yield f"{old}. The old one goes {goes}; {change.fates.of_app(pair.before).words}."
    if pair.change.destination_changed and pair.before is not None:
        yield from _retargeted(pair)
    if pair.change.path_changed:
        yield "Its source is another one."


def _cascades(app: App) -> bool:
    return app.application is not None and app.application.cascades


def _creation(change: Change, app: App) -> str:
    application = app.application
    assert application is not None
    resource = application.resource
    if application.is_generated:
        return f"{resource} creates it"
    parents = change.head.managers(resource)
    if not parents:
        return "nothing in the repository creates it: somebody has to"
    above = parents[0].application
    by_hand = "" if above and above.is_automated else ", which somebody has to start"
    return f"the sync of its parent {above} creates it{by_hand}"


def _retargeted(pair: Pair) -> Iterator[str]:
    old = pair.before.application if pair.before else None
    new = pair.application
    if old is None or new is None:
        return
    before, after = old.destination, new.destination
    if before.cluster != after.cluster:
        stays = "what it made there stays, and nothing manages it any more"
        yield f"It goes to cluster {after.cluster or '?'} instead of {before.cluster or '?'}: {stays}."
    else:
        moves = "what has no namespace of its own is created there; in the old one it is no longer in git"
        yield f"It goes to namespace {after.namespace or '-'} instead of {before.namespace or '-'}: {moves}."


def unseen_words(number: int) -> Iterator[str]:
    """Of objects in templates, of which nobody knows what they come to."""
    if number:
        objects = "1 object differs" if number == 1 else f"{number} objects differ"
        yield f"{objects} in templates of a chart that was not rendered"


def notes(pair: Pair, objects: Sequence[ChangedObject]) -> Iterator[str]:
    application = pair.application
    if application is None:
        return
    if application.heals and any(one.action is Action.RUN for one in objects):
        yield "A self-heal runs no hooks; the sync of a new revision does."
