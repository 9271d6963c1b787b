"""An owner reference in git names an object by a uid that no other cluster has.

An object with ownerReferences is deleted by the garbage collector as soon as none of its owners
exists, and an owner is known by its uid. In git that is the uid from the cluster the object was
exported from: everywhere else, and in that cluster once the owner was made anew, the object is
deleted right after the sync has created it, and again after every further sync.

Fix: take ownerReferences away. The fix offered is safe.

See: https://kubernetes.io/docs/concepts/architecture/garbage-collection/

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      ownerReferences:  # <- here
        - apiVersion: apps/v1
          kind: Deployment
          name: shop
          uid: 0b8f6c2e-8a0e-4c38-8e0c-5f1f6f2b3a11
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder


@rule("GL046", Severity.ERROR, Moment.SYNC)
def check(resource: Resource) -> Iterator[Finding]:
    owners = resource.metadata["ownerReferences"]
    uids = [owner["uid"].text for owner in owners]
    if not any(uids) or any(map(is_placeholder, uids)) or resource.patched:
        return
    yield Finding(
        owners,
        headline=f"{resource} has an owner by a uid, which no other cluster has",
        happens="The garbage collector finds no such owner and deletes the object after every sync.",
        do="Take ownerReferences away.",
        fixes=(Fix("take ownerReferences away", owners.remove(), safe=True),),
    )
