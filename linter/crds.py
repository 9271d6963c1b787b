"""CRD schemas: placeholder until the real module lands."""

from __future__ import annotations

from collections.abc import Iterable

from .resource import Resource


class Schemas:
    def with_crds(self, resources: Iterable[Resource]) -> Schemas:
        return self
