"""AppProjects: which sources, destinations and kinds they permit to their Applications.

A project may permit and deny more than its own text says: global projects
(argocd-cm, key globalProjects) append their lists to every project that they
select, and each repository or cluster Secret with ``project: NAME`` adds
itself. What of it the repository shows can be joined in; what it does not show
remains unseen, so that "nothing permits it" is never quite certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ..dialects.git_urls import normal_git_url
from ..dialects.project_patterns import is_negated, matches_or_not_denied
from ..dialects.spelling import is_placeholder
from ..facts.versions import Version
from .project_destinations import Cluster, DestinationRule, ask, leaves_namespace_out
from .project_kinds import Found, KindRule, doubt, first_found
from .verdicts import Answer, Verdict
from .windows import SyncWindow

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node
    from .applications import Destination

DEFAULT: Final = "default"
EVERY_KIND: Final = KindRule("*", "*")


@dataclass(frozen=True, eq=False)
class AppProject:
    name: str
    resource: Resource | None
    """None for the default project that Argo CD makes itself."""
    source_repos: tuple[Pattern, ...] = ()
    destinations: tuple[DestinationRule, ...] = ()
    cluster_resource_whitelist: tuple[KindRule, ...] = ()
    cluster_resource_blacklist: tuple[KindRule, ...] = ()
    namespace_resource_whitelist: tuple[KindRule, ...] | None = None
    """None permits all kinds, an empty list none."""
    namespace_resource_blacklist: tuple[KindRule, ...] = ()
    sync_windows: tuple[SyncWindow, ...] = ()
    only_scoped_clusters: bool = False
    """permitOnlyProjectScopedClusters: only clusters whose Secrets name the project."""

    @classmethod
    def read(cls, resource: Resource) -> AppProject:
        spec = resource["spec"]
        whitelist = spec["namespaceResourceWhitelist"]
        return cls(
            name=resource.name,
            resource=resource,
            source_repos=_patterns(spec["sourceRepos"]),
            destinations=tuple(DestinationRule.read(item) for item in spec["destinations"] if item.is_mapping),
            cluster_resource_whitelist=_kinds(spec["clusterResourceWhitelist"]),
            cluster_resource_blacklist=_kinds(spec["clusterResourceBlacklist"]),
            namespace_resource_whitelist=_kinds(whitelist) if whitelist.is_sequence else None,
            namespace_resource_blacklist=_kinds(spec["namespaceResourceBlacklist"]),
            sync_windows=tuple(SyncWindow.read(item) for item in spec["syncWindows"] if item.is_mapping),
            only_scoped_clusters=spec["permitOnlyProjectScopedClusters"].value is True,
        )

    def __str__(self) -> str:
        return f"AppProject {self.name!r}"

    # -- what others add to it

    def joined(self, other: AppProject) -> AppProject:
        """With the lists of a global project that selects it, as Argo CD appends them."""
        own, more = self.namespace_resource_whitelist, other.namespace_resource_whitelist
        return replace(
            self,
            source_repos=self.source_repos + other.source_repos,
            destinations=self.destinations + other.destinations,
            cluster_resource_whitelist=self.cluster_resource_whitelist + other.cluster_resource_whitelist,
            cluster_resource_blacklist=self.cluster_resource_blacklist + other.cluster_resource_blacklist,
            namespace_resource_whitelist=(own or ()) + more if more else own,
            namespace_resource_blacklist=self.namespace_resource_blacklist + other.namespace_resource_blacklist,
            sync_windows=self.sync_windows + other.sync_windows,
        )

    def with_scoped(self, repo_urls: Iterable[str], servers: Iterable[str]) -> AppProject:
        """With the repositories and clusters whose Secrets have ``project:`` with its name."""
        return replace(
            self,
            source_repos=self.source_repos + tuple(Pattern(url) for url in repo_urls),
            destinations=self.destinations + tuple(DestinationRule(server, "", "*") for server in servers),
        )

    # -- what it permits

    def permits_source(self, url: str) -> Verdict:
        """A denied match denies. Any other match permits, that of a negated pattern too."""
        if is_placeholder(url):
            return Verdict(Answer.UNKNOWN, "another tool fills the URL in")
        matched: Pattern | None = None
        for pattern in self.source_repos:
            if matches_url(pattern.text, url):
                matched = matched or pattern
            elif is_negated(pattern.text):
                return self._denied(f"sourceRepos of {self} denies it with {pattern.text!r}", pattern.node)
        open_ended = next((pattern for pattern in self.source_repos if is_placeholder(pattern.text)), None)
        if open_ended is not None:
            return Verdict(Answer.UNKNOWN, f"another tool fills {open_ended.text!r} in", open_ended.node)
        if matched is not None:
            return Verdict(Answer.ALLOWED, f"sourceRepos has {matched.text!r}", matched.node)
        return self._no_source(url)

    def _no_source(self, url: str) -> Verdict:
        for pattern in self.source_repos:
            wider = reaching_further(pattern.text, url)
            if wider is not None:
                why = f"{pattern.text!r} in sourceRepos of {self} ends at a slash; {wider!r} would match"
                return self._not_permitted(why, pattern.node)
        return self._not_permitted(f"no pattern in sourceRepos of {self} matches it", self._place("sourceRepos"))

    def permits_destination(self, server: str, name: str, namespace: str) -> Verdict:
        """For the Application's own destination, and again for the namespace of every namespaced object.

        An Application writes either the server or the name; give both only where the cluster's Secret shows both.
        """
        cluster = Cluster.known_by(server, name)
        answers = [(rule, ask(rule, cluster, namespace)) for rule in self.destinations]
        for rule, answer in answers:
            if answer.denies:
                at = rule.node[answer.denied_by] if rule.node else None
                return self._denied(f"a destination of {self} denies this {answer.denied_by}", at)
        doubtful = next((rule for rule, answer in answers if answer.denies is None), None)
        permitting = next((rule for rule, answer in answers if answer.permits), None)
        if permitting is None:
            doubtful = doubtful or next((rule for rule, answer in answers if answer.permits is None), None)
        if doubtful is not None:
            why = f"whether {doubtful} in the destinations of {self} matches depends on what git does not show"
            return Verdict(Answer.UNKNOWN, why, doubtful.node)
        if permitting is None:
            return self._no_destination(cluster, namespace)
        if self.only_scoped_clusters:
            return Verdict(Answer.UNKNOWN, f"{self} permits only clusters whose Secrets name it", permitting.node)
        return Verdict(Answer.ALLOWED, f"a destination of {self} matches it", permitting.node)

    def _no_destination(self, cluster: Cluster, namespace: str) -> Verdict:
        incomplete = leaves_namespace_out(self.destinations, cluster) if namespace else None
        if incomplete is not None:
            why = f"{incomplete} in the destinations of {self} has no namespace, which permits none at all"
            return self._not_permitted(why, incomplete.node)
        return self._not_permitted(f"no destination of {self} matches it", self._place("destinations"))

    def permits_kind(
        self, group: str, kind: str, name: str, *, cluster_scoped: bool, argocd: Version | None = None
    ) -> Verdict:
        """An empty name stands for one that is not known."""
        if cluster_scoped:
            return self._permits_cluster_kind(group, kind, name, argocd)
        denied = first_found((rule, rule.covers(group, kind)) for rule in self.namespace_resource_blacklist)
        listed = self.namespace_resource_whitelist
        if listed is None:
            permitted = Found(EVERY_KIND, None)
        else:
            permitted = first_found((rule, rule.covers(group, kind)) for rule in listed)
        if permitted == (None, None) and not listed:
            why = f"namespaceResourceWhitelist of {self} is there but empty, which permits no namespaced kind"
            return self._not_permitted(why, self._place("namespaceResourceWhitelist"))
        return self._by_lists("namespaceResource", permitted, denied, name)

    def _permits_cluster_kind(self, group: str, kind: str, name: str, argocd: Version | None) -> Verdict:
        permitted, denied = (
            first_found((rule, rule.covers_named(group, kind, name, argocd)) for rule in rules)
            for rules in (self.cluster_resource_whitelist, self.cluster_resource_blacklist)
        )
        return self._by_lists("clusterResource", permitted, denied, name)

    def _by_lists(self, scope: str, permitted: Found, denied: Found, name: str) -> Verdict:
        """On the whitelist and not on the blacklist: that is permitted."""
        if denied.certain is not None:
            return self._denied(f"{scope}Blacklist of {self} has it", denied.certain.node)
        if permitted == (None, None):
            return self._not_permitted(f"{scope}Whitelist of {self} does not have it", self._place(f"{scope}Whitelist"))
        doubtful = denied.possible or (None if permitted.certain else permitted.possible)
        if doubtful is not None:
            return Verdict(Answer.UNKNOWN, doubt(doubtful, name), doubtful.node)
        return Verdict(Answer.ALLOWED, f"{self} permits it", permitted.certain.node if permitted.certain else None)

    # -- when its Applications sync

    def windows_for(self, app: str, destination: Destination, argocd: Version | None = None) -> tuple[SyncWindow, ...]:
        return tuple(window for window in self.sync_windows if window.is_for(app, destination, argocd))

    # -- verdicts

    def _denied(self, why: str, at: Node | None) -> Verdict:
        if self.resource is not None and self.resource.patched:
            return Verdict(Answer.UNKNOWN, f"a kustomization changes {self}", at)
        return Verdict(Answer.DENIED, why, at)

    def _not_permitted(self, why: str, at: Node | None) -> Verdict:
        return self._denied(why, at)._replace(explicit=False)

    def _place(self, key: str) -> Node | None:
        return self.resource["spec"][key] if self.resource else None


def _patterns(node: Node) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, item) for item in node if isinstance(text := item.value, str))


def _kinds(node: Node) -> tuple[KindRule, ...]:
    return tuple(KindRule.read(item) for item in node if item.is_mapping)


# -- the patterns of sourceRepos in an AppProject, compared with the URL of a source


@dataclass(frozen=True, eq=False)
class Pattern:
    """An item of a list of patterns, and where it is written."""

    text: str
    node: Node | None = None


def matches_url(pattern: str, url: str) -> bool:
    """Both sides are normalised, a negated pattern behind its exclamation mark; it matches all other URLs."""
    denial = "!" if is_negated(pattern) else ""
    return matches_or_not_denied(denial + normal_git_url(pattern.removeprefix("!")), normal_git_url(url), "/")


def reaching_further(pattern: str, url: str) -> str | None:
    """The pattern with stars that go over slashes, where that is all it lacks to match the URL."""
    wider = pattern.replace("**", "*").replace("*", "**")
    return wider if wider != pattern and matches_url(wider, url) else None
