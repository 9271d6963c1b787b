"""An annotation for Argo CD that stands where Argo CD does not look does nothing.

Waves, hooks, delete policies and sync options are read from metadata.annotations
of the object that Argo CD syncs, and from nowhere else. In the template of a pod or
of a Job they end up on objects that Kubernetes makes and Argo CD does not sync. Among
labels they are not looked at. Directly below metadata, or with the annotations block
at the top of the object, they are unknown fields, which the API server refuses as long
as validation is on. Nothing says so: the object is in the default wave, is no hook, is
pruned like any other.

The same key in metadata.annotations of the object makes the other one harmless, so
then the rule is silent. It looks at the templates of the built-in workloads and of
Rollouts; the templates of other kinds may become objects of their own.

Fix: move it to metadata.annotations. The fix offered is unsafe: what was without effect
so far takes effect with the next sync.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
    spec:
      template:
        metadata:
          labels:
            app: migrate
          annotations:
            argocd.argoproj.io/hook: PreSync  # <- here
        spec:
          restartPolicy: Never
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      template:
        metadata:
          labels:
            app: migrate
        spec:
          restartPolicy: Never
"""

from collections.abc import Iterator
from typing import Final

from ...linter.argo.hooks import (
    COMPARE_OPTIONS,
    DELETE_POLICY,
    HELM_DELETE_POLICY,
    HELM_HOOK,
    HELM_WEIGHT,
    HOOK,
    SYNC_OPTIONS,
    WAVE,
)
from ...linter.key_sets import has_one_of
from ...linter.pods import templates
from ...linter.removal import removal
from ...linter.resource import Resource
from ...linter.rule import Finding, Fix, Severity, rule
from ...linter.source import Node

READ_BY_SYNCS: Final = frozenset(
    (HOOK, DELETE_POLICY, WAVE, SYNC_OPTIONS, COMPARE_OPTIONS, HELM_HOOK, HELM_WEIGHT, HELM_DELETE_POLICY)
)


@rule("GL022", Severity.WARNING, literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    for holder, where in _elsewhere(resource):
        for key, value in holder.items() if has_one_of(holder, READ_BY_SYNCS) else ():
            if key in READ_BY_SYNCS and resource.annotation(key).absent:
                yield _finding(resource, value, where)


def _elsewhere(resource: Resource) -> Iterator[tuple[Node, str]]:
    yield resource.metadata, "directly below metadata, where it is an unknown field"
    yield resource.labels, "among the labels"
    yield resource["annotations"], "outside metadata, where annotations is an unknown field"
    for template, of in templates(resource):
        for field in ("annotations", "labels"):
            yield template["metadata"][field], f"in the template of {of}, which Argo CD does not sync"


def _finding(resource: Resource, value: Node, where: str) -> Finding:
    fixes: tuple[Fix, ...] = ()
    if value.scalar_text:
        moved = removal([value]).also(resource.annotation(str(value.key)).set(value.scalar_text))
        fixes = (Fix("move it to metadata.annotations", moved),)
    return Finding(
        value,
        f"{value.key} of {resource} stands {where}; Argo CD reads it only from metadata.annotations",
        fixes,
    )
