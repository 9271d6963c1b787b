"""Which operators an Application installs together with their CRDs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..argocd.applications import Application, Source
from ..argocd.operator_providers import installed
from ..facts.tables import table
from .sources.given_values import Given


def operators_with_crds(application: Application) -> set[str]:
    """Without those whose chart leaves the CRDs out, by its default or by what the Application says."""
    return {
        operator
        for source in application.sources
        for operator in installed(source)
        if not leaves_crds_out(application, source)
    }


def leaves_crds_out(application: Application, source: Source) -> bool:
    """Whether the chart that a source names is rendered without its CRDs."""
    helm = source.tool("helm")
    switch: Mapping[str, Any] = table("crd-switches.json")["charts"].get(source.chart, {})
    if helm.get("skipCrds") is True and switch.get("folder", True):
        return True
    names = switches_of(source.chart)
    said = [value for name, value in _values(Given(application, source)) if name in names]
    if said:
        return not any(said)
    # Files of values are taken to say what makes the operator work.
    return switch.get("default") is False and not helm.get("valueFiles")


def switches_of(chart: str) -> list[tuple[str, ...]]:
    """The values that decide whether a chart brings its CRDs."""
    return [tuple(name.split(".")) for name in table("crd-switches.json")["charts"].get(chart, {}).get("values", ())]


def _values(given: Given) -> Iterator[tuple[tuple[str, ...], Any]]:
    inline = given.inline()
    for name in {name for one in table("crd-switches.json")["charts"].values() for name in one["values"]}:
        for root in inline.roots if inline else ():
            node = root.at(*name.split("."))
            if node.present:
                yield tuple(name.split(".")), node.value
    for parameter in given.parameters():
        yield parameter.path, parameter.value
