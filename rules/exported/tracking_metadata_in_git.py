"""Argo CD's own tracking metadata on a CRD in git is a licence to prune it, with all of its objects.

argocd.argoproj.io/tracking-id says which Application an object belongs to. Argo CD
writes it when it syncs, so in git it is overwritten and does no harm. A
CustomResourceDefinition is different: Argo CD tracks none, so that it never prunes
them. One with a tracking-id in git keeps it, counts as part of that Application, and
is deleted when it leaves git, with all objects of its kind.

Fix: take it out. The fix is safe: Argo CD writes what it needs.

See: argo-cd#9791, argo-cd#11012, https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
      annotations:
        argocd.argoproj.io/tracking-id: shop:apiextensions.k8s.io/CustomResourceDefinition:/shops.example.com  # <- here
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.yaml.removal import removal

TRACKING_ID: Final = "argocd.argoproj.io/tracking-id"


@rule("GL044", Severity.WARNING, Moment.REMOVAL, annotated=[TRACKING_ID], literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    tracking = resource.annotation(TRACKING_ID)
    if not resource.is_crd or not _names(tracking, resource):
        return
    yield Finding(
        tracking,
        headline=f"{resource} has {TRACKING_ID} in git",
        happens="Argo CD takes the CRD for a part of that Application, and prunes it with all of its objects when it"
        " leaves git.",
        do="Take the annotation out.",
        fixes=(Fix("take it out", removal([tracking]), safe=True),),
    )


def _names(tracking: Node, resource: Resource) -> bool:
    """Whether the id is that of this very object: others Argo CD takes for copies and does not count."""
    parts = tracking.text.split(":")
    return len(parts) == 3 and parts[2].rpartition("/")[2] == resource.name
