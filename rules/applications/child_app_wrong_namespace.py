"""An Application or AppProject that is created where Argo CD does not look: nothing happens.

Argo CD reads Applications, ApplicationSets and AppProjects in its own namespace.
One that another Application brings (app of apps) and that has no namespace of its
own is created in the destination namespace of its parent. If that is the namespace
of some workload, the object is there, the parent is Synced, and nobody ever looks
at it.

The namespace of Argo CD is taken to be the one that the parent lives in. Other
namespaces are permitted where Argo CD is set up for Applications in any namespace
(application.namespaces, and sourceNamespaces of the project), as far as the
repository shows it; AppProjects are never read from there. Nothing is said about
parents that deploy to another cluster, where another Argo CD may be waiting, about
parents without a namespace of their own, and about namespaces that another Argo CD
seems to live in.

An object without a namespace is an error. One with a namespace of its own is a
warning: somebody has thought about it.

Fix: write the namespace of Argo CD into the object. The fix offered takes that of
the parent. It is unsafe, because the Application starts to sync.

See: argo-cd#10807, argo-cd#11625, argo-cd#3913, argoproj-labs/terraform-provider-argocd#204

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: root
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart  # <- here
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: cart
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: root
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: cart
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Confidence, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.applications import GROUP, Application
from ...linter.dialects.spelling import is_placeholder

KINDS: Final = ("Application", "ApplicationSet", "AppProject")
PERMITTING: Final = ("AppProject", "ArgoCD")
"""Kinds with a list of other namespaces that Applications may live in."""
OF_ARGO_CD: Final = ("argo", "gitops")
"""What the namespace of an Argo CD is called, the usual one or another."""


class Lost(NamedTuple):
    child: Resource
    parent: Application
    namespace: str


@rule("GL621", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(lost for app in repo.applications for lost in _lost(app, repo)):
        child, parent, namespace = found[0]
        how = f"is in namespace {namespace!r}" if child.namespace else f"goes to namespace {namespace!r} of its parent"
        yield Finding(
            place,
            headline=f"{child} {how}, where Argo CD does not look",
            happens=f"Its parent {parent.name!r} is in {parent.namespace!r}; with what is elsewhere nothing happens.",
            do=f"Write namespace: {parent.namespace}, or permit the other one (applications in any namespace).",
            fixes=_fixes(found),
            related=(Note(parent.place("/spec/destination/namespace"), f"{parent} brings it"),),
            severity=Severity.WARNING if child.namespace else None,
            confidence=Confidence.MEDIUM,
        )


def _lost(app: App, repo: Repo) -> Iterator[tuple[Node, Lost]]:
    parent = app.certain_application
    if parent is None or not parent.namespace or not parent.destination.is_local:
        return
    for child in app.resources:
        if child.group != GROUP or child.kind not in KINDS or child.patched:
            continue
        namespace = child.namespace or parent.destination.namespace
        if namespace and namespace != parent.namespace and not _may_be_read(child, namespace, repo):
            yield child.metadata["namespace" if child.namespace else "name"], Lost(child, parent, namespace)


def _may_be_read(child: Resource, namespace: str, repo: Repo) -> bool:
    if is_placeholder(namespace) or any(word in namespace for word in OF_ARGO_CD):
        return True
    if any(one.name == "argocd-cm" and one.namespace == namespace for one in repo.resources if one.kind == "ConfigMap"):
        return True
    return child.kind != "AppProject" and (
        repo.argocd.settings.any_namespace or any(map(_permits_others, repo.resources))
    )


def _permits_others(one: Resource) -> bool:
    return one.kind in PERMITTING and one.group == GROUP and one["spec"]["sourceNamespaces"][0].present


def _fixes(found: list[Lost]) -> tuple[Fix, ...]:
    homes = {lost.parent.namespace for lost in found}
    child = found[0].child
    if len(homes) > 1 or is_placeholder(min(homes)):
        return ()
    return (Fix(f"write namespace: {min(homes)}", child.metadata["namespace"].set(min(homes)), safe=False),)
