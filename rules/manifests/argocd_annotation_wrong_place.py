"""An annotation for Argo CD that stands where Argo CD does not look does nothing.

Waves, hooks, delete policies and sync options are read from metadata.annotations
of the object that Argo CD syncs, and from nowhere else. In the template of a pod or
of a Job they end up on objects that Kubernetes makes and Argo CD does not sync. Among
labels, in a block of annotations outside metadata, or in the spec they are not looked at.
Nothing says so: the object is in the default wave, is no hook, is pruned like any other.
Directly below metadata, one step too far to the left, they are unknown fields: the API
server drops them, or refuses the object with server-side apply.

The same key in metadata.annotations of the object makes the other one harmless, so
then the rule is silent, but for the one below metadata, which is unknown all the same. It
looks at the templates of the built-in workloads and of Rollouts; the templates of other
kinds may become objects of their own. At the top and in the spec of Kubernetes' own kinds
and of Argo CD's, unknown-field and application-unknown-field tell.

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
from typing import Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, regex, rule
from ...linter.facts.tables import builtin_kinds
from ...linter.kubernetes.annotations.hooks import (
    COMPARE_OPTIONS,
    DELETE_POLICY,
    HELM_DELETE_POLICY,
    HELM_HOOK,
    HELM_WEIGHT,
    HOOK,
    SYNC_OPTIONS,
    WAVE,
)
from ...linter.kubernetes.pods import templates
from ...linter.yaml.quick_keys import has_one_of
from ...linter.yaml.removal import removal

READ_BY_SYNCS: Final = frozenset(
    (HOOK, DELETE_POLICY, WAVE, SYNC_OPTIONS, COMPARE_OPTIONS, HELM_HOOK, HELM_WEIGHT, HELM_DELETE_POLICY)
)


PREFIXES: Final = regex(r"argocd\.argoproj\.io/|helm\.sh/")
"""With which they begin; most files have none of them."""
ARGO_KINDS: Final = ("argoproj.io/Application", "argoproj.io/ApplicationSet", "argoproj.io/AppProject")


class Elsewhere(NamedTuple):
    holder: Node
    words: str
    is_unknown: bool = False
    """An unknown field, whatever the kind is."""


@rule("GL022", Severity.WARNING, Moment.SYNC, literal=True, any_tool=False)
def check(resource: Resource) -> Iterator[Finding]:
    if not resource.kustomized and not resource.file.mentions(PREFIXES):
        return
    for place in _elsewhere(resource):
        for key, value in place.holder.items() if has_one_of(place.holder, READ_BY_SYNCS) else ():
            if key in READ_BY_SYNCS and (place.is_unknown or resource.annotation(key).absent):
                yield _finding(resource, value, place)


def _elsewhere(resource: Resource) -> Iterator[Elsewhere]:
    yield Elsewhere(resource.metadata, "directly below metadata", is_unknown=True)
    yield Elsewhere(resource.labels, "among the labels")
    yield Elsewhere(resource["annotations"], "in annotations outside metadata")
    if resource.group not in builtin_kinds() and resource.group_kind not in ARGO_KINDS:
        yield Elsewhere(resource.node, "at the top of the object")
        yield Elsewhere(resource["spec"], "in the spec")
    for template, of in templates(resource):
        for field in ("annotations", "labels"):
            yield Elsewhere(template["metadata"][field], f"in the template of {of}, which Argo CD does not sync")


def _finding(resource: Resource, value: Node, place: Elsewhere) -> Finding:
    lost = " The API server drops it there, or refuses the object with server-side apply." if place.is_unknown else ""
    return Finding(
        value,
        headline=f"{value.key} of {resource} is {place.words}",
        happens=f"Argo CD reads it only from metadata.annotations of the object, so it does nothing.{lost}",
        do="Move it to metadata.annotations of the object, or take it away.",
        fixes=_fixes(resource, value),
    )


def _fixes(resource: Resource, value: Node) -> tuple[Fix, ...]:
    annotation = resource.annotation(str(value.key))
    if annotation.present:
        return (Fix("take it away, since metadata.annotations has it", value.remove()),)
    if not value.scalar_text:
        return ()
    return (Fix("move it to metadata.annotations", removal([value]).also(annotation.set(value.scalar_text))),)
