"""Which Application installs the operator behind a custom kind, when its CRDs themselves are not in the repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from ..facts.tables import table
from ..kubernetes.crds.operators import Pin, names_of_operators, source_pins
from ..kubernetes.resource import Resource

if TYPE_CHECKING:
    from .applications import Source

_ENDINGS: Final = frozenset("io com org net dev sh k8s api operator operators".split())
_COMMON_WORDS: Final = frozenset("cluster management kubernetes product certified community".split())
"""One of them alone says nothing about who is meant."""


def installed(source: Source) -> set[str]:
    """The operators whose chart or repository a source of an Application is."""
    return {found for pin in source_pins(source.repo_url, source.chart, "") if (found := _known_as(pin))}


def _known_as(pin: Pin) -> str | None:
    return names_of_operators().get((pin.kind, pin.name)) or (_charts().get(pin.name) if pin.kind == "charts" else None)


def subscribes_to(subscription: Resource, group: str) -> bool:
    """Whether the package of an OLM Subscription goes, by its name, with the kinds of a group."""
    if subscription.kind != "Subscription" or subscription.group != "operators.coreos.com":
        return False
    package = set(re.split(r"[-._]", subscription["spec"]["name"].text))
    common = package & (set(re.split(r"[-.]", group)) - _ENDINGS)
    return len(common) > 1 or bool(common - _COMMON_WORDS)


@cache
def _charts() -> Mapping[str, str]:
    charts: Mapping[str, str] = table("operator-charts.json")["charts"]
    return charts


@cache
def is_preinstalled(group: str) -> bool:
    """Whether a platform brings the kinds of a group with the cluster."""
    return any(group == own or group.endswith(f".{own}") for own in table("operator-charts.json")["preinstalled"])
