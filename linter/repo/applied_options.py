"""What becomes of a field that the API server does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from .model import Repo


def is_refused(repo: Repo, resource: Resource) -> bool:
    """Whether a sync or a comparison fails over it.

    Argo CD does not ask the API server for strict validation, whatever Validate says: in a client-side apply an unknown
    field is dropped. A server-side apply has to know every field.
    """
    return any(one.server_side_apply for one in repo.options_of(resource))


def stops_comparison(repo: Repo, resource: Resource) -> bool:
    """Whether an unknown field that came in by a client-side apply fails the comparison of its Application.

    ServerSideDiff=true asks the API server for a server-side apply, as a dry run.
    """
    return not resource.is_hook and any(one.known and one.asks_server for one in repo.options_of(resource))
