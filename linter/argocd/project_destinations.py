"""Whether an AppProject permits a destination.

Argo CD compares the patterns with the cluster that it resolved, which has both
a URL and a name. Of a cluster that only its Secret describes, git shows one of
the two; what depends on the other one stays open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ..dialects.project_patterns import is_negated, matches_or_not_denied
from ..dialects.spelling import is_placeholder
from .applications import IN_CLUSTER

if TYPE_CHECKING:
    from ..yaml.source import Node

IN_CLUSTER_NAME: Final = "in-cluster"


@dataclass(frozen=True, eq=False)
class DestinationRule:
    """An item of spec.destinations."""

    server: str
    name: str
    namespace: str
    """Empty when it is left out: then only the empty namespace matches."""
    node: Node | None = None

    @classmethod
    def read(cls, node: Node) -> DestinationRule:
        server, name, namespace = node.texts("server", "name", "namespace")
        return cls(server, name, namespace, node)

    def __str__(self) -> str:
        cluster = " or ".join(repr(text) for text in (self.server, self.name) if text) or "no cluster"
        return f"{cluster}, namespace {self.namespace!r}" if self.namespace else cluster


class Cluster(NamedTuple):
    """A cluster as Argo CD resolves it; None for what git does not show."""

    server: str | None
    name: str | None
    sure_name: bool = True
    """False for the local cluster: a Secret may give it another name than in-cluster."""

    @classmethod
    def known_by(cls, server: str, name: str) -> Cluster:
        """From what an Application writes, which is one of the two, or from both where its Secret is known."""
        server = server.rstrip("/")
        if name == IN_CLUSTER_NAME and not server:
            return cls(IN_CLUSTER, name)
        if server == IN_CLUSTER and not name:
            return cls(server, IN_CLUSTER_NAME, sure_name=False)
        return cls(_literal(server), _literal(name))


class RuleAnswer(NamedTuple):
    """What one rule says about one destination; None where it depends on what is not known."""

    permits: bool | None
    denies: bool | None
    denied_by: str = ""
    """The key of the pattern that denies it."""


def ask(rule: DestinationRule, cluster: Cluster, namespace: str) -> RuleAnswer:
    """The name or the URL has to match, and the namespace.

    A negated pattern matches what it does not name, so a rule that denies one
    place permits all others. It denies a URL only in the namespaces of the
    rule, a namespace only at the URL of the rule, but a name everywhere.
    """
    by_server = _matches(rule.server, cluster.server, sure=True)
    by_name = _matches(rule.name, cluster.name, sure=cluster.sure_name)
    by_namespace = _matches(rule.namespace, _literal(namespace, empty=""), sure=True)
    permits = _both(_either(by_server, by_name), by_namespace)
    denials = {
        "name": _both(is_negated(rule.name), _not(by_name)),
        "server": _both(_both(is_negated(rule.server), _not(by_server)), by_namespace),
        "namespace": _both(_both(is_negated(rule.namespace), _not(by_namespace)), by_server),
    }
    if permits or not any(denial is not False for denial in denials.values()):
        return RuleAnswer(permits, denies=False)
    denied_by = next((key for key, denial in denials.items() if denial), "")
    return RuleAnswer(permits, True if denied_by and permits is False else None, denied_by)


def leaves_namespace_out(rules: Iterable[DestinationRule], cluster: Cluster) -> DestinationRule | None:
    """A rule for the cluster that lacks a namespace: the usual reason why nothing is permitted."""
    return next((rule for rule in rules if not rule.namespace and ask(rule, cluster, "").permits), None)


def _literal(text: str, empty: str | None = None) -> str | None:
    if not text:
        return empty
    return None if is_placeholder(text) else text


def _matches(pattern: str, text: str | None, *, sure: bool) -> bool | None:
    if not pattern and text != "":
        return False  # nothing has an empty name or URL
    if is_placeholder(pattern):
        return None
    if text is None:
        return True if pattern in ("*", "**") else None
    found = matches_or_not_denied(pattern, text)
    return found if sure or (found and not is_negated(pattern)) else None


# -- logic in which None stands for "not known"


def _not(one: bool | None) -> bool | None:
    return None if one is None else not one


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _either(one: bool | None, other: bool | None) -> bool | None:
    return _not(_both(_not(one), _not(other)))
