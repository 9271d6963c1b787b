"""A PreSync hook needs an object that only another Application brings.

A PreSync hook runs before anything of its own Application is applied, and the sync waits for it. Where its pod needs
a Secret, a ConfigMap, a claim or a ServiceAccount that another Application brings to the same namespace, it hangs on
a new cluster until that one has been synced: nothing orders the two. If both have automatic syncs it heals by
itself; where a parent waits for this Application before it brings the other one, it never does.

Silent where the Application brings the object, too, where a parent that waits for health brings the other one in an
earlier wave, and where the reference is optional.

Fix: let one parent bring the other Application in an earlier wave (and let it wait for the health of
Applications), or move the object into this one as a PreSync hook of an earlier wave.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    # apps.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: secrets
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: secrets
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # shop/migrate.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: registry.example.com/shop:1.4
              envFrom:
                - secretRef:
                    name: database  # <- here
    # secrets/database.yaml
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: database
    spec:
      secretStoreRef:
        kind: ClusterSecretStore
        name: vault
      data: []
Good:
    # apps.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # shop/migrate.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
        argocd.argoproj.io/sync-wave: "1"
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: registry.example.com/shop:1.4
              envFrom:
                - secretRef:
                    name: database
    # shop/database.yaml
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: database
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      secretStoreRef:
        kind: ClusterSecretStore
        name: vault
      data: []
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...linter.api import App, Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.references import Reference, build_graph
from ...linter.lint.brought_operators import comes_first, waits_for_itself


class Needed(NamedTuple):
    app: App
    other: App
    reference: Reference
    stuck: bool


@rule("GL116", Severity.WARNING, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_needed(repo)):
        one = max(found, key=lambda each: each.stuck)
        hook, target = one.reference.consumer, one.reference.target
        name, other = (app.application.name if app.application else app.name for app in (one.app, one.other))
        heals = (
            f"{other!r} comes only after {name!r}, so that never ends"
            if one.stuck
            else f"it waits until {other!r} has been synced, and nothing orders the two"
        )
        yield Finding(
            place,
            headline=f"{hook} (PreSync) needs {target}, which only Application {other!r} brings",
            happens=f"On a new cluster {one.reference.until}: {heals}.",
            do=f"Let a parent that waits for health bring {other!r} first, or make the object an earlier PreSync hook.",
            related=(Note(one.reference.provider["kind"], f"{one.reference.provider} is here"),),
            severity=Severity.ERROR if one.stuck else Severity.WARNING,
            never_heals=one.stuck,
            confidence=Confidence.MEDIUM,
        )


def _needed(repo: Repo) -> Iterator[tuple[Node, Needed]]:
    """One graph for all that goes to one place: hundreds of Applications would make as many thousands of pairs."""
    for (_, namespace), apps in _by_place(repo).items():
        hooks = [(app, one) for app in apps for one in app.resources if _is_meant(one)]
        if not hooks or len(apps) == 1:
            continue
        homes: dict[int, list[App]] = defaultdict(list)
        for app in apps:
            for one in app.resources:
                homes[id(one)].append(app)
        graph = build_graph({id(one): one for app in apps for one in app.resources}.values(), namespace)
        for app, hook in hooks:
            own = app.graph.needs(hook)
            for target, references in graph.needs(hook).items():
                if target not in own:
                    yield from _brought(repo, app, references, homes)


def _is_meant(resource: Resource) -> bool:
    return resource.hook.phases == ("PreSync",) and not resource.patched


def _by_place(repo: Repo) -> dict[tuple[str, str], list[App]]:
    """Applications by the cluster and the namespace that they go to."""
    found: dict[tuple[str, str], list[App]] = {}
    for app in repo.applications:
        if app.application is not None and app.application.destination.cluster:
            found.setdefault((app.application.destination.cluster, app.namespace), []).append(app)
    return found


def _brought(
    repo: Repo, app: App, references: Iterable[Reference], homes: Mapping[int, list[App]]
) -> Iterator[tuple[Node, Needed]]:
    told: set[int] = set()
    for reference, other in ((each, home) for each in references for home in homes[id(each.provider)]):
        first, second = app.application, other.application
        if first is None or second is None or other is app or id(other) in told:
            continue
        told.add(id(other))
        if reference.blocks and not reference.guessed and not comes_first(repo, second, first):
            yield reference.at, Needed(app, other, reference, waits_for_itself(repo, first, second))
