"""Hooks that run when the Application is deleted: since which version, and so whether at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource


def running_delete_types(resource: Resource) -> tuple[str, ...]:
    """The delete hooks that the object is, without those that the declared Argo CD is too old for."""
    return tuple(kind for kind in resource.hook.delete_types if not resource.versions.lacks(f"hook-{kind}"))


def is_run(resource: Resource) -> bool:
    """A hook that some sync, or the deletion of the Application, really creates."""
    return resource.is_hook and bool(resource.hook.phases or running_delete_types(resource))
