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
from ...linter.argocd.applications import Application
from ...linter.kubernetes.references import Reference, build_graph
from ...linter.lint.brought_operators import comes_first, waits_for_itself


class Placed(NamedTuple):
    app: App
    application: Application


class Needed(NamedTuple):
    application: Application
    other: Application
    reference: Reference
    stuck: bool


@rule("GL116", Severity.WARNING, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_needed(repo)):
        one = max(found, key=lambda each: each.stuck)
        hook, target = one.reference.consumer, one.reference.target
        name, other = one.application.name, one.other.name
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
    for (_, namespace), placed in _by_place(repo).items():
        hooks = [(one, resource) for one in placed for resource in one.app.resources if _is_meant(resource)]
        if not hooks:
            continue
        homes: dict[int, list[Application]] = defaultdict(list)
        for one in placed:
            for resource in one.app.resources:
                homes[id(resource)].append(one.application)
        graph = build_graph({id(each): each for one in placed for each in one.app.resources}.values(), namespace)
        for one, hook in hooks:
            own = one.app.graph.needs(hook)
            for target, references in graph.needs(hook).items():
                if target not in own:
                    yield from _brought(repo, one.application, references, homes)


def _is_meant(resource: Resource) -> bool:
    return resource.hook.phases == ("PreSync",) and not resource.patched


def _by_place(repo: Repo) -> dict[tuple[str, str], list[Placed]]:
    """Applications by the cluster and the namespace that they go to."""
    found: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for app in repo.applications:
        if app.application is not None and app.application.destination.cluster:
            found[app.application.destination.cluster, app.namespace].append(Placed(app, app.application))
    return found


def _brought(
    repo: Repo, application: Application, references: Iterable[Reference], homes: Mapping[int, list[Application]]
) -> Iterator[tuple[Node, Needed]]:
    first: dict[int, tuple[Reference, Application]] = {}
    for reference in references:
        for other in homes[id(reference.provider)]:
            first.setdefault(id(other), (reference, other))
    for reference, other in first.values():
        if reference.blocks and not reference.guessed and not comes_first(repo, other, application):
            yield reference.at, Needed(application, other, reference, waits_for_itself(repo, application, other))
