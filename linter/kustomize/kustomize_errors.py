"""Why Kustomize refuses a build, and where the cause is written."""

from __future__ import annotations

from enum import Enum

from ..facts.limits import MAX_INSERTED
from ..yaml.source import Node, Place


class Cause(Enum):
    """What is wrong, for rules to tell apart; the value says it in words."""

    MISSING_FILE = "a file or folder is missing"
    OUTSIDE_ROOT = "a file lies outside the root of its kustomization"
    CYCLE = "a kustomization includes itself"
    SEVERAL_FILES = "a folder has several kustomization files"
    NO_KUSTOMIZATION = "a folder has no kustomization file"
    EMPTY = "a kustomization is empty"
    UNKNOWN_FIELD = "a field is unknown or of the wrong type"
    WRONG_KIND = "a component is used as a base, or a base as a component"
    BAD_MANIFEST = "a manifest cannot be read"
    DUPLICATE_ID = "two objects have the same id"
    NO_MATCH = "nothing matches a patch"
    SEVERAL_MATCHES = "several objects match a patch"
    BAD_PATCH = "a patch cannot be read or applied"
    BAD_GENERATOR = "a generator cannot make its object"
    BAD_CHART = "a chart cannot be rendered"
    BAD_TRANSFORMER = "a transformer cannot do its work"
    BAD_REPLACEMENT = "a replacement cannot be made"
    BAD_REFERENCE = "a name stands for several objects"
    BAD_VARIABLE = "a variable cannot be resolved"
    REFUSED = "the real Kustomize refuses it, and we do not"


class BuildError(Exception):
    """One thing that makes the real Kustomize refuse the build."""

    def __init__(self, cause: Cause, at: Place, message: str, *, other: Place | None = None, sought: str = "") -> None:
        super().__init__(message)
        self.cause = cause
        self.at = at
        self.message = message
        self.other = other
        """A second place that has a part in it: of two equal objects, where the first one is."""
        self.sought = sought
        """What is missing: its path from the root of the repository."""


class OperationError(BuildError):
    """An operation of a JSON patch that does not fit the object."""


class NotBuilt(Exception):
    """Something this build does not do: a remote base, a plugin, a chart. No fault of the repository."""

    def __init__(
        self, at: Node, reason: str, detail: str = "", *, changes_others: bool = False, met_limit: bool = False
    ) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason
        """The same words for the same reason: reports count them."""
        self.detail = detail
        self.met_limit = met_limit
        """True when it was begun and takes too much."""
        self.changes_others = changes_others
        """True when it would have changed objects that are there: nobody knows what they come to."""


def demand_short(text: str, at: Node) -> str:
    """A text that goes into many others; a long one would be kept once for each of them."""
    if len(text) > MAX_INSERTED:
        reason = f"a text of more than {MAX_INSERTED:,} characters that goes into others: not tried"
        raise NotBuilt(at, reason, changes_others=True, met_limit=True)
    return text
