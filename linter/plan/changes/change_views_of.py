"""From two revisions to what the next sync of every Application does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from ...argocd.sync_order import SYNC_FAIL, Slot
from ...change import Change, Fate, Likeness, ObjectChange, Renaming, Stake
from ...change.fate import Outlook
from ...kubernetes.annotations.hooks import PHASES
from ...kubernetes.resource import Resource
from ...repo.app import App
from ...repo.model import Repo
from ..views.chosen_apps import UnknownApp, choose
from ..views.plan_views import Link
from ..views.plan_words import left_out, source_of
from .change_views import DOES_SOMETHING, Action, AppChangeView, ChangedObject, ChangeView, Status
from .changed_fields import Field, differences
from .plan_pairs import Pair, pairs_of
from .refusal import refusal_of
from .sentences import about, how, notes, unseen_words


def build_changes(
    change: Change, base: str = "", name: str | None = None, wants: Callable[[str], bool] = lambda path: True
) -> ChangeView:
    """Of one app, where a name is given; else of all that have to do with the files that are wanted."""
    builder = _Builder(change)
    found: list[AppChangeView] = []
    unchanged = 0
    for number, (pair, objects) in enumerate(pairs_of(change), 1):
        if name is not None and name not in {side.name for side in (pair.before, pair.after) if side}:
            continue
        if name is None and not any(_concerns(side, wants) for side in (pair.before, pair.after) if side):
            continue
        view = builder.app(f"app{number}", pair, objects)
        if view is not None:
            found.append(view)
        elif not pair.is_unit:
            unchanged += 1
    found.sort(key=lambda app: (not app.is_application, app.name))
    return ChangeView(base, tuple(found), unchanged)


def _concerns(app: App, wants: Callable[[str], bool]) -> bool:
    return wants(app.file.path) or any(wants(resource.file.path) for resource in app.resources)


class _Builder:
    def __init__(self, change: Change) -> None:
        self.change = change
        self.now = {id(one.before): one.after for one in change.apps if one.before is not None}
        self.renamed: Mapping[int, Renaming] = {id(one.added): one for one in change.renamings}
        self.renamed_to: Mapping[int, Renaming] = {id(one.removed): one for one in change.renamings}

    def app(self, id_: str, pair: Pair, changes: list[ObjectChange]) -> AppChangeView | None:
        """None for what nothing happens to."""
        ids = (f"{id_}-{number}" for number in count())
        seen = [one for one in changes if not one.resource.unrendered]
        unseen = len(changes) - len(seen)
        found = [made for one in seen if (made := self._object(pair, one, ids)) is not None]
        if pair.failures:
            found = [_not_now(one) for one in found]
        rewritten = pair.change is not None and (not pair.change.is_kept or pair.change.is_rewritten)
        if not (found or unseen or rewritten or pair.new_failures):
            return None
        syncs = any(one.action in DOES_SOMETHING for one in found)
        if syncs and pair.after is not None:
            found += self._also(pair, found, ids)
        application = pair.app.application
        before, after = (side.application if side else None for side in (pair.before, pair.after))
        automatic = how(self.change, pair, found)
        return AppChangeView(
            id=id_,
            name=pair.app.name,
            is_application=not pair.is_unit,
            status=_status(pair),
            where=Link.to(after.place("/metadata/name")) if after else None,
            source=source_of(pair.app),
            destination=str(application.destination) if application else "",
            automatic=automatic.automatic,
            how=automatic.words,
            words=tuple(about(self.change, pair)),
            values=(before.value if before else None, after.value if after else None),
            objects=tuple(_in_order(pair, found)),
            failures=pair.failures,
            unresolved=(*pair.unresolved, *unseen_words(unseen)),
            notes=tuple(notes(pair, found)),
        )

    def _object(self, pair: Pair, one: ObjectChange, ids: Iterator[str]) -> ChangedObject | None:
        if one.after is None or one.after_app is not pair.after or pair.after is None:
            return self._leaving(pair, one, ids)
        after = one.after
        renaming = self.renamed.get(id(one))
        old = renaming.removed.before if renaming else one.before
        action, remarks = self._action(pair.after, one)
        if action is None:
            return None
        if renaming is not None:
            remarks = (*remarks, _renamed(renaming, renaming.removed, "before"))
        return ChangedObject(
            next(ids), action, after, pair.after.plan.slot(after), pair.after.namespace, old, remarks=remarks
        )

    def _action(self, app: App, one: ObjectChange) -> tuple[Action | None, tuple[str, ...]]:
        before, after = one.before, one.after
        assert after is not None
        if app.plan.slot(after) is None:
            why = next((left_out(item) for item in app.plan.left_out if item.resource is after), "no sync applies it")
            return Action.SKIP, (why,)
        if after.is_hook:
            return Action.RUN, (_run_words(after, new=before is None),)
        if before is None or (one.moved_app and one.before_app is not None and one.before_app.application is None):
            return Action.CREATE, ()
        if one.moved_app and one.before_app is not None and app.application is not None:
            return Action.MOVE, (f"from {one.before_app.application}{self._danger(before, one.before_app)}",)
        if not one.is_rewritten or one.moved_app:  # what no Application has any more is told where it was
            return None, ()
        refusal = refusal_of(before, after, app)
        if refusal is not None:
            return Action.RECREATE if refusal.recreates else Action.REFUSED, (refusal.words,)
        if _is_always_recreated(after, app):
            return Action.RECREATE, (_ALWAYS,)
        return Action.CHANGE, words_if_ignored(self.change.head, app, before, after)

    def _danger(self, resource: Resource, left: App) -> str:
        """What the Application that an object leaves may do to it first."""
        now = self.now.get(id(left))
        if now is None or now.application is None or not self.change.fates.pruning(resource, left, now).unasked:
            return ""
        return "; if that one syncs first, it deletes the object, and this one creates it anew"

    def _leaving(self, pair: Pair, one: ObjectChange, ids: Iterator[str]) -> ChangedObject | None:
        resource = one.before
        found = self.change.fates.of_object(one, pair.before, pair.after) if pair.before else None
        if found is None or resource is None or pair.before is None:
            return None
        stake = self.change.stakes.of(resource, pair.before)
        remarks = list(_what_becomes(found, stake))
        renaming = self.renamed_to.get(id(one))
        if renaming is not None:
            remarks.append(_renamed(renaming, renaming.added, "now"))
        action = Action.PRUNE if found.unasked else Action.STAY
        goes = found.unasked or found.fate is Fate.DELETED
        return ChangedObject(
            next(ids), action, resource, None, pair.before.namespace, gone=True,
            fate=found.fate, remarks=tuple(remarks), loses_data=goes and stake.loses_data,
        )  # fmt: skip

    def _also(self, pair: Pair, found: list[ChangedObject], ids: Iterator[str]) -> list[ChangedObject]:
        """What a sync does besides: hooks run, and what is replaced by force is created anew every time."""
        app = pair.after
        if app is None or app.application is None:
            return []
        known = {id(one.resource) for one in found}
        made: list[ChangedObject] = []
        only_differing = "ApplyOutOfSyncOnly=true" in app.application.sync_options
        for task in app.plan.tasks:
            resource = task.resource
            if id(resource) in known or task.slot.phase == SYNC_FAIL:
                continue
            if resource.is_hook:
                action, words = Action.RUN, _run_words(resource)
            elif not only_differing and _is_always_recreated(resource, app):
                action, words = Action.RECREATE, _ALWAYS
            else:
                continue
            known.add(id(resource))
            made.append(ChangedObject(next(ids), action, resource, task.slot, app.namespace, remarks=(words,)))
        return made


def _what_becomes(found: Outlook, stake: Stake) -> Iterator[str]:
    loss = f", {stake.words}" if stake.words else ""
    if found.fate is Fate.DELETED:
        yield f"{found.words}{', and is ' if found.words else ''}deleted with its Application{loss}"
    elif not found.unasked:
        yield found.words
    elif loss:
        yield f"deleted{loss}"


def _not_now(one: ChangedObject) -> ChangedObject:
    """Of an Application whose manifests cannot be generated."""
    if one.action not in DOES_SOMETHING and one.action is not Action.RUN:
        return one
    later = f"{one.action.value}, once the manifests can be generated"
    return replace(one, action=Action.SKIP, slot=None, remarks=(later, *one.remarks))


def _renamed(renaming: Renaming, other: ObjectChange, when: str) -> str:
    if renaming.why is Likeness.NAMESPACE and other.identity is not None:
        return f"in namespace {other.identity.namespace!r} {when}"
    return f"called {other.resource.display_name!r} {when} ({renaming.why.value})"


_ALWAYS = "Force=true with Replace=true: every sync that applies it deletes it and creates it anew"


def _is_always_recreated(resource: Resource, app: App) -> bool:
    options = app.options_for(resource)
    if not (options.force and options.replace) or resource.versions.argocd_before("2.12"):
        return False
    return not resource.is_crd and resource.group_kind != "Namespace"


def _run_words(hook: Resource, *, new: bool = False) -> str:
    types = ", ".join(hook.hook.types)
    first = "a new hook" if new else "hook"
    if not hook.name:
        return f"{first} ({types}): runs under a new name"
    again = "" if new else "; the one of the last run is deleted before"
    if "BeforeHookCreation" in hook.hook.effective_delete_policies:
        return f"{first} ({types}){again}"
    return f"{first} ({types}); applied over what is left of the last run, if anything is"


def _status(pair: Pair) -> Status:
    if pair.is_unit:
        return Status.KEPT
    if pair.before is None:
        return Status.ADDED
    if pair.after is None:
        return Status.REMOVED
    return Status.RENAMED if pair.change is not None and pair.change.is_renamed else Status.KEPT


def _in_order(pair: Pair, found: list[ChangedObject]) -> list[ChangedObject]:
    """By phase, wave, and the order within; what leaves a wave goes before what it applies."""
    app, order = pair.app, ranks(pair.app)
    pruned = [one.resource for one in found if one.action is Action.PRUNE]
    # What is deleted with its Application is no part of a sync.
    slots = prune_slots(app, pruned) if pair.after is not None else {}
    placed = [replace(one, slot=slots[id(one.resource)]) if id(one.resource) in slots else one for one in found]

    def key(one: ChangedObject) -> tuple[object, ...]:
        resource = one.resource
        title = (resource.kind, resource.namespace, resource.display_name)
        if one.slot is None:
            return (1, -resource.wave, 0, 0, 0, title)
        return (0, one.slot.phase, one.slot.wave, one.action is not Action.PRUNE, order.get(id(resource), 0), title)

    return sorted(placed, key=key)


# -- when a sync comes to what it changes, and when to what it prunes

SYNC = PHASES.index("Sync")


def prune_slots(app: App, pruned: Iterable[Resource]) -> Mapping[int, Slot]:
    """By the id of an object: prunes go from the highest wave down (since Argo CD 2.11), PruneLast after all."""
    found = list(pruned)
    last = [one for one in found if app.options_for(one).prune_last]
    in_order = [one for one in found if one not in last]
    waves = sorted({one.wave for one in in_order})
    mirrored = dict(zip(waves, reversed(waves), strict=True))
    slots = {id(one): Slot(SYNC, mirrored[one.wave]) for one in in_order}
    highest = max((task.slot.wave for task in app.plan.tasks if task.slot.phase == SYNC), default=0)
    return slots | {id(one): Slot(SYNC, max(highest, *waves, 0) + 1) for one in last}


def ranks(app: App) -> Mapping[int, int]:
    """By the id of an object: its place among all that the sync applies."""
    found: dict[int, int] = {}
    for number, task in enumerate(app.plan.tasks):
        found.setdefault(id(task.resource), number)
    return found


# -- changes that Argo CD is told not to see


def words_if_ignored(repo: Repo, app: App, before: Resource, after: Resource) -> tuple[str, ...]:
    """Empty unless every field that differs is ignored, or may be."""
    application = app.application
    if application is None or not (application.ignored_differences or repo.argocd.settings.customizations):
        return ()
    fields = differences(before.node.value, after.node.value)
    if not fields or not all(repo.argocd.ignores(app, after, _steps(field, before, after)) for field in fields):
        return ()
    if app.options_for(after).respects_ignored:
        return ("ignored (ignoreDifferences with RespectIgnoreDifferences): neither seen nor written",)
    return ("ignored (ignoreDifferences): it starts no sync, but the next one writes it",)


def _steps(field: Field, before: Resource, after: Resource) -> list[str | int]:
    """With numbers where there are lists."""
    value: Any = before.node.value if field.after is None else after.node.value
    steps: list[str | int] = []
    for text in field.pointer.split("/")[1:]:
        key = text.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdecimal():
            steps.append(int(key))
            value = value[int(key)] if int(key) < len(value) else None
        else:
            steps.append(key)
            value = value.get(key) if isinstance(value, dict) else None
    return steps


def check_name(change: Change, name: str | None) -> None:
    """Raises UnknownApp, with what may be meant, if no app of either revision has it."""
    if name is None or any(app.name == name for app in change.base.apps):
        return
    try:
        choose(change.head, name)
    except UnknownApp:
        if change.head.apps or not change.base.apps:
            raise
        choose(change.base, name)
