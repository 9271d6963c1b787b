"""Whether an object is applied at all, and what the API server is asked to do about fields that it does not know."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING, Final

from ..argo.effective import effective_options

if TYPE_CHECKING:
    from ..model import Repo
    from ..resource import Resource


_PATCH_FILE: Final = re.compile(r"(?:^|[/_.-])patch(?:es)?(?:[/_.-]|$)", re.IGNORECASE)
"""A patch that no kustomization names looks like an object, but it is not whole."""


def is_applied(resource: Resource, unnamed: Container[str]) -> bool:
    """False for what nobody reads: a patch left behind, a file beside a kustomization that does not name it."""
    path = resource.file.path
    return path not in unnamed and not _PATCH_FILE.search(path)


def is_refused(repo: Repo, resource: Resource) -> bool:
    """Whether one of its syncs refuses it.

    Argo CD asks the API server for strict validation unless Validate=false says otherwise; a server-side apply needs
    to know every field anyhow. Without both the field is dropped, and nobody says so.
    """
    apps = repo.apps_with(resource)
    options = [app.effective(resource) for app in apps] or [effective_options(resource, None)]
    return any(one.validate or one.server_side_apply for one in options)
