"""An Application, or a folder that none syncs, as it was and as it will be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...argocd.applications import Application
from ...change import AppChange, Change, ObjectChange
from ...change.object_pairs import key_of
from ...change.synced import failures_of, unresolved_of
from ...dialects.target_revision import follows_main_line
from ...repo.app import App


class Pair(NamedTuple):
    before: App | None
    after: App | None
    change: AppChange | None
    """None for a folder."""

    @property
    def app(self) -> App:
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def application(self) -> Application | None:
        """As it will be; None for a folder, and for an Application that is gone."""
        return self.after.application if self.after else None

    @property
    def is_unit(self) -> bool:
        return self.change is None

    @property
    def failures(self) -> tuple[str, ...]:
        """Why Argo CD cannot generate the manifests."""
        return failures_of(self.after) if self.after else ()

    @property
    def new_failures(self) -> tuple[str, ...]:
        old = failures_of(self.before) if self.before else ()
        return tuple(one for one in self.failures if one not in old)

    @property
    def unresolved(self) -> tuple[str, ...]:
        """Why objects may be missing, now or before."""
        sides = [side for side in (self.after, self.before) if side is not None]
        return tuple(dict.fromkeys(reason for side in sides for reason in unresolved_of(side)))

    @property
    def fixed_to(self) -> str:
        """The tag or commit that its sources stay at, whatever is merged; empty if they follow."""
        revisions = [one.source.target_revision for one in self.app.rendered if one.path and not one.source.chart]
        if not revisions or not all(follows_main_line(one) is False for one in revisions):
            return ""
        moved = self.change is not None and self.change.sources_changed
        return "" if moved or self.before is None else revisions[0]


def pairs_of(change: Change) -> Iterator[tuple[Pair, list[ObjectChange]]]:
    """All of them, each with what differs in it; what moves from one to another is in both."""
    pairs = [Pair(one.before, one.after, one) for one in change.apps]
    units: dict[object, list[App | None]] = {}
    for side, repo in enumerate((change.base, change.head)):
        for app in repo.apps:
            if app.application is None:
                units.setdefault(key_of(app), [None, None])[side] = app
    pairs += [Pair(before, after, None) for before, after in units.values()]
    by_app = {id(app): at for at, pair in enumerate(pairs) for app in (pair.before, pair.after) if app is not None}
    found: list[list[ObjectChange]] = [[] for _ in pairs]
    for one in change.objects:
        places = dict.fromkeys(by_app[id(app)] for app in (one.after_app, one.before_app) if app is not None)
        for at in places:
            found[at].append(one)
    yield from zip(pairs, found, strict=True)
