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
replaced by default, at the first reconciliation, without any sync. Only the
single source is treated so: in a list of sources empty blocks stay.

selfHeal: false and allowEmpty: false are dropped up to Argo CD 3.3 and kept
from 3.4 on (prune: false has a rule of its own). Values that Argo CD keeps
(automated: {}, enabled: false, revisionHistoryLimit: 0, valuesObject: {}) are
not reported. In the template of an ApplicationSet the finding is a note, for
the set is written back only on rare occasions.

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
from dataclasses import replace
from functools import reduce
from itertools import groupby

from ...linter.api import Finding, Fix, Moment, Node, Patch, Repo, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.zero_values import TOOL_BLOCKS, Dropped, dropped_values, removed_blocks


@rule("GL402", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for app in repo.resources:
        spec = application_spec(app)
        if spec is not None:
            grade = None if repo.is_brought(app) else Severity.NOTE
            yield from (
                replace(one, severity=one.severity or grade) for one in _findings(app, spec, repo.manager_words(app))
            )


def _findings(app: Resource, spec: Node, manager: str) -> Iterator[Finding]:
    in_a_set = app.kind == "ApplicationSet"
    blocks = () if in_a_set else tuple(removed_blocks(spec))
    for block in blocks:
        yield _removed(block, app, manager)
    if not in_a_set and spec["project"].value == "":
        yield _no_project(spec["project"], app, manager)
    values = sorted(dropped_values(spec, app.versions, blocks), key=lambda value: value.node.span)
    for _, on_one_line in groupby(values, key=lambda value: value.node.file.position(value.node.span.start).line):
        yield _dropped(list(on_one_line), app, manager)


def _removed(block: Node, app: Resource, manager: str) -> Finding:
    chooses_the_tool = block.key in TOOL_BLOCKS
    return Finding(
        block,
        f"this {block.key} block sets nothing that counts, so Argo CD removes it from {app}; {manager} stays OutOfSync",
        (Fix(f"leave the {block.key} block out", block.remove(), safe=not chooses_the_tool),),
    )


def _no_project(project: Node, app: Resource, manager: str) -> Finding:
    return Finding(
        project,
        f"Argo CD turns the empty project of {app} into default; {manager} stays OutOfSync",
        (Fix("write the project default", project.set("default"), safe=True),),
    )


def _dropped(values: list[Dropped], app: Resource, manager: str) -> Finding:
    nodes = [value.node for value in values]
    named = " and ".join(f"{node.key}: {json.dumps(node.value)}" for node in nodes)
    until = " before 3.4" if all(value.kept_since for value in values) else ""
    in_a_set = app.kind == "ApplicationSet"
    when = f"it rewrites {app}" if in_a_set else f"{app} next syncs"
    message = (
        f"{named} means the same as nothing, and Argo CD{until} drops it when {when};"
        f" {manager} is OutOfSync from then on"
    )
    patch = reduce(Patch.also, (node.remove() for node in reversed(nodes)))
    fix = Fix("leave it out", patch, safe=True)
    return Finding(nodes[0], message, (fix,), severity=Severity.NOTE if in_a_set else None)
