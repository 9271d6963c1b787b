"""What rules are made of: types only, nothing runs here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cached_property
from typing import Any, Final, NamedTuple

from .manual import Manual
from .source import Patch, Place


class Severity(IntEnum):
    """What happens: an error fails the sync or loses data; a warning hangs it, drifts for ever
    or silently does nothing; a note is hygiene, or true only on some versions."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Confidence(IntEnum):
    """How sure a look at the files alone can be."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3

    def __str__(self) -> str:
        return self.name.lower()


class Note(NamedTuple):
    """A second place that belongs to a finding, and what is there."""

    at: Place
    message: str


class Fix(NamedTuple):
    """A JSON Patch, and whether it may be applied unasked.

    Safe means: it cannot change a working deployment for the worse.
    """

    title: str
    patch: Patch
    safe: bool = False


class Finding(NamedTuple):
    """One thing that will go wrong, at one place."""

    at: Place
    message: str
    fixes: tuple[Fix, ...] = ()
    """The best one first; the others are alternatives, never applied together with it."""
    related: tuple[Note, ...] = ()
    severity: Severity | None = None
    """Set where the context grades it otherwise than the rule's declaration."""
    confidence: Confidence = Confidence.HIGH


class Scope(Enum):
    """What a rule looks at; the value is the name of its parameter's type."""

    RESOURCE = "Resource"
    APP = "App"
    REPO = "Repo"
    CHANGE = "Change"
    """Runs only where there is a revision to compare with."""
    SUPPRESSIONS = "Suppressions"
    BASELINE = "StaleEntries"
    CRASH = "Crash"


_OF_ANY_TOOL: Final = frozenset(("manifests", "kustomize", "selfcheck"))
"""Topics about YAML, the API server and Kustomize."""

Check = Callable[[Any], Iterator[Finding]]


@dataclass(frozen=True)
class Rule:
    code: str
    severity: Severity
    check: Check
    module: str
    scope: Scope
    kinds: frozenset[str] = frozenset()
    annotated: frozenset[str] = frozenset()
    """Only resources of these kinds, or with one of these annotations, are shown to it; none given means
    all. Part of the declaration so that the engine can leave out the call: most rules have nothing to say
    about most objects."""
    literal: bool = False
    """True when the verdict depends on nothing but the text at the place, so that it also holds
    where a later patch or template may change the rest of the object."""
    default: bool = True
    """False for a rule that runs only when it is selected."""
    any_file: bool = False
    """True when it holds of a file in git whether or not anything applies it."""
    any_tool: bool | None = None
    """True when it holds whatever applies the objects: Flux, kubectl. None where the topic says so."""
    _doc: str = field(default="", repr=False)

    @cached_property
    def name(self) -> str:
        return self.module.rpartition(".")[2].replace("_", "-")

    @cached_property
    def topic(self) -> str:
        return self.module.split(".")[-2]

    @cached_property
    def needs_argocd(self) -> bool:
        """Whether it speaks of what Argo CD does."""
        return not (self.topic in _OF_ANY_TOOL if self.any_tool is None else self.any_tool)

    @cached_property
    def manual(self) -> Manual:
        return Manual.parse(self._doc)


def rule(
    code: str,
    severity: Severity,
    *,
    kinds: str | Iterable[str] = (),
    annotated: Iterable[str] = (),
    literal: bool = False,
    default: bool = True,
    any_file: bool = False,
    any_tool: bool | None = None,
) -> Callable[[Check], Rule]:
    """Make a check the rule of its module: the file's name and docstring are the rule's."""

    def declare(check: Check) -> Rule:
        module = sys.modules[check.__module__]
        annotation = next(type_ for name, type_ in check.__annotations__.items() if name != "return")
        scope = Scope(getattr(annotation, "__name__", annotation))
        chosen = frozenset(kinds.split() if isinstance(kinds, str) else kinds)
        return Rule(
            code,
            severity,
            check,
            check.__module__,
            scope,
            chosen,
            frozenset(annotated),
            literal,
            default,
            any_file,
            any_tool,
            module.__doc__ or "",
        )

    return declare
