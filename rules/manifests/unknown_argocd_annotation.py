"""An annotation in the name of Argo CD that Argo CD does not read does nothing.

Argo CD reads some thirty annotations that begin with argocd.argoproj.io/. Any other is kept
on the object like a remark: no field is ignored by argocd.argoproj.io/ignore-differences, no
hook comes first by argocd.argoproj.io/hook-weight, and a misspelt wave is wave 0. Nothing says
so, and the object looks as if all was set.

A warning where it is known what was meant, by the spelling or because many write it; else a
note, for it may be a mark that somebody else reads. Labels are not looked at, since people
select by labels of their own, and neither are Secrets of clusters, whose annotations an
ApplicationSet may read.

Fix: write the annotation as Argo CD knows it, or set what is meant where Argo CD looks for
it. The fix offered is unsafe: what was without effect so far takes effect.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/annotations-and-labels/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
        argocd.argoproj.io/hook-weight: "-1"  # <- here
    spec:
      activeDeadlineSeconds: 600
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: registry.example.com/shop:1.4
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
        argocd.argoproj.io/sync-wave: "-1"
    spec:
      activeDeadlineSeconds: 600
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: registry.example.com/shop:1.4
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from ...linter.api import Cause, Finding, Fix, Moment, Node, Resource, Severity, regex, rule, table
from ...linter.argocd.clusters import SECRET_TYPE
from ...linter.dialects.spelling import is_placeholder, nearest
from ...linter.yaml.removal import removal

PREFIX: Final = "argocd.argoproj.io/"
MENTIONED: Final = regex(r"argocd\.argoproj\.io/")


@rule("GL034", Severity.WARNING, Moment.SYNC, literal=True, any_tool=False, of_fetched=False)
def check(resource: Resource) -> Iterator[Finding]:
    if not resource.kustomized and not resource.file.mentions(MENTIONED):
        return
    if resource.labels[SECRET_TYPE].present:
        return
    for holder in _annotations(resource):
        for key, value in holder.items():
            name = key.removeprefix(PREFIX)
            if name != key and name not in _annotations_of_argocd()["known"] and not is_placeholder(key):
                yield _finding(resource, holder, name, value)


def _annotations(resource: Resource) -> Iterator[Node]:
    yield resource.metadata["annotations"]
    if resource.group_kind == "argoproj.io/ApplicationSet":
        yield resource["spec"]["template"]["metadata"]["annotations"]


@cache
def _annotations_of_argocd() -> dict[str, Any]:
    known: dict[str, Any] = table("argocd-annotations.json")
    return known


def _finding(resource: Resource, holder: Node, name: str, value: Node) -> Finding:
    known = _annotations_of_argocd()
    elsewhere = str(known["elsewhere"].get(name, ""))
    meant = "" if elsewhere else nearest(name, set(known["known"]).difference(known["labels"])) or ""
    return Finding(
        value,
        headline=f"Argo CD reads no annotation {PREFIX}{name}, which {resource} has",
        happens="It does nothing, and nothing says so.",
        do=elsewhere or (f"Write {PREFIX}{meant}." if meant else "Remove it, unless somebody else reads it."),
        severity=Severity.WARNING if elsewhere or meant else Severity.NOTE,
        fixes=_fixes(holder, meant, value),
        cause=Cause(name, f"{{count}} objects have the annotation {PREFIX}{name}, which Argo CD does not read"),
    )


def _fixes(holder: Node, meant: str, value: Node) -> tuple[Fix, ...]:
    if not meant or not value.scalar_text or holder[PREFIX + meant].present:
        return ()
    patch = removal([value]).also(holder[PREFIX + meant].set(value.scalar_text))
    return (Fix(f"write {PREFIX}{meant}", patch),)
