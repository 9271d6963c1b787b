"""An object keeps its kind and name but moves to another API group: to Argo CD it is another one.

Argo CD tells objects apart by group, kind, namespace and name. With another group it creates the new
object and, if it prunes, deletes the old one. What the old object's controller has made (a Secret,
pods, a certificate) may be deleted with it although the new one claims the same. Where both groups
are two names for one object, as extensions and networking.k8s.io once were, the prune met the new one.

A note: most such moves are meant, and most controllers make again what is gone. Only another version
of the same group is no move.

Fix: let both exist for one sync: add the new object, and take the old one out when the new one is
healthy. Or give the old one Prune=false first.

See: argo-cd#11012

Bad:
    # before: route.yaml
    apiVersion: traefik.containo.us/v1alpha1
    kind: IngressRoute
    metadata:
      name: web
      namespace: shop
    # route.yaml
    apiVersion: traefik.io/v1alpha1  # <- here
    kind: IngressRoute
    metadata:
      name: web
      namespace: shop
Good:
    # before: route.yaml
    apiVersion: traefik.io/v1alpha1
    kind: IngressRoute
    metadata:
      name: web
      namespace: shop
    # route.yaml
    apiVersion: traefik.io/v1beta1
    kind: IngressRoute
    metadata:
      name: web
      namespace: shop
"""

from collections.abc import Iterator

from ...linter.api import Change, Finding, Moment, Node, Severity, by_line, counted, rule
from ...linter.change import ObjectChange

Key = tuple[str, str, str, str]


@rule("GL913", Severity.NOTE, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    gone = {_key(one): one for one in change.objects if one.is_removed and one.identity and not change.still_in(one)}
    found: list[tuple[Node, tuple[ObjectChange, ObjectChange]]] = []
    for one in change.objects if gone else ():
        before = gone.get(_key(one)) if one.is_added and one.identity else None
        if before is not None and before.resource.group != one.resource.group and not one.resource.is_hook:
            found.append((one.resource["apiVersion"], (before, one)))
    for place, together in by_line(found):
        before, after = together[0]
        prunes = after.app.prunes if after.app else None
        pruned = "prunes the old one" if prunes else "leaves the old one until a sync prunes it"
        also = f" So it is with {counted(len(together) - 1, 'more object')}." if len(together) > 1 else ""
        old, new = before.resource.group or "core", after.resource.group or "core"
        yield Finding(
            place,
            headline=f"{after.resource} moves from the group {old} to {new}, another object to Argo CD",
            happens=f"It creates the new one and {pruned}, and what the controller of the old made may go.{also}",
            do="Find out whether both groups show the same object, before the old one is pruned.",
        )


def _key(change: ObjectChange) -> Key | None:
    one = change.identity
    return (one.cluster, one.kind, one.namespace, one.name) if one else None
