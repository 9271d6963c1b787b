"""What becomes of an update that the API server refuses, by the options of the Application and the object."""

from __future__ import annotations

from typing import NamedTuple

from ...argocd.sync_order import SYNC_FAIL
from ...kubernetes.resource import Resource
from ...repo.app import App


class Outcome(NamedTuple):
    recreated: bool
    """Deleted and created anew, so that it goes through."""
    words: str
    """To stand after what the API server says."""
    compared: bool = True
    """False where server-side diff asks the API server first: then no option of a sync is of any help."""


def outcome(resource: Resource, app: App) -> Outcome:
    options = app.options_for(resource)
    if options.asks_server and options.known:
        aside = "; Force=true does not help, the comparison comes first" if options.force else ""
        failing = "with server-side diff the whole Application fails to be compared (ComparisonError) and is not synced"
        return Outcome(False, f"{failing}{aside}", compared=False)
    if options.force and not options.server_side_apply and not resource.versions.argocd_before("2.12"):
        both = "Force=true and Replace=true delete" if options.replace else "Force=true deletes"
        return Outcome(True, f"{both} it and create{'' if options.replace else 's'} it anew")
    aside = ""
    if options.replace:
        aside = "; Replace=true alone does not help"
    elif options.force and options.server_side_apply:
        aside = "; Force=true does nothing with server-side apply"
    if app.application is None:
        return Outcome(False, f"whoever applies it fails{aside}")
    return Outcome(False, f"the sync fails, again at every retry{_what_is_left(resource, app)}{aside}")


def _what_is_left(resource: Resource, app: App) -> str:
    """The steps that a failed wave keeps from being applied."""
    own = app.plan.slot(resource)
    later = own and any(own < task.slot and task.slot.phase != SYNC_FAIL for task in app.plan.tasks)
    return ", and what comes in later waves is not applied" if later else ""
