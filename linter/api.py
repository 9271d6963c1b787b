"""What a rule is written with: the names that nearly every rule needs, and nothing else.

A package of yours can bring rules, too: it names its modules in the entry point
`gitops_lint.rules`, and each is written like one of ours. `API_VERSION` grows when a
name here changes its meaning or goes; new names leave it as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .dialects.phrases import and_more, by_line, counted, listed, sentence, some
from .facts.regexes import regex
from .facts.severity import Severity
from .facts.tables import table
from .kubernetes.resource import Resource
from .lint.rule import Cause, Confidence, Finding, Fix, Moment, Note, rule
from .repo.app import App
from .repo.model import Repo
from .yaml.source import Node, Patch, Place, SourceFile, Span, Spot

if TYPE_CHECKING:
    from .change import Change

API_VERSION = 1

__all__ = [
    "API_VERSION",
    "App",
    "Cause",
    "Change",
    "Confidence",
    "Finding",
    "Fix",
    "Moment",
    "Node",
    "Note",
    "Patch",
    "Place",
    "Repo",
    "Resource",
    "Severity",
    "SourceFile",
    "Span",
    "Spot",
    "and_more",
    "by_line",
    "counted",
    "listed",
    "regex",
    "rule",
    "sentence",
    "some",
    "table",
]


def __getattr__(name: str) -> Any:
    """What only rules about a change need is imported for them."""
    if name != "Change":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .change import Change

    return Change
