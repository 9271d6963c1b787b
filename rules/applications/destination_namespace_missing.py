"""An object that needs a namespace has none, and neither has its Application's destination.

Argo CD puts objects without metadata.namespace into spec.destination.namespace. Where that
is empty, too, it says "Namespace for … is missing" (InvalidSpecError). With that the
Application has an error, and Argo CD syncs it no longer by itself.

Only kinds that are known to live in namespaces are looked at: those of Kubernetes itself.
An Application whose objects all name a namespace, or need none, is in order.

Fix: name a namespace in spec.destination, or in the object.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:  # <- here
        server: https://kubernetes.default.svc
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import App, Finding, Moment, Node, Note, Repo, Resource, Severity, and_more, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.facts.tables import builtin_kinds, is_cluster_scoped


@rule("GL630", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = (one for app in repo.applications for one in _homeless(app))
    for place, together in by_line(found):
        application, resource, others = together[0]
        yield Finding(
            place,
            headline=f"{resource}{and_more(others)} of {application} has no namespace, and the destination names none",
            happens=f'Argo CD says "Namespace for {resource.name} … is missing" and does not sync by itself.',
            do="Name a namespace in spec.destination, or in the object.",
            related=(Note(resource["kind"], f"{resource} names no namespace"),),
        )


def _homeless(app: App) -> Iterator[tuple[Node, tuple[Application, Resource, int]]]:
    application = app.certain_application
    if application is None or application.destination.namespace:
        return
    found = [one for one in app.resources if _is_homeless(one)]
    if found:
        yield application.place("/spec/destination"), (application, found[0], len(found) - 1)


def _is_homeless(resource: Resource) -> bool:
    if resource.namespace or resource.patched or not resource.name:
        return False
    is_known = resource.kind in builtin_kinds().get(resource.group, ())
    return is_known and not is_cluster_scoped(resource.group, resource.kind)
