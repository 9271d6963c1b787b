"""The lists of kinds in an AppProject: what an item covers, and who is the first to cover an object."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ..dialects.project_patterns import matches_word
from ..dialects.spelling import is_placeholder
from ..facts.versions import Version, Versions, since

if TYPE_CHECKING:
    from ..yaml.source import Node

RESTRICTS_NAMES: Final = "cluster-whitelist-names"


@dataclass(frozen=True, eq=False)
class KindRule:
    """An item of a list of kinds. A group that is left out is the core group."""

    group: str
    kind: str
    name: str = ""
    """Only for cluster-scoped kinds, from Argo CD 3.3 on; empty for all names."""
    node: Node | None = None

    @classmethod
    def read(cls, node: Node) -> KindRule:
        group, kind, name = node.texts("group", "kind", "name")
        return cls(group, kind, name, node)

    def covers(self, group: str, kind: str) -> bool | None:
        """None when another tool fills the item in."""
        if is_placeholder(self.group) or is_placeholder(self.kind):
            return None
        return matches_word(self.kind, kind) and matches_word(self.group, group)

    def covers_named(self, group: str, kind: str, name: str, argocd: Version | None) -> bool | None:
        """None also when it depends on the version of Argo CD, or on a name that is not known."""
        covers = self.covers(group, kind)
        if not covers or not self.name or Versions(argocd).lacks(RESTRICTS_NAMES):
            return covers
        if not name or is_placeholder(self.name):
            return None
        found = matches_word(self.name, name)
        return found if found or argocd is not None else None


class Found(NamedTuple):
    certain: KindRule | None
    """The first that covers the object."""
    possible: KindRule | None
    """The first that may cover it."""


def first_found(answers: Iterable[tuple[KindRule, bool | None]]) -> Found:
    certain: KindRule | None = None
    possible: KindRule | None = None
    for rule, answer in answers:
        if answer:
            certain = certain or rule
        elif answer is None:
            possible = possible or rule
    return Found(certain, possible)


def doubt(rule: KindRule, name: str) -> str:
    """Why nobody can tell whether an item covers an object."""
    if any(is_placeholder(text) for text in (rule.group, rule.kind, rule.name)):
        return "another tool fills the item in"
    if not name:
        return f"the item is only for names like {rule.name!r}"
    return f"the name {rule.name!r} of the item counts from Argo CD {since(RESTRICTS_NAMES)} on, and not before"
