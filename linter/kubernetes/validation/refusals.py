"""What the API server refuses about a custom resource: types only, the looking is done in `custom`."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ...yaml.source import Node
from ..crds import Origin, Released
from ..defaulting import Steps
from ..resource import Resource


class Refusal(Enum):
    """Why the API server does not take it."""

    UNKNOWN_FIELD = "unknown field"
    INVALID = "invalid"


class CustomFault(NamedTuple):
    refusal: Refusal
    steps: Steps
    text: str
    """What is expected: ``must be a string``; of an unknown field, the name that was probably meant, or nothing."""
    missing: bool = False


class CheckedCustom(NamedTuple):
    """A custom resource with something wrong."""

    resource: Resource
    faults: tuple[CustomFault, ...]
    origin: Origin

    def place(self, fault: CustomFault) -> Node:
        """Of what is missing, the mapping that should have it."""
        steps = fault.steps[:-1] if fault.missing else fault.steps
        return self.resource.node.at(*steps) if steps else self.resource["kind"]


class Unreleased(NamedTuple):
    """A custom resource with a field that no release of its operator has."""

    resource: Resource
    faults: tuple[CustomFault, ...]
    released: Released
    is_pinned: bool
    """The repository names the release that it uses, and it is one of them."""

    def place(self, fault: CustomFault) -> Node:
        return self.resource.node.at(*fault.steps)


def path_text(steps: Steps) -> str:
    """As the API server writes it: ``spec.containers[0].name``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
