"""What becomes of a field that the API server does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from .model import Repo


def is_refused(repo: Repo, resource: Resource) -> bool:
    """Whether a sync or a comparison fails over it.

    Only a server-side apply needs to know every field, and the dry run that ServerSideDiff=true asks for, which no
    hook has. Any other apply goes out without a word about strictness, and the API server then drops the field with a
    warning that nobody reads (Kubernetes 1.25 and later); Validate=true or false changes nothing about that.
    """
    return any(
        one.server_side_apply or (one.known and one.asks_server and not resource.is_hook)
        for one in repo.options_of(resource)
    )
