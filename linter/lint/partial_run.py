"""A run over what differs from an earlier one: the first answer of an editor, while the whole is still to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ..repo.app import App
from ..repo.model import Repo
from ..yaml.source import SourceFile
from .engine import Run
from .rule import Rule, Scope

OF_PARTS: Final = frozenset((Scope.RESOURCE, Scope.APP))
"""Rules about an object or an app can be asked about some of them; all others need to see everything."""


class PartialRun(Run):
    """What is the same was judged before: an object that no change touched is one and the same in both."""

    def __init__(self, repo: Repo, before: Repo) -> None:
        old = {id(one) for one in before.resources}
        self._new = [one for one in repo.resources if id(one) not in old]
        new = {id(one) for one in self._new}

        def is_new(app: App) -> bool:
            definition = app.application
            return any(id(one) in new for one in app.resources) or (
                definition is not None and id(definition.resource) in new
            )

        super().__init__(repo, apps=[app for app in repo.apps if is_new(app)])

    def _subjects(self, rule: Rule) -> Iterable[tuple[Any, SourceFile]]:
        if rule.scope is not Scope.RESOURCE:
            return super()._subjects(rule)
        new = {id(one) for one in self._new}
        return [(one, file) for one, file in super()._subjects(rule) if id(one) in new]
