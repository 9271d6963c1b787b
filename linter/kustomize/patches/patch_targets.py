"""Which objects a `target` means: by kind, name and namespace, by labels, by annotations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...dialects import label_selectors
from ...dialects.go_regexp import BadPattern, NotJudged, Regexp
from ...dialects.label_selectors import Requirement, all_met
from ...facts.regexes import regex
from ...yaml.source import Node
from ..kustomize_errors import BuildError, Cause, NotBuilt
from ..objects import Object

_PLAIN: Final = regex(r"[\w/-]*", re.ASCII)

_PATTERNS: Final = ("group", "version", "kind", "name", "namespace")

_LONGEST: Final = 253
"""Of a text that is matched; no name in Kubernetes is longer."""

Pattern = str | Regexp
"""A text that must be equal, where no more is needed; an empty one is any text."""


@dataclass(frozen=True)
class Selector:
    group: Pattern
    version: Pattern
    kind: Pattern
    name: Pattern
    namespace: Pattern
    labels: Node
    annotations: Node

    @staticmethod
    def from_node(node: Node) -> Selector:
        """Raises what Kustomize refuses, at the place where it is written, and what is too risky to try."""
        group, version, kind, name, namespace = (pattern_in(node[key]) for key in _PATTERNS)
        return Selector(group, version, kind, name, namespace, node["labelSelector"], node["annotationSelector"])

    def matches(self, obj: Object) -> bool:
        """By the name and the namespace that it was loaded with or has now, by all else as it is now.

        What is wrong with the selectors is an error once an object gets as far as them.
        """
        gvk = obj.gvk
        if not (fits(self.kind, gvk.kind) and fits(self.version, gvk.version) and fits(self.group, gvk.group)):
            return False
        if self.name != "" and not fits(self.name, obj.name) and not fits(self.name, obj.original_id.name):
            return False
        if self.namespace != "" and not (
            fits(self.namespace, obj.id.effective_namespace)
            or fits(self.namespace, obj.original_id.effective_namespace)
        ):
            return False
        if self.labels.present and not all_met(_requirements(self.labels), obj.labels):
            return False
        return self.annotations.absent or all_met(_requirements(self.annotations), obj.annotations)


def pattern_in(node: Node, cause: Cause = Cause.BAD_PATCH) -> Pattern:
    """Which a text must match from its first to its last sign."""
    written = node.scalar_text
    if _PLAIN.fullmatch(written):
        return written
    try:
        return _whole(written)
    except BadPattern as error:
        raise BuildError(cause, node, f"{written} is no regular expression: {error}") from None
    except NotJudged as unknown:
        raise NotBuilt(node, f"{unknown}: not tried", written, changes_others=cause is not Cause.BAD_PATCH) from None


@lru_cache(maxsize=256)
def _whole(written: str) -> Regexp:
    Regexp(written)  # what is wrong with it is told of what is written, not of what is made of it
    return Regexp(f"^(?:{written})$")


def fits(pattern: Pattern, text: str) -> bool:
    if isinstance(pattern, str):
        return not pattern or pattern == text
    return len(text) <= _LONGEST and _is_found(pattern, text)


@lru_cache(maxsize=4096)
def _is_found(pattern: Regexp, text: str) -> bool:
    """Remembered: a base that twenty overlays patch has the same few names each time."""
    return pattern.search(text, 0) is not None


def _requirements(node: Node) -> tuple[Requirement, ...]:
    try:
        return label_selectors.parse(node.scalar_text)
    except ValueError as error:
        raise BuildError(Cause.BAD_PATCH, node, f"{node.scalar_text} is no selector: {error}") from None
