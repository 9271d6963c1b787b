"""Two parts of a kustomization bring the same object, which Kustomize refuses.

No two objects of a build may have the same kind, group, version, name and namespace:
"may not add resource with an already registered id". It happens when a base and its
overlay both list a file, when two bases share one, when a generator makes what is
there already, or when namespace: puts two objects of one name into one namespace.
Argo CD cannot generate the manifests then, and syncs nothing of the Application. Where no
Application of the repository is known, it is a warning; where some are and none builds it, a note.

An object in a version of its own (apps/v1beta1 beside apps/v1) is another one to
Kustomize, and passes. Components and patches add nothing and do not count.

Fix: list the object once. To change what a base brings, patch it; a generator that is
to change an existing ConfigMap or Secret needs behavior: merge or replace. If two
bases share a third, include that one only in the overlay that joins them.

See: argo-cd#11843, kubernetes-sigs/kustomize#4104, kubernetes-sigs/kustomize#2747

Bad:
    # kustomization.yaml
    resources:
      - service.yaml
      - all.yaml  # <- here
    ---
    # service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    ---
    # all.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
Good:
    # kustomization.yaml
    resources:
      - service.yaml
    ---
    # service.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Note, Repo, Severity, rule
from ...linter.repo.sources.build_refusals import Cause


@rule("GL713", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for refusal in repo.kustomize.refusals(Cause.DUPLICATE_ID):
        error = refusal.error
        first = (Note(error.other, "the one that is there already"),) if error.other else ()
        yield Finding(
            error.at,
            headline=error.message,
            happens=f"{refusal.sentence}.",
            do="List the object once; to change what a base brings, patch it.",
            related=first,
            severity=refusal.severity,
        )
