"""The affected Applications in a row each, for tables."""

from __future__ import annotations

from ...lint.result import AffectedApp
from .change_views import Action, ChangeView


def affected_apps(view: ChangeView) -> tuple[AffectedApp, ...]:
    return tuple(
        AffectedApp(
            name=app.title,
            status=app.status.value if app.status.value != "kept" else "",
            destination=app.destination,
            create=app.counts[Action.CREATE],
            change=app.counts[Action.CHANGE] + app.counts[Action.MOVE],
            recreate=app.counts[Action.RECREATE],
            prune=app.counts[Action.PRUNE],
            refused=app.counts[Action.REFUSED],
            automatic=app.automatic_word,
        )
        for app in view.apps
    )
