"""How one object is compared, applied and pruned: what its own options, its Application's and Argo CD's come to."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from .applications import Application
    from .argocd_settings import Settings


class Diff(Enum):
    """How Argo CD compares an object."""

    THREE_WAY = "three-way"
    STRUCTURED_MERGE = "structured merge"
    SERVER_SIDE = "server side"


class Effective(NamedTuple):
    server_side_apply: bool
    replace: bool
    force: bool
    skip_dry_run: bool
    """Not refused while the kind is unknown to the cluster."""
    prune: str
    """``true``, ``false`` or ``confirm``: what happens to it when it leaves git and the sync prunes."""
    delete: str
    """The same for the deletion of the Application."""
    prune_last: bool
    respects_ignored: bool
    """A sync leaves fields as they are whose differences are ignored."""
    diff: Diff
    known: bool
    """False where no Application is known: what it would say is then not in it."""

    @property
    def asks_server(self) -> bool:
        """Compared by a dry run of the API server (ServerSideDiff=true)."""
        return self.diff is Diff.SERVER_SIDE

    @property
    def merges(self) -> bool | None:
        """Compared by merging git's into the live one; None where that is for an unknown Application to say."""
        if self.diff is Diff.THREE_WAY and not self.known:
            return None
        return self.diff is Diff.STRUCTURED_MERGE


def effective_options(
    resource: Resource, application: Application | None = None, settings: Settings | None = None
) -> Effective:
    """To be asked through `App.options_for`, which knows all three."""
    own = resource.sync_options
    shared = application.sync_options if application else ()
    versions = resource.versions
    app_wide_ssa = "ServerSideApply=true" in shared
    # An object may opt out of the Application's server-side apply, but is still compared the Application's way.
    server_side = "ServerSideApply=true" in own or (app_wide_ssa and "ServerSideApply=false" not in own)
    replace = "Replace=true" in own or "Replace=true" in shared
    merges = app_wide_ssa or "ServerSideApply=true" in own
    asked = application.server_side_diff if application else None
    asks_server = settings is not None and settings.server_side_diff if asked is None else asked
    skips_for_all = "SkipDryRunOnMissingResource=true" in shared and not versions.lacks("skip-dry-run-of-application")
    return Effective(
        server_side_apply=server_side and not replace,
        replace=replace,
        force="Force=true" in own,
        skip_dry_run="SkipDryRunOnMissingResource=true" in own or skips_for_all,
        prune=_guard("Prune", resource, shared),
        delete=_guard("Delete", resource, shared),
        prune_last="PruneLast=true" in own or "PruneLast=true" in shared,
        respects_ignored="RespectIgnoreDifferences=true" in shared,
        diff=Diff.SERVER_SIDE if asks_server else Diff.STRUCTURED_MERGE if merges else Diff.THREE_WAY,
        known=application is not None,
    )


def _guard(name: str, resource: Resource, shared: tuple[str, ...]) -> str:
    """The first item of the annotation decides, whatever it says; else the Application's, where it counts there."""
    own = resource.sync_option(name)
    if own is not None:
        return own if own in ("false", "confirm") else "true"
    if resource.versions.lacks("application-prune-option"):
        return "true"
    return next((value for value in ("false", "confirm") if f"{name}={value}" in shared), "true")
