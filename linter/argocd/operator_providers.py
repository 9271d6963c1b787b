"""Which Application installs the operator behind a custom kind, when its CRDs themselves are not in the repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from ..facts.tables import table
from ..kubernetes.crds import operator_of
from ..kubernetes.crds.operators import Pin, names_of_operators, source_pins
from ..kubernetes.resource import Resource

if TYPE_CHECKING:
    from .applications import Source

_PACKAGES: Final = "operator-packages.json"
_ENDINGS: Final = frozenset("io com org net dev sh k8s api operator operators".split())
_COMMON_WORDS: Final = frozenset("cluster management kubernetes product certified community openshift redhat".split())
"""One of them alone says nothing about who is meant."""


def installed(source: Source) -> set[str]:
    """The operators whose chart or repository a source of an Application is."""
    return {found for pin in source_pins(source.repo_url, source.chart, "") if (found := operator_named(pin))}


def operator_named(pin: Pin) -> str | None:
    """The operator that goes by what a file takes."""
    return names_of_operators().get((pin.kind, pin.name)) or (_charts().get(pin.name) if pin.kind == "charts" else None)


def operator_behind(resource: Resource) -> str | None:
    """The one that brings the kind of a custom resource."""
    found = operator_of(resource.group_kind)
    if found is not None:
        return found
    groups: Mapping[str, str] = table("operator-charts.json")["groups"]
    own = (name for group, name in groups.items() if resource.group == group or resource.group.endswith(f".{group}"))
    return next(own, None)


def brings(provider: Resource, resource: Resource) -> bool:
    """Whether an object makes a controller bring the definition of a custom resource, once it has been applied."""
    how = _BY_KIND.get(provider.group_kind)
    if how is not None:
        return how(provider, resource)
    return resource.group in table(_PACKAGES)["kinds"].get(provider.group_kind, ())


def _subscribes_to(subscription: Resource, resource: Resource) -> bool:
    """By the table of packages; of others by the words that the package and the group have in common."""
    package = subscription["spec"]["name"].text
    known = table(_PACKAGES)["packages"].get(package)
    if known is not None or is_preinstalled(resource.group):
        return resource.group in (known or ())
    common = set(re.split(r"[-._]", package)) & (set(re.split(r"[-.]", resource.group)) - _ENDINGS)
    return len(common - _COMMON_WORDS) > 0 or len(common) > 1


def _constrains(template: Resource, resource: Resource) -> bool:
    kind = template["spec"]["crd"]["spec"]["names"]["kind"].text
    return (resource.group, resource.kind) == ("constraints.gatekeeper.sh", kind)


def _composes(definition: Resource, resource: Resource) -> bool:
    spec = definition["spec"]
    kinds = {spec[names]["kind"].text for names in ("names", "claimNames")}
    return resource.group == spec["group"].text and resource.kind in kinds


def _graphs(definition: Resource, resource: Resource) -> bool:
    schema = definition["spec"]["schema"]
    return (resource.group, resource.kind) == (schema["group"].text or "kro.run", schema["kind"].text)


_BY_KIND: Final[Mapping[str, Callable[[Resource, Resource], bool]]] = {
    "operators.coreos.com/Subscription": _subscribes_to,
    "templates.gatekeeper.sh/ConstraintTemplate": _constrains,
    "apiextensions.crossplane.io/CompositeResourceDefinition": _composes,
    "kro.run/ResourceGraphDefinition": _graphs,
}


@cache
def is_provider(group_kind: str) -> bool:
    """Whether objects of a kind may bring definitions of others."""
    return group_kind in _BY_KIND or group_kind in table(_PACKAGES)["kinds"]


@cache
def _charts() -> Mapping[str, str]:
    charts: Mapping[str, str] = table("operator-charts.json")["charts"]
    return charts


@cache
def is_preinstalled(group: str) -> bool:
    """Whether a platform brings the kinds of a group with the cluster."""
    return any(group == own or group.endswith(f".{own}") for own in table("operator-charts.json")["preinstalled"])
