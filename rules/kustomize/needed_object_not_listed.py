"""An object needs another that is in git, in a file that no kustomization lists.

A pod names a ServiceAccount, a ConfigMap or a claim, a binding names a role, an ExternalSecret
names its store; the object is there, in a file beside or below the kustomization, but the list
of resources does not have that file. Other Applications may have it, for other namespaces. The
sync succeeds. The pods are never made ("serviceaccount not found"), or wait for ever, or have
no rights.

Told only where the Application is known as a whole, nothing in the repository brings or makes
such an object there, and the file is not commented out. Silent about Secrets, which many keep
as a pattern and make by hand, and about files that are samples by their names.

Fix: add the file to the resources of the kustomization.

See: https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/resource/

Bad:
    # application.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      project: default
      source:
        repoURL: https://git.example.com/this.git
        path: deploy
        targetRevision: main
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # deploy/kustomization.yaml
    resources:
      - job.yaml
    ---
    # deploy/job.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: load
    spec:
      template:
        spec:
          serviceAccountName: loader  # <- here
          restartPolicy: Never
          containers:
            - name: load
              image: registry.example.com/shop:1.4
    ---
    # deploy/rbac.yaml
    apiVersion: v1
    kind: ServiceAccount
    metadata:
      name: loader
Good:
    # application.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      project: default
      source:
        repoURL: https://git.example.com/this.git
        path: deploy
        targetRevision: main
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    # deploy/kustomization.yaml
    resources:
      - job.yaml
      - rbac.yaml
    ---
    # deploy/job.yaml
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: load
    spec:
      template:
        spec:
          serviceAccountName: loader
          restartPolicy: Never
          containers:
            - name: load
              image: registry.example.com/shop:1.4
    ---
    # deploy/rbac.yaml
    apiVersion: v1
    kind: ServiceAccount
    metadata:
      name: loader
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import App, Finding, Moment, Note, Repo, Resource, Severity, counted, regex, rule
from ...linter.argocd.identity import Identity
from ...linter.kubernetes.references import Reference, build_graph
from ...linter.kubernetes.resource import resources_in
from ...linter.repo.unread import NEVER_APPLIED, Unread

LEFT_ON_PURPOSE: Final = (*NEVER_APPLIED, Unread.COMMENTED_OUT, Unread.EXCLUDED, Unread.PATCH)
SAMPLE: Final = regex(r"(?i)example|sample|test|template|backup|\bbak\b|\bold\b|disabled|unused|deprecated|archive")
NEEDED: Final = frozenset(
    "ServiceAccount ConfigMap PersistentVolumeClaim Role ClusterRole SecretStore ClusterSecretStore Issuer".split()
)
KINDS: Final = regex(rf"kind:\s*(?:{'|'.join(sorted(NEEDED))})\b")


@rule("GL724", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    if not any(one.build for app in repo.applications for one in app.rendered):
        return
    written = _written(repo)
    brought = {identity for app in repo.applications for identity in map(app.identity, app.resources) if identity}
    found: dict[str, list[Reference]] = {}
    for app in repo.applications:
        near = _near(app, written)
        for one in _unmet(app, near, brought) if near else ():
            found.setdefault(f"{one.target} {one.provider.file.path}", []).append(one)
    for references in found.values():
        yield _finding(references)


def _finding(references: Sequence[Reference]) -> Finding:
    """All that need one object, at the first of them: one line more mends it."""
    first = references[0]
    others = len({str(one.consumer) for one in references}) - 1
    more = f" and {counted(others, 'more object')}" if others else ""
    return Finding(
        first.at,
        headline=f"{first.consumer}{more} needs {first.target}, which is in a file that is not listed",
        happens=f"The sync succeeds without it: nothing brings what {first.provider.file.path} has.",
        do="Add the file to the resources of the kustomization.",
        related=(Note(first.provider["kind"], f"{first.provider}, which is not brought there"),),
    )


def _written(repo: Repo) -> list[Resource]:
    """Objects as they stand in files; not what somebody without an Application may bring."""
    found = [
        one
        for file in repo.files
        if file.mentions(KINDS) and not SAMPLE.search(file.path)
        if repo.reach.unread.get(file.path) not in LEFT_ON_PURPOSE
        for document in file.documents
        for one in resources_in(document.root)
        if one.kind in NEEDED
    ]
    named = {(one.kind, one.name) for one in found}
    loose = (one for app in repo.apps if app.application is None for one in app.resources)
    # Where an object of a chart stands takes one more rendering: asked of few.
    theirs = {(one.kind, one.name) for one in loose if (one.kind, one.name) in named and repo.reach.is_read(one)}
    return [one for one in found if (one.kind, one.name) not in theirs]


def _near(app: App, written: Sequence[Resource]) -> list[Resource]:
    """Those in folders that the Application's kustomizations are in, or below them, and that it does not have."""
    if not app.is_complete:
        return []
    folders = {folder for one in app.rendered if one.build for folder in one.build.folders}
    starts = tuple("" if folder == "." else f"{folder}/" for folder in folders)
    own = {(one.kind, one.name) for one in app.resources}
    return [one for one in written if one.file.path.startswith(starts) and (one.kind, one.name) not in own]


def _unmet(app: App, near: Sequence[Resource], brought: set[Identity]) -> Iterator[Reference]:
    absent = [one for one in near if app.identity(one) not in brought]
    lost = {id(one) for one in absent}
    graph = build_graph([*app.resources, *absent], app.namespace)
    for consumer in app.resources if absent else ():
        for offers in graph.needs(consumer).values():
            if all(id(one.provider) in lost and not one.made and not one.guessed for one in offers):
                yield offers[0]
