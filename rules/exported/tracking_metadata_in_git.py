"""Argo CD's own tracking metadata in git: at best overwritten, on a CRD a licence to prune it.

argocd.argoproj.io/tracking-id and installation-id say which Application an object
belongs to. Argo CD writes them when it syncs, and what git says is overwritten (note).
In git they come from an export or a copy, and name an object or an Application that
need not be the right one; who applies the file by other means than this Argo CD hands
the object over to that Application, which may prune it.

A CustomResourceDefinition is different: Argo CD tracks none, so that it never prunes
them. One with a tracking-id in git keeps it, counts as part of that Application, and
is deleted when it leaves git, with all objects of its kind (warning).

The label argocd.argoproj.io/instance, which many set up as the tracking label, is a
note likewise. app.kubernetes.io/instance is not looked at: charts use it for themselves.

Fix: take it out. The fix is safe: Argo CD writes what it needs.

See: argo-cd#9791, argo-cd#11012, https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/tracking-id: shop:/ConfigMap:shop/settings  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.yaml.quick_keys import has_one_of
from ...linter.yaml.removal import removal

TRACKING_ID: Final = "argocd.argoproj.io/tracking-id"
ANNOTATIONS: Final = frozenset((TRACKING_ID, "argocd.argoproj.io/installation-id"))
LABELS: Final = frozenset(("argocd.argoproj.io/instance",))


@rule("GL044", Severity.NOTE, Moment.SYNC, literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    found: list[Node] = []
    for holder, keys in ((resource.annotations, ANNOTATIONS), (resource.labels, LABELS)):
        if has_one_of(holder, keys):
            found += [value for key, value in holder.items() if key in keys]
    if not found:
        return
    prunable = resource.is_crd and _names(found, resource)
    effect = (
        "Argo CD leaves it on a CRD, takes the CRD for a part of that Application, and prunes it, with all of its"
        " objects, when it leaves git"
        if prunable
        else "Argo CD writes its own over it with each sync"
    )
    named = " and ".join(str(node.key) for node in found)
    yield Finding(
        found[0],
        f"{resource} has {named} in git; {effect}",
        (Fix("take it out", removal(found), safe=True),),
        severity=Severity.WARNING if prunable else Severity.NOTE,
        moment=Moment.REMOVAL if prunable else None,
    )


def _names(found: list[Node], resource: Resource) -> bool:
    """Whether the id is that of this very object: others Argo CD takes for copies and does not count."""
    ids = (node.text.split(":") for node in found if node.key == TRACKING_ID)
    return any(len(parts) == 3 and parts[2].rpartition("/")[2] == resource.name for parts in ids)
