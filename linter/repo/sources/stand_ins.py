"""An Application with blanks, such as the name of a cluster that is not known, made fit to be rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ...argocd.applications import TOOLS, Application, Source
from ...dialects.go_template.blanks import blanks_of, is_blank, stand_in
from ...helm.value_sources import is_literal


class Filled(NamedTuple):
    application: Application
    source: Source
    blanks: tuple[str, ...] = ()
    """What the tool is told that is not known: what it makes of it is a guess."""


def filled(application: Application, source: Source) -> Filled:
    """With a plain word for every blank; value files that are not known are left out."""
    if not application.is_open:
        return Filled(application, source)
    blanks = tuple(dict.fromkeys(blank for tool in TOOLS for blank in _blanks_in(source.tool(tool))))
    plain = replace(application, value=_filled(application.value))
    found = next((one for one in plain.sources if one.pointer == source.pointer), source)
    return Filled(plain, found, blanks)


def is_told_a_guess(application: Application, source: Source) -> bool:
    """Whether a chart makes it that somebody installs with values of his own, some of which it hands on to Helm."""
    resource = application.resource
    if not resource.tentative:
        return False
    told = resource.node.find(f"{source.pointer}/helm")
    return any(not is_literal(node.origin) for node in told.walk() if not (node.is_mapping or node.is_sequence))


def _blanks_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from blanks_of(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key != "releaseName":  # as little as the name of the Application, which it is by default
                yield from _blanks_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _blanks_in(item)


def _filled(value: Any) -> Any:
    if isinstance(value, str):
        return stand_in(value)
    if isinstance(value, Mapping):
        return {
            key: [_filled(one) for one in item if not (isinstance(one, str) and is_blank(one))]
            if key == "valueFiles" and isinstance(item, list)
            else item
            if key == "repoURL"  # no word stands for an address
            else _filled(item)
            for key, item in value.items()
        }
    return [_filled(item) for item in value] if isinstance(value, list) else value
