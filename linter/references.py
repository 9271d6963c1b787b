"""References: placeholder until the real module lands."""

from __future__ import annotations

from collections.abc import Iterable

from .resource import Resource


class Graph: ...


def build_graph(resources: Iterable[Resource], namespace: str = "") -> Graph:
    return Graph()
