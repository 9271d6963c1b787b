"""Whether there is an app of a name in either revision."""

from __future__ import annotations

from ...change import Change
from ..views.chosen_apps import UnknownApp, choose


def check_name(change: Change, name: str | None) -> None:
    """Raises UnknownApp, with what may be meant."""
    if name is None or any(app.name == name for app in change.base.apps):
        return
    try:
        choose(change.head, name)
    except UnknownApp:
        if change.head.apps or not change.base.apps:
            raise
        choose(change.base, name)
