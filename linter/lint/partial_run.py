"""A run over what differs from an earlier one: the first answer of an editor, while the whole is still to come."""

from __future__ import annotations

from typing import Final

from ..repo.app import App
from ..repo.model import Repo
from .engine import Run
from .rule import Scope

OF_PARTS: Final = frozenset((Scope.RESOURCE, Scope.APP))
"""Rules about an object or an app can be asked about some of them; all others need to see everything."""


class PartialRun(Run):
    """What is the same was judged before: an object that no change touched is one and the same in both."""

    def __init__(self, repo: Repo, before: Repo) -> None:
        old = {id(one) for one in before.resources}
        found = [one for one in repo.resources if id(one) not in old]
        new = set(map(id, found))

        def is_new(app: App) -> bool:
            definition = app.application
            return any(id(one) in new for one in app.resources) or (
                definition is not None and id(definition.resource) in new
            )

        super().__init__(repo, apps=[app for app in repo.apps if is_new(app)])
        self._resources = found
