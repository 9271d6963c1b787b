"""What the API server is asked to do about fields that it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from .model import Repo


def is_refused(repo: Repo, resource: Resource) -> bool:
    """Whether one of its syncs refuses it.

    Argo CD asks the API server for strict validation unless Validate=false says otherwise; a server-side apply needs
    to know every field anyhow. Without both the field is dropped, and nobody says so.
    """
    return any(one.validate or one.server_side_apply for one in repo.options_of(resource))
