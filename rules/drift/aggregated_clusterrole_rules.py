"""An aggregated ClusterRole with rules in git is OutOfSync for ever.

Kubernetes fills in the rules of a ClusterRole that has an aggregationRule, from all
ClusterRoles that it selects, and replaces what is there. Rules in git, even an empty list
or no value at all, are compared with that and found different after every sync; with
selfHeal Argo CD syncs it again and again. Left out of git, they are not compared. Where no
Application is known for the object it is a note.

Silent where the repository shows that Argo CD's settings have ignoreAggregatedRoles:
true, where the Application ignores /rules, and where it compares by asking the server.

Fix: leave rules out. For an empty list the fix is safe; it is unsafe for rules that say
something, although Kubernetes replaces them: perhaps a ClusterRole of their own was meant.

See: argo-cd#2382, kyverno/kyverno#4866, crossplane/crossplane#2700

Bad:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata:
      name: monitoring
    aggregationRule:
      clusterRoleSelectors:
        - matchLabels:
            example.com/aggregate-to-monitoring: "true"
    rules: []  # <- here
Good:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata:
      name: monitoring
    aggregationRule:
      clusterRoleSelectors:
        - matchLabels:
            example.com/aggregate-to-monitoring: "true"
"""

import re
from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Finding, Fix, Moment, Repo, Resource, Severity, regex, rule

SETTING: Final = regex(r"^[^#\n]*\bignoreAggregatedRoles[\"']?\s*:\s*[\"']?true", re.MULTILINE)


@rule("GL406", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    written = [role for role in repo.resources if role.kind == "ClusterRole" and _has_both(role)]
    if not written or _are_ignored_everywhere(repo):
        return
    for role in written:
        apps = [app for app in repo.apps_with(role) if _shows(app, role, repo)]
        if apps:
            yield _finding(role, is_synced=any(app.application for app in apps))


def _has_both(role: Resource) -> bool:
    return role["aggregationRule"].is_mapping and role["rules"].present and not role.is_hook


def _are_ignored_everywhere(repo: Repo) -> bool:
    return any("ignoreAggregatedRoles" in file.text and SETTING.search(file.text) for file in repo.files)


def _shows(app: App, role: Resource, repo: Repo) -> bool:
    return not app.options_for(role).asks_server and not repo.argocd.ignores(app, role, ["rules"])


def _finding(role: Resource, *, is_synced: bool) -> Finding:
    rules = role["rules"]
    return Finding(
        rules,
        headline=f"{role} is aggregated, and has rules in git, too",
        happens="Kubernetes writes the rules itself; as soon as one is selected, Argo CD shows the role as OutOfSync.",
        do="Leave rules out.",
        fixes=(Fix("leave rules out", rules.remove(), safe=not rules.value),),
        severity=Severity.WARNING if is_synced else Severity.NOTE,
    )
