"""Metadata that the API server writes, exported into git: noise, differences, or syncs that fail.

Who copies an object out of a cluster gets fields along that belong to that cluster.
resourceVersion is the worst: the first sync creates the object with one of its own,
from then on Argo CD shows it as OutOfSync, and every sync asks for a change of the exact
object that was exported and fails with a conflict (error). A uid alone does the same, but
not in the cluster that it comes from (warning). managedFields are refused by server-side
apply (error if the object itself asks for it, else a warning). generation, selfLink, a
creationTimestamp, and annotations of controllers (deployment.kubernetes.io/revision,
pv.kubernetes.io/bind-completed, ...) do no good at best; where the cluster's value
differs, Argo CD shows the object as OutOfSync (note; only creationTimestamp it never
compares).

A kubectl.kubernetes.io/restartedAt in the template of pods is not reported: to change it in
git is how pods are restarted by a commit. Neither is an empty value (creationTimestamp: null).

Fix: take the fields out. The fix is safe: they say nothing about what you want.

See: argo-cd#2730, argo-cd#3657, argo-cd#18197

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      creationTimestamp: "2024-05-04T10:00:00Z"  # <- here
      resourceVersion: "184467"
      uid: 0a1b2c3d-0000-4000-8000-000000000000
    data:
      greeting: hello
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      greeting: hello
"""

from collections.abc import Iterator
from functools import cache

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, listed, rule, table
from ...linter.yaml.quick_keys import has_one_of
from ...linter.yaml.removal import removal


@rule("GL041", Severity.NOTE, Moment.SYNC, literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    found = [*_fields(resource), *_annotations(resource)]
    if found:
        severity, effect = _effect(resource, {str(node.key) for node in found})
        several = len(found) > 1
        yield Finding(
            found[0],
            headline=f"{resource} has {listed([node.key for node in found])} of a live object in git",
            happens=effect,
            do=f"Take {'them' if several else 'it'} out.",
            fixes=(Fix("take them out" if several else "take it out", removal(found), safe=True),),
            severity=severity,
        )


def _fields(resource: Resource) -> Iterator[Node]:
    names = _names("fields")
    if has_one_of(resource.metadata, names):
        yield from (value for key, value in resource.metadata.items() if key in names and value.value is not None)


def _annotations(resource: Resource) -> Iterator[Node]:
    names = _names("annotations")
    if not names.isdisjoint(resource.annotation_keys):
        yield from (value for key, value in resource.annotations.items() if key in names)


@cache
def _names(section: str) -> frozenset[str]:
    return frozenset(table("server-metadata.json")[section])


def _effect(resource: Resource, keys: set[str]) -> tuple[Severity, str]:
    kinds = {table("server-metadata.json")["fields"].get(key, "annotation") for key in keys}
    if "uid" in keys and "resourceVersion" not in keys:
        effect = (
            "An object that was made anew has another: it is OutOfSync, and a sync that changes it meets a conflict."
        )
        return Severity.WARNING, effect
    if "conflicts" in kinds:
        effect = "Once the object exists it is OutOfSync, and every sync that changes it fails with a conflict."
        return Severity.ERROR, effect
    if "managed" in kinds:
        own = "ServerSideApply=true" in resource.sync_options
        severity = Severity.ERROR if own else Severity.WARNING
        return severity, "Server-side apply refuses managedFields, and otherwise they are a difference that stays."
    if kinds == {"noise"}:
        return Severity.NOTE, "The API server writes its own; what git says is of no use."
    return Severity.NOTE, "As soon as the cluster's own value differs, Argo CD shows the object as OutOfSync."
