"""Objects that stay who they are and are written otherwise: the ones that a sync updates in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ...kubernetes.resource import Resource
from ...repo.app import App
from .. import Change


class Rewritten(NamedTuple):
    before: Resource
    after: Resource
    before_app: App
    app: App
    """The one that has it now."""

    @property
    def kind(self) -> str:
        return self.after.group_kind


_KNOWN: WeakKeyDictionary[Change, tuple[Rewritten, ...]] = WeakKeyDictionary()
"""Many rules ask for the same: comparing all objects takes longer than the rules do."""


def rewritten(change: Change) -> tuple[Rewritten, ...]:
    """Without hooks, which a sync deletes and makes anew, and without objects that nobody can tell apart."""
    if change not in _KNOWN:
        _KNOWN[change] = tuple(_rewritten(change))
    return _KNOWN[change]


def _rewritten(change: Change) -> Iterator[Rewritten]:
    for one in change.objects:
        if one.identity is None or one.before is None or one.after is None or not one.is_rewritten:
            continue
        if one.before_app is None or one.after_app is None or one.before.is_hook or one.after.is_hook:
            continue
        yield Rewritten(one.before, one.after, one.before_app, one.after_app)


def app_pairs(change: Change) -> Iterator[tuple[App, App]]:
    """Applications and units that are in both revisions and have an object that differs, as they were and are."""
    pairs: dict[tuple[int, int], tuple[App, App]] = {}
    for one in change.objects:
        if one.before_app is not None and one.after_app is not None and not one.moved_app:
            pairs.setdefault((id(one.before_app), id(one.after_app)), (one.before_app, one.after_app))
    yield from pairs.values()
