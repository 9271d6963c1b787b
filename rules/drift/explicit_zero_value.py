"""An explicit default in an Application is dropped by Argo CD and lets the parent drift.

Argo CD writes an Application back through its Go types when a sync operation
of it starts. Fields with the value "not set" (an empty string or list, false,
0) are left out then: group: "" in ignoreDifferences, skipCrds: false,
valueFiles: [], retry.limit: 0 and many more. If the Application is managed by
another one (app of apps), the field is in git and no longer in the cluster,
and the parent is OutOfSync; with self-heal it writes the field back, until the
child's next sync.

Blocks that amount to nothing (syncPolicy: {}, helm: {}, kustomize: {},
directory with nothing but recurse: false) are removed, and project: "" is
replaced by default, at the first reconciliation, without any sync. In a list of
sources this happens since Argo CD 3.5.2. A null, and a block that holds
nothing but nulls, is no difference.

selfHeal: false and allowEmpty: false are dropped up to Argo CD 3.3 and kept
from 3.4 on (prune: false has a rule of its own); jsonnet: {} is dropped since
3.4. Values that Argo CD keeps (automated: {}, enabled: false,
revisionHistoryLimit: 0, valuesObject: {}, managedNamespaceMetadata: {}) are
not reported.

It is a warning where another Application is seen to manage this one. Else it
is a note, as it is where only a version that may not be yours drops the value,
and in the template of an ApplicationSet, which is written back only on rare
occasions.

Fix: leave the line out. The fix is safe, since absent means the same. Taking
away a helm, kustomize or directory block is unsafe: until Argo CD removes it,
its presence chooses the tool.

See: argo-cd#3815, argo-cd#15898, argo-cd#22546

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop
        path: deploy
        helm:
          releaseName: shop
          skipCrds: false  # <- here
      ignoreDifferences:
        - group: ""  # <- here
          kind: Secret
          jsonPointers:
            - /data
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop
        path: deploy
        helm:
          releaseName: shop
      ignoreDifferences:
        - kind: Secret
          jsonPointers:
            - /data
"""

import json
from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from typing import Final

from ...linter.api import Cause, Finding, Fix, Moment, Node, Patch, Repo, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.zero_values import TOOL_BLOCKS, Dropped, Removed, dropped_values, removed_blocks

DO: Final = {
    True: "Leave it out: absent means the same.",
    False: "Leave it out, and check that the folder still says which tool is meant.",
}


@rule("GL402", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for app in repo.resources:
        spec = application_spec(app)
        if spec is not None:
            yield from _findings(app, spec, repo)


def _findings(app: Resource, spec: Node, repo: Repo) -> Iterator[Finding]:
    in_a_set = app.kind == "ApplicationSet"
    blocks = () if in_a_set else tuple(removed_blocks(spec, app.versions))
    for block in blocks:
        yield _removed(block, app, repo)
    if not in_a_set and spec["project"].value == "":
        yield _no_project(spec["project"], app, repo)
    values = sorted(
        dropped_values(spec, app.versions, tuple(block.node for block in blocks)), key=lambda value: value.node.span
    )
    for _, on_one_line in groupby(values, key=lambda value: value.node.file.position(value.node.span.start).line):
        yield _dropped(list(on_one_line), app, repo)


def _removed(block: Removed, app: Resource, repo: Repo) -> Finding:
    node = block.node
    since = " since 3.5.2" if block.since else ""
    is_safe = node.key not in TOOL_BLOCKS
    return Finding(
        node,
        headline=f"the {node.key} block of {app} sets nothing",
        happens=f"Argo CD{since} removes it without any sync, and {repo.manager_words(app)} is OutOfSync for ever.",
        do=DO[is_safe],
        fixes=(Fix(f"leave the {node.key} block out", node.remove(), safe=is_safe),),
        severity=_severity(app, repo, bool(block.since)),
        cause=Cause(f"{node.key} blocks that set nothing", f"{node.key} blocks of {{count}} Applications set nothing"),
    )


def _no_project(project: Node, app: Resource, repo: Repo) -> Finding:
    return Finding(
        project,
        headline=f"{app} has an empty project",
        happens=f"Argo CD makes it default, and {repo.manager_words(app)} is OutOfSync for ever.",
        do="Write the project default.",
        fixes=(Fix("write the project default", project.set("default"), safe=True),),
        severity=_severity(app, repo),
        cause=Cause("an empty project", "{count} Applications have an empty project"),
    )


def _dropped(values: list[Dropped], app: Resource, repo: Repo) -> Finding:
    nodes = [value.node for value in values]
    named = " and ".join(f"{node.key}: {json.dumps(node.value)}" for node in nodes)
    patch = reduce(Patch.also, (node.remove() for node in reversed(nodes)))
    parent = repo.manager_words(app)
    when = f"it rewrites {app}" if app.kind == "ApplicationSet" else f"{app} next syncs"
    return Finding(
        nodes[0],
        headline=f"{named} in {app} means the same as nothing",
        happens=f"Argo CD{_versions(values)} drops it when {when}; from then on {parent} is OutOfSync.",
        do=DO[True],
        fixes=(Fix("leave it out", patch, safe=True),),
        severity=_severity(app, repo, all(value.since for value in values)),
        cause=_cause(named),
    )


def _versions(values: list[Dropped]) -> str:
    if all(value.kept_since for value in values):
        return f" before {values[0].kept_since}"
    return f" since {values[0].since}" if all(value.since for value in values) else ""


def _severity(app: Resource, repo: Repo, is_young: bool = False) -> Severity:
    """`is_young`: only a new version does it."""
    is_sure = bool(repo.managers(app)) and app.kind != "ApplicationSet"
    return Severity.WARNING if is_sure and not (is_young and app.versions.argocd is None) else Severity.NOTE


def _cause(what: str) -> Cause:
    """One search finds all of one kind, whatever is above them."""
    return Cause(what, f"{{count}} times {what} in Applications means the same as nothing")
