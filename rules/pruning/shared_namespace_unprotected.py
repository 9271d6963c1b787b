"""One Application owns a Namespace that others deploy into; if it goes, everything in it goes.

A Namespace among the manifests of an Application belongs to it like any other object. When
the manifest leaves git and the Application prunes, or when the Application is deleted with
its finalizer, the Namespace is deleted, and Kubernetes deletes everything in it: the objects
of all other Applications, and their data.

The rule looks for Namespaces of an Application that are the destination of another one in
the same cluster, or hold an object of it. It is a warning where three others or more deploy
into it, and the owner prunes automatically or deletes what it manages along with itself, and
lacks the protection against that; else a note. All that one repository has is one finding.
One that has Prune=false and no Delete=false is told by prune-false-without-delete-false.
Prune=false and Delete=false are read from the object in the cluster, so they protect once
they were synced.

Fix: add Prune=false and Delete=false to the annotation argocd.argoproj.io/sync-options of
the Namespace. The fix is unsafe: it changes nothing as long as the Namespace is in git, but what
becomes of it afterwards is for you to decide.

See: argo-cd#22607, argoproj-labs/argocd-autopilot#23, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: redis
    spec:
      source:
        repoURL: https://charts.example.com
        chart: redis
        targetRevision: 1.2.3
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: Namespace  # <- here
    metadata:
      name: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        automated:
          prune: true
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: redis
    spec:
      source:
        repoURL: https://charts.example.com
        chart: redis
        targetRevision: 1.2.3
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: Namespace
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,Delete=false
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Final, NamedTuple

from ...linter.api import App, Cause, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, rule, some
from ...linter.argocd.applications import Application
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS
from ...linter.kubernetes.annotations.option_lists import with_option

TOGETHER: Final = Cause(
    "Namespaces that others use", "{count} Namespaces belong to one Application each, and others deploy into them"
)
"""Whoever protects them decides that once, for all of the repository."""
MANY: Final = 3
"""Applications beside the owner. One or two are mostly parts of what the Namespace is there for, and go with it."""
Users = Mapping[tuple[str, str], list[App]]
"""By cluster and namespace: the Applications that deploy there."""


class Owned(NamedTuple):
    namespace: Resource
    owner: Application
    others: list[Application]
    missing: list[str]
    """The options that would protect it."""
    severity: Severity


@rule("GL502", Severity.WARNING, Moment.REMOVAL)
def check(repo: Repo) -> Iterator[Finding]:
    users: Users | None = None
    found: list[tuple[Node, Owned]] = []
    for app in repo.applications:
        for resource in app.resources:
            if resource.group_kind == "Namespace" and not resource.is_hook:
                users = users if users is not None else _users(repo)
                found += _owned(app, resource, users, repo)
    for place, (first, *rest) in by_line(found):
        yield _finding(place, max((first, *rest), key=lambda one: one.severity))


def _users(repo: Repo) -> Users:
    found: dict[tuple[str, str], list[App]] = defaultdict(list)
    for app in repo.applications:
        application = app.certain_application
        if application is None:
            continue
        to = application.destination
        identities = (app.identity(resource) for resource in app.resources)
        places = {(one.cluster, one.namespace) for one in identities if one}
        for place in {*places, (to.cluster, to.namespace)}:
            found[place].append(app)
    return found


def _owned(app: App, namespace: Resource, users: Users, repo: Repo) -> Iterator[tuple[Node, Owned]]:
    owner, identity = app.certain_application, app.identity(namespace)
    if owner is None or identity is None or not identity.cluster:
        return
    others = [
        user.application
        for user in users.get((identity.cluster, identity.name), ())
        if user.application and user.name != app.name and repo.deploy_to_one_cluster(owner, user.application)
    ]
    effective = app.options_for(namespace)
    guards = (("Prune=false", effective.prune), ("Delete=false", effective.delete))
    missing = [option for option, value in guards if value == "true"]
    if others and missing and not _is_for_another_rule(namespace, missing):
        at_risk = ("Prune=false" in missing and owner.prunes) or ("Delete=false" in missing and owner.cascades)
        severity = Severity.WARNING if at_risk and len({one.name for one in others}) >= MANY else Severity.NOTE
        annotation = namespace.annotation(SYNC_OPTIONS)
        place = annotation if annotation.present else namespace["kind"]
        yield place, Owned(namespace, owner, others, missing, severity)


def _is_for_another_rule(namespace: Resource, missing: list[str]) -> bool:
    """Prune=false without Delete=false is told by prune-false-without-delete-false, whoever deploys there."""
    return "Prune=false" not in missing and "Prune=" in namespace.annotation(SYNC_OPTIONS).text


def _finding(place: Node, owned: Owned) -> Finding:
    others = {other.name: other for other in owned.others}
    annotation = owned.namespace.annotation(SYNC_OPTIONS)
    options = " and ".join(owned.missing)
    users = f"{some(map(repr, others), 2)} {'deploy' if len(others) > 1 else 'deploys'}"
    return Finding(
        place,
        headline=f"{owned.namespace} belongs to {owned.owner}, and others deploy into it",
        happens=f"When it leaves git, or {owned.owner.name!r} is deleted, it can go, with everything in it, also what"
        f" {users} there.",
        do=f"Add {options}.",
        fixes=(Fix(f"add {options}", annotation.set(reduce(with_option, owned.missing, annotation.text)), safe=False),),
        related=tuple(
            Note(other.place("/metadata/name"), f"{other} deploys into it") for other in list(others.values())[:5]
        ),
        severity=owned.severity,
        cause=TOGETHER,
    )
