"""A volumeClaimTemplate without apiVersion and kind is OutOfSync for ever under server-side apply.

The API server writes apiVersion: v1 and kind: PersistentVolumeClaim into every
item of volumeClaimTemplates. Argo CD takes no notice, with one exception: with
ServerSideApply=true, and without ServerSideDiff=true, it merges git's object into
the live one, and this list is replaced whole. The two fields are then missing on
git's side, the StatefulSet is OutOfSync after every sync, and with selfHeal it is
synced again and again.

Silent where the Application, or Argo CD's own settings in the repository, ignore
the two fields or ask the server for the difference.

Fix: write both fields. The fix is safe: the server sets the same values. Another
way, for all objects at once, is argocd.argoproj.io/compare-options:
ServerSideDiff=true on the Application.

See: argo-cd#11143, argo-cd#16707, nats-io/k8s#847, weaviate/weaviate-helm#310, clastix/kamaji-etcd#86

Bad:
    apiVersion: apps/v1
    kind: StatefulSet
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      volumeClaimTemplates:
        - metadata:  # <- here
            name: data
          spec:
            accessModes: [ReadWriteOnce]
Good:
    apiVersion: apps/v1
    kind: StatefulSet
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      volumeClaimTemplates:
        - metadata:
            name: data
          spec:
            accessModes: [ReadWriteOnce]
          apiVersion: v1
          kind: PersistentVolumeClaim
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Patch, Repo, Resource, Severity, rule

WRITTEN: Final = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
TEMPLATES: Final = ("spec", "volumeClaimTemplates")


@rule("GL417", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if resource.kind == "StatefulSet" and resource.group == "apps":
            yield from _templates(resource, repo)


def _templates(resource: Resource, repo: Repo) -> Iterator[Finding]:
    apps = repo.merging(resource)
    for index, template in enumerate(resource.node.at(*TEMPLATES)) if apps else ():
        missing = [key for key in WRITTEN if not template[key].text]
        paths = [(*TEMPLATES, index, key) for key in missing]
        if template.is_mapping and any(not repo.argocd.ignores(app, resource, path) for app in apps for path in paths):
            yield _finding(resource, template, missing)


def _finding(resource: Resource, template: Node, missing: list[str]) -> Finding:
    patch = reduce(Patch.also, (template[key].set(WRITTEN[key]) for key in missing))
    return Finding(
        template,
        headline=f"a volumeClaimTemplate of {resource} has no {' and no '.join(missing)}",
        happens="With ServerSideApply=true and without ServerSideDiff=true Argo CD shows it as OutOfSync for ever.",
        do=f"Write {' and '.join(missing)}.",
        fixes=(Fix(f"write {' and '.join(missing)}", patch, safe=True),),
    )
