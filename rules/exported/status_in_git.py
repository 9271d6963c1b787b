"""A status in git is never applied; it only looks as if it meant something.

The status of an object is written by its controller. For nearly every kind the API
server drops one that comes with a sync. Argo CD 3.0 and later do not compare it, earlier
ones do, but for CRDs, and show the object as OutOfSync as long as the real status is
another one (then a warning). The same goes for a newer one whose settings have
ignoreResourceStatusField: none.

An Application is an exception: its status is an ordinary field. What git says is
written into the cluster with each sync of the parent, until Argo CD overwrites it.

Fix: leave the status out. The fix is safe for the kinds of Kubernetes itself, and unsafe for
others whose status Argo CD is known to read. For all other kinds none is offered: what is
called status may be something else there.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/, https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/2.14-3.0/

Bad:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      selector:
        app: shop
    status:  # <- here
      loadBalancer: {}
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      selector:
        app: shop
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.argocd.applications import GROUP
from ...linter.facts.tables import builtin_kinds, has_health_check


@rule("GL043", Severity.NOTE, Moment.SYNC, literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    status = resource["status"]
    if status.absent:
        return
    compared = resource.versions.lacks("status-not-compared") and _says_something(status) and not resource.is_crd
    yield Finding(
        status,
        f"{resource} has a status in git; {_effect(resource, compared)}",
        _fixes(resource, status),
        severity=Severity.WARNING if compared else Severity.NOTE,
    )


def _fixes(resource: Resource, status: Node) -> tuple[Fix, ...]:
    is_builtin = resource.kind in builtin_kinds().get(resource.group, ())
    if not is_builtin and resource.group != GROUP and not has_health_check(resource.group, resource.kind):
        return ()
    return (Fix("leave it out", status.remove(), safe=is_builtin),)


def _says_something(status: Node) -> bool:
    """Empty maps and lists are no difference to what the cluster has."""
    return any(bool(node.scalar_text) for node in status.walk())


def _effect(resource: Resource, compared: bool) -> str:
    if resource.group_kind == "argoproj.io/Application":
        return "each sync of its parent writes it over the real one, until Argo CD has worked it out again"
    if compared:
        return "it is not applied, and Argo CD before 3.0 shows the object as OutOfSync where the real one differs"
    return "it is not applied: the status is the controller's"
