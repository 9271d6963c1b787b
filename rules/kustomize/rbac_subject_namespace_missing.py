"""A ClusterRoleBinding names a ServiceAccount without its namespace, and the API server refuses it.

In a ClusterRoleBinding the namespace of a ServiceAccount must be written:
"subjects[0].namespace: Required value". The destination of the Application does not
fill it in, since the object itself has no namespace. A sync that includes it fails.
In a RoleBinding it may be left out, and that of the binding counts.

Kustomize's namespace: sets it only for a ServiceAccount called default and for those
that are part of the same build; what comes out of the build is what is judged here.

A warning where the namespace is written but leads nowhere: the Application itself
brings a ServiceAccount of this name, in one other namespace only, no other subject
names it there, and no object of the repository is the one that is meant. The binding is then applied and grants
nothing to the pods that should have it.

Fix: write the namespace. Where Applications with one destination sync the object, a
fix proposes it; it is unsafe, because the binding starts to grant rights.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/kustomize/, https://kubernetes.io/docs/reference/access-authn-authz/rbac/

Bad:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata:
      name: shop
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: ClusterRole
      name: view
    subjects:
      - kind: ServiceAccount
        name: shop  # <- here
Good:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata:
      name: shop
    roleRef:
      apiGroup: rbac.authorization.k8s.io
      kind: ClusterRole
      name: view
    subjects:
      - kind: ServiceAccount
        name: shop
        namespace: shop
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Confidence, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder

BINDINGS: Final = ("ClusterRoleBinding", "RoleBinding")


@rule("GL723", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    accounts = _accounts(repo)
    for binding in repo.resources:
        if binding.kind not in BINDINGS or binding.group != "rbac.authorization.k8s.io":
            continue
        apps = repo.apps_with(binding)
        # Whoever builds a kustomization that no Application here builds may set the namespace, which fills it in.
        known = not binding.kustomized or any(app.application for app in apps)
        for subject in binding["subjects"]:
            if subject["kind"].text != "ServiceAccount" or not subject["name"].text:
                continue
            if not subject["namespace"].scalar_text:
                if binding.kind == "ClusterRoleBinding":
                    yield _missing(binding, subject, apps, known)
            elif not is_placeholder(subject["namespace"].text):
                yield from _elsewhere(binding, subject, apps, accounts)


def _missing(binding: Resource, subject: Node, apps: tuple[App, ...], known: bool) -> Finding:
    destinations = {app.namespace for app in apps}
    fixes: tuple[Fix, ...] = ()
    if len(destinations) == 1 and (namespace := destinations.pop()):
        fixes = (Fix(f"write the namespace {namespace}", subject["namespace"].set(namespace), safe=False),)
    return Finding(
        subject["name"],
        headline=f"{binding} names ServiceAccount {subject['name'].text!r} without a namespace",
        happens="The API server refuses the binding, since nothing fills it in, and the sync fails.",
        do="Write the namespace of the ServiceAccount.",
        fixes=fixes,
        severity=None if known else Severity.NOTE,
    )


def _accounts(repo: Repo) -> set[tuple[str, str]]:
    """Name and namespace of all that are known; an empty namespace is that of some destination."""
    found = set()
    for one in repo.resources:
        if one.kind == "ServiceAccount":
            apps = repo.apps_with(one)
            found |= {(one.name, one.namespace or app.namespace) for app in apps}
    return found


def _elsewhere(
    binding: Resource, subject: Node, apps: tuple[App, ...], accounts: set[tuple[str, str]]
) -> Iterator[Finding]:
    """The namespace leads nowhere, and there is one account that is surely meant."""
    name, namespace = subject["name"].text, subject["namespace"].text
    if name == "default" or (name, namespace) in accounts or (name, "") in accounts:
        return
    for app in apps:
        own = [one for one in app.resources if one.kind == "ServiceAccount" and one.name == name]
        if len(own) == 1 and app.application is not None and app.is_complete:
            home = own[0].namespace or app.namespace
            if home and not is_placeholder(home) and not _names(binding, name, home):
                yield Finding(
                    subject["namespace"],
                    headline=f"{binding} names ServiceAccount {name!r} in the wrong namespace {namespace}",
                    happens=f"{app.application} makes it in {home}, so the binding grants nothing to its pods.",
                    do=f"Write {home} as the namespace.",
                    related=(Note(own[0].metadata["name"], "the ServiceAccount is here"),),
                    severity=Severity.WARNING,
                    confidence=Confidence.MEDIUM,
                )
                return


def _names(binding: Resource, name: str, namespace: str) -> bool:
    """One subject that is right is enough; manifests for several clusters name them all."""
    return any(one["name"].text == name and one["namespace"].text == namespace for one in binding["subjects"])
