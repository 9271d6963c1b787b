"""A status in git that Argo CD compares, or writes, although it is the controller's.

The status of an object is written by its controller. For nearly every kind the API
server drops one that comes with a sync. Argo CD before 3.0 compares it, but for CRDs, and shows
the object as OutOfSync as long as the real status is another one. Since 3.0 it does not,
so there a status in git is without effect and not reported, and neither is it where no version
is known, nor an empty one, which generators of CRDs write.

An Application is an exception: its status is an ordinary field. What git says is
written into the cluster with each sync of the parent, until Argo CD overwrites it (note).

Fix: leave the status out. The fix is safe for the kinds of Kubernetes itself, and unsafe for
others whose status Argo CD is known to read. For all other kinds none is offered: what is
called status may be something else there.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/, https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/2.14-3.0/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
    status:  # <- here
      sync:
        status: Synced
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.argocd.applications import GROUP
from ...linter.facts.tables import builtin_kinds, has_health_check


@rule("GL043", Severity.WARNING, Moment.SYNC, literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    status = resource["status"]
    if status.absent or resource.is_crd or not _says_something(status):
        return
    is_application = resource.group_kind == "argoproj.io/Application"
    if not is_application and not resource.versions.lacks("status-not-compared"):
        return
    yield Finding(
        status,
        headline=f"{resource} has a status in git",
        happens="Each sync of its parent writes it over the real one, until Argo CD has worked it out again."
        if is_application
        else "It is not applied, and Argo CD before 3.0 shows the object as OutOfSync while the real one differs.",
        do="Leave the status out: it is the controller's.",
        fixes=_fixes(resource, status),
        severity=Severity.NOTE if is_application else Severity.WARNING,
    )


def _fixes(resource: Resource, status: Node) -> tuple[Fix, ...]:
    is_builtin = resource.kind in builtin_kinds().get(resource.group, ())
    if not is_builtin and resource.group != GROUP and not has_health_check(resource.group, resource.kind):
        return ()
    return (Fix("leave it out", status.remove(), safe=is_builtin),)


def _says_something(status: Node) -> bool:
    """Empty maps and lists are no difference to what the cluster has."""
    return any(bool(node.scalar_text) for node in status.walk())
