"""A field that is ignored in the comparison and yet written by every sync.

ignoreDifferences keeps Argo CD from showing a difference. It does not keep a
sync from writing what git has: when anything else changes, the whole object is
applied, and the number of replicas that an autoscaler has chosen, an injected
caBundle or generated data are replaced by git's value. Only
RespectIgnoreDifferences=true in syncOptions leaves ignored fields as the cluster
has them, for objects that exist already.

The rule speaks only where the manifests of an Application with automated sync
set the ignored field; where git leaves the field out, nothing is written over
it. It is a warning for fields that are known to have another writer (replicas,
images, caBundle, data of Secrets and ConfigMaps), else a note; and a note with
ApplyOutOfSyncOnly=true, where the object is applied only when something else in
it differs. Charts that are not rendered are not seen.

Fix: leave the field out of git, which is best, or add
RespectIgnoreDifferences=true. The fix offered adds the option. It is unsafe:
changes of these fields in git do not arrive any more, and with paths into lists
some versions copy too much (argo-cd#23283, argo-cd#26588).

See: argo-cd#7820, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jsonPointers:
            - /spec/replicas  # <- here
      syncPolicy:
        automated: {}
        syncOptions:
          - CreateNamespace=true
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replicas: 2
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jsonPointers:
            - /spec/replicas
      syncPolicy:
        automated: {}
        syncOptions:
          - CreateNamespace=true
          - RespectIgnoreDifferences=true
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      replicas: 2
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, and_more, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.argocd.ignored_differences import is_for, paths_of_pointer, paths_of_query, reached
from ...linter.dialects.jq_paths import Path

OPTION: Final = "RespectIgnoreDifferences=true"
ONLY_DIFFERING: Final = "ApplyOutOfSyncOnly=true"
WRITTEN_BY_OTHERS: Final = frozenset(("replicas", "image", "caBundle", "data", "stringData"))
LONGEST: Final = 40


class Overwritten(NamedTuple):
    application: Application
    resource: Resource
    field: Node


@rule("GL414", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    mended: set[int] = set()
    for place, found in by_line(one for app in repo.applications for one in _overwritten(app)):
        first, others = found[0], len({id(one.resource) for one in found}) - 1
        also = and_more(others, " (and {} more)")
        yield Finding(
            place,
            headline=f"{first.application} does not compare this field, but its syncs write it",
            happens=f"A sync for any other reason writes git's {_shown(first.field)} into {first.resource}{also}.",
            do=f"Add {OPTION} to syncOptions, or leave the field out of git.",
            fixes=_fixes(found[0].application, mended),
            related=(Note(first.field, "git sets it here"),),
            severity=max(map(_severity, found)),
        )


def _overwritten(app: App) -> Iterator[tuple[Node, Overwritten]]:
    application = app.certain_application
    if application is None or not application.is_automated:
        return
    if OPTION in application.sync_options:
        return
    for index, item in enumerate(application.ignored_differences):
        resources = [one for one in app.resources if _is_compared(one) and is_for(item, one, app.namespace)]
        for key, paths_of in (("jsonPointers", paths_of_pointer), ("jqPathExpressions", paths_of_query)):
            texts = item.get(key) if resources else None
            for number, text in enumerate(texts if isinstance(texts, list) else ()):
                paths = paths_of(text) if isinstance(text, str) else ()
                place = f"/spec/ignoreDifferences/{index}/{key}/{number}"
                for resource, field in _set_in(resources, paths):
                    yield application.place(place), Overwritten(application, resource, field)


def _is_compared(resource: Resource) -> bool:
    return not (resource.is_hook or resource.patched)


def _set_in(resources: list[Resource], paths: tuple[Path, ...]) -> Iterator[tuple[Resource, Node]]:
    for resource in resources:
        for path in paths:
            if path and path[0] != "status":
                yield from ((resource, node) for node in reached(resource.node, path) if node.value not in ({}, []))


def _severity(one: Overwritten) -> Severity:
    if ONLY_DIFFERING in one.application.sync_options or _name(one.field) not in WRITTEN_BY_OTHERS:
        return Severity.NOTE
    return Severity.WARNING


def _name(field: Node) -> str:
    """The last name on the way to it; for what is in data, that."""
    above = field.parent.key if field.parent is not None else ""
    return str(above if above in ("data", "stringData") else field.key)


def _shown(field: Node) -> str:
    text = field.scalar_text
    return f"{field.key}: {text}" if text and len(text) <= LONGEST and _name(field) != "data" else str(field.key)


def _fixes(application: Application, mended: set[int]) -> tuple[Fix, ...]:
    """Once for an Application: the option is for all of its fields."""
    if application.is_generated or id(application) in mended:
        return ()
    mended.add(id(application))
    options = application.place("/spec/syncPolicy/syncOptions")
    return (Fix(f"add {OPTION}", options.append(OPTION), safe=False),)
