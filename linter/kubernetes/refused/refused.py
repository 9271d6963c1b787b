"""One thing that the API server does not take."""

from __future__ import annotations

from typing import NamedTuple

from ...dialects.spelling import is_placeholder
from ...yaml.scalars import UNKNOWN
from ...yaml.source import Node
from ..resource import Resource


class Refused(NamedTuple):
    at: Node
    path: str
    """As the server writes it: ``spec.ports[1].name``."""
    says: str
    """The server's words behind the path."""
    do: str
    in_parts: bool = True
    """Whether it is as wrong in a part of an object, which a patch or another tool completes."""


def is_open(text: str) -> bool:
    """Whether somebody fills the text in later, so that nothing can be said of it."""
    return is_placeholder(text) or UNKNOWN in text or any(mark in text for mark in ("{{", "${", "ENC["))


def path_of_pods(workload: Resource) -> str:
    """Where an object holds the spec of its pods, as the server writes it."""
    if workload.kind == "Pod":
        return "spec"
    return "spec.jobTemplate.spec.template.spec" if workload.kind == "CronJob" else "spec.template.spec"
