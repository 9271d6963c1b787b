"""Kinds that Argo CD leaves alone: with the settings it comes with, it neither compares nor applies them."""

from __future__ import annotations

from ..facts.tables import table
from ..facts.versions import Version
from ..kubernetes.resource import Resource


def is_left_alone(resource: Resource, argocd: Version | None) -> bool:
    """Whether an object is of such a kind, in this release, or in some where nobody says which is in use."""
    facts = table("excluded-kinds.json")
    if argocd is not None and argocd < Version.parse(facts["since"]):
        return False
    return resource.kind in facts["kinds"].get(resource.group, ())
