"""A generated ConfigMap or Secret gets a new name, and the old one is pruned under running pods.

Kustomize puts a hash of the content behind the names that generators make. When the
content changes there is a new object, and the old one is gone from git. A sync that
prunes deletes it first, before anything of the same wave is applied. Pods of the old
generation that start or restart while the rollout goes on (or cannot go on, or is
undone) do not find it: CreateContainerConfigError, or a volume that cannot be mounted.
So do Jobs that a CronJob has made before.

With PruneLast=true pruning waits until everything else is applied and healthy. It
counts among the syncOptions of the Application, or in the annotation of the object,
where it is read from the one in the cluster: it helps from the second change on.
Generated names without a hash (disableNameSuffixHash: true) are not replaced, and
Prune=false keeps the old objects. Reported for Applications that prune automatically
and whose build, in this repository, has such an object that something refers to. A
note: it takes a pod that restarts in the minutes of a rollout.

Fix: add PruneLast=true to the syncOptions. The fix is unsafe, since all pruning of
the Application then waits for health; an annotation under generatorOptions limits it
to the generated objects. In an ApplicationSet it goes into the template; where a
templatePatch sets the syncOptions, no fix is offered.

See: argo-cd#5080, argo-cd#1629, argo-cd#9153, fluxcd/kustomize-controller#1180

Bad:
    # application.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      syncPolicy:
        automated:
          prune: true  # <- here
        syncOptions:
          - CreateNamespace=true
    ---
    # deploy/kustomization.yaml
    resources:
      - pod.yaml
    configMapGenerator:
      - name: settings
        literals:
          - mode=fast
    ---
    # deploy/pod.yaml
    apiVersion: v1
    kind: Pod
    metadata:
      name: shop
    spec:
      containers:
        - name: shop
          envFrom:
            - configMapRef:
                name: settings
Good:
    # application.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      syncPolicy:
        automated:
          prune: true
        syncOptions:
          - CreateNamespace=true
          - PruneLast=true
    ---
    # deploy/kustomization.yaml
    resources:
      - pod.yaml
    configMapGenerator:
      - name: settings
        literals:
          - mode=fast
    ---
    # deploy/pod.yaml
    apiVersion: v1
    kind: Pod
    metadata:
      name: shop
    spec:
      containers:
        - name: shop
          envFrom:
            - configMapRef:
                name: settings
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, counted, rule
from ...linter.argocd.applications import Application
from ...linter.kubernetes.references import Reference
from ...linter.repo.sources.kustomize_builds import has_hash


class Endangered(NamedTuple):
    application: Application
    reference: Reference
    """To one of the generated objects."""
    more: int
    """Other objects like it."""


@rule("GL722", Severity.NOTE, Moment.TROUBLE, any_tool=False)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_found(repo)):
        application, reference, more = found[0]
        also = f" and {counted(more, 'other')} like it" if more else ""
        yield Finding(
            place,
            headline=f"{application} prunes {reference.provider}{also} before the new pods run",
            happens=f"When its hash changes, old pods of {reference.consumer} that restart do not find it until the"
            " rollout is through.",
            do="Add PruneLast=true to the syncOptions.",
            fixes=_fixes(application),
            related=(Note(reference.provider.metadata["name"], "it is generated here"),),
        )


def _fixes(application: Application) -> tuple[Fix, ...]:
    """None where a templatePatch sets the options: it is a text, and only a person can add to it."""
    options = application.field("/spec/syncPolicy/syncOptions")
    return () if options is None else (Fix("add PruneLast=true", options.append("PruneLast=true"), safe=False),)


def _found(repo: Repo) -> Iterator[tuple[Node, Endangered]]:
    for app in repo.applications:
        if app.application is None or not app.application.prunes:
            continue
        references = _to_generated(app)
        if references:
            place = app.application.place("/spec/syncPolicy/automated/prune")
            yield place, Endangered(app.application, references[0], len(references) - 1)


def _to_generated(app: App) -> list[Reference]:
    """One reference to each object with a hash that a sync may prune too early."""
    if not any(has_hash(resource) for resource in app.resources):
        return []
    found: dict[int, Reference] = {}
    for reference in (one for consumer in app.graph.consumers for one in _needs(app, consumer)):
        effective = app.options_for(reference.provider)
        if effective.prune == "true" and not effective.prune_last:
            found.setdefault(id(reference.provider), reference)
    return list(found.values())


def _needs(app: App, consumer: Resource) -> Iterator[Reference]:
    for offers in app.graph.needs(consumer).values():
        yield from (one for one in offers if has_hash(one.provider) and not one.made and not one.guessed)
