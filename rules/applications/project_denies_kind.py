"""The AppProject does not permit a kind that an Application brings, so its whole sync fails.

Cluster-scoped kinds (Namespace, ClusterRole, CustomResourceDefinition …) are permitted
only if clusterResourceWhitelist of the project has them; without the list none is.
Namespaced kinds are permitted unless namespaceResourceBlacklist has them; if there is a
namespaceResourceWhitelist, only what it has, and an empty one permits nothing. One
object that is not permitted fails the sync before anything is applied ("resource … is
not permitted in project …"). CreateNamespace=true needs Namespace on the list, too, as
long as the namespace does not exist.

Only projects that are in the repository are looked at; nothing is said where one of
several projects of that name permits it, where global projects are set up, or where a
kustomization changes the project. A custom kind whose scope is not known is reported
only if it is permitted in neither.

Fix: add the kind to the list of the project, or move the object to an Application of
another project. No fix is offered: what a project permits is a border that only its owner moves.

See: argo-cd#22869, argo-cd#20233, https://argo-cd.readthedocs.io/en/stable/user-guide/projects/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: "*"
          namespace: "*"
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: cart
    ---
    apiVersion: v1
    kind: Namespace  # <- here
    metadata:
      name: cart
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: "*"
          namespace: "*"
      clusterResourceWhitelist:
        - group: ""
          kind: Namespace
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: cart
    ---
    apiVersion: v1
    kind: Namespace
    metadata:
      name: cart
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from ...linter.api import (
    App,
    Cause,
    Confidence,
    Finding,
    Moment,
    Node,
    Note,
    Repo,
    Resource,
    Severity,
    by_line,
    counted,
    rule,
)
from ...linter.argocd.applications import Application
from ...linter.argocd.excluded_kinds import is_left_alone
from ...linter.argocd.verdicts import Verdict
from ...linter.facts.tables import is_cluster_scoped

CREATE_NAMESPACE: Final = "CreateNamespace=true"
BUILT_IN: Final = frozenset(
    f"{name}.k8s.io" for name in ("coordination", "discovery", "events", "networking", "rbac.authorization", "storage")
)


class Denied(NamedTuple):
    application: Application
    what: str
    verdict: Verdict
    kind: str
    on_install: bool = False
    """Only where it is not there yet."""


@rule("GL608", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    scopes = {crd.defines: crd["spec"]["scope"].text == "Cluster" for crd in repo.resources if crd.defines}
    made = {one.name for one in repo.resources if one.group_kind == "Namespace" and not one.is_hook}
    for place, found in by_line(denied for app in repo.argocd.governed for denied in _denied(app, repo, scopes, made)):
        first = found[0]
        project = first.application.project
        also = f" and of {counted(len(found) - 1, 'more Application')}" if len(found) > 1 else ""
        when = " where it does not exist yet" if first.on_install else ""
        yield Finding(
            place,
            headline=f"project {project!r} does not permit {first.what}",
            happens=f"The whole sync of {first.application}{also} fails{when}: {first.verdict.why}.",
            do=f"Permit {first.kind} in the lists of the AppProject, or take it out of the Application.",
            cause=Cause(
                f"AppProject {project}, {first.kind}",
                f"project {project!r} does not permit {{count}} objects of kind {first.kind}",
                first.verdict.at,
            ),
            related=(Note(first.verdict.at, "this decides"),) if first.verdict.at else (),
            severity=_severity(first, repo),
            moment=Moment.INSTALL if first.on_install else None,
            never_heals=first.on_install,
            confidence=Confidence.HIGH if first.verdict.explicit else Confidence.MEDIUM,
        )


def _severity(denied: Denied, repo: Repo) -> Severity | None:
    if not repo.is_in_use(denied.application.project):
        return Severity.NOTE
    return Severity.WARNING if denied.on_install else None


def _denied(app: App, repo: Repo, scopes: Mapping[str, bool], made: Collection[str]) -> Iterator[tuple[Node, Denied]]:
    """`made` are the namespaces that the repository has: they are there before CreateNamespace asks for them."""
    application = app.certain_application
    if application is None:
        return
    kinds: set[str] = set()
    for resource in app.resources:
        if resource.hook.phases and not resource.patched and not is_left_alone(resource, repo.versions.argocd):
            verdict = _judge(repo, application, resource, scopes)
            if verdict is not None:
                kinds.add(resource.group_kind)
                yield resource["kind"], Denied(application, str(resource), verdict, resource.kind)
    if application.destination.namespace in made or "Namespace" in kinds:
        return
    if CREATE_NAMESPACE in application.sync_options:
        yield from _created_namespace(repo, application)


def _judge(repo: Repo, application: Application, resource: Resource, scopes: Mapping[str, bool]) -> Verdict | None:
    """Denied in every scope that it may have."""
    possible = _scopes(resource, scopes)
    denials = [
        _denial(repo, application, resource.group, resource.kind, resource.name, cluster_scoped=scope)
        for scope in possible
    ]
    return denials[0] if all(denials) else None


def _denial(
    repo: Repo, application: Application, group: str, kind: str, name: str, *, cluster_scoped: bool
) -> Verdict | None:
    argocd = repo.versions.argocd
    return repo.argocd.denial(
        application,
        lambda project: project.permits_kind(group, kind, name, cluster_scoped=cluster_scoped, argocd=argocd),
    )


def _scopes(resource: Resource, scopes: Mapping[str, bool]) -> tuple[bool, ...]:
    """Whether it is cluster-scoped; both where nobody knows."""
    defined = scopes.get(f"{resource.group}/{resource.kind}")
    if defined is not None:
        return (defined,)
    if is_cluster_scoped(resource.group, resource.kind):
        return (True,)
    return (False,) if "." not in resource.group or resource.group in BUILT_IN else (False, True)


def _created_namespace(repo: Repo, application: Application) -> Iterator[tuple[Node, Denied]]:
    name = application.destination.namespace
    verdict = _denial(repo, application, "", "Namespace", name, cluster_scoped=True)
    if verdict is not None:
        index = application.sync_options.index(CREATE_NAMESPACE)
        what = f"Namespace {name!r}, which {CREATE_NAMESPACE} makes"
        place = application.place(f"/spec/syncPolicy/syncOptions/{index}")
        yield place, Denied(application, what, verdict, "Namespace", on_install=True)
