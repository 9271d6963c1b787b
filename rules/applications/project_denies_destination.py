"""The AppProject does not permit where an Application deploys to, so the sync is refused.

Argo CD compares the destination of an Application with the destinations of its project,
and at every sync also the namespace of each object that has one. A destination that no
item permits gives an InvalidSpecError, and no sync starts. An object in a namespace that
is not permitted fails the whole sync before anything is applied. In an item, the server
or the name has to match, and the namespace; an item without a namespace permits none.

Only projects that are in the repository are looked at; nothing is said where one of
several projects of that name permits it, where global projects are set up, where a
kustomization changes the project, or where the item gives the server and the
Application the name of the cluster, or the other way round, unless the Secret of the
cluster is in the repository and has both.

Fix: add the destination to the project, use another project, or correct the namespace.

See: argo-cd#3913, argo-cd#12383, argo-cd#3191, https://argo-cd.readthedocs.io/en/stable/user-guide/projects/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: https://kubernetes.default.svc
          namespace: shop-*
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: cart  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: https://kubernetes.default.svc
          namespace: shop-*
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: shop-cart
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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


class Denied(NamedTuple):
    application: Application
    resource: Resource | None
    """The object whose namespace it is; None for the destination itself."""
    namespace: str
    verdict: Verdict


@rule("GL607", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(denied for app in repo.argocd.governed for denied in _denied(app, repo)):
        first = found[0]
        yield Finding(
            place,
            headline=_headline(first),
            happens=_effect(first, len(found) - 1),
            do="Permit it in the destinations of the AppProject, or correct it here.",
            related=(Note(first.verdict.at, "this decides"),) if first.verdict.at else (),
            severity=None if repo.is_in_use(first.application.project) else Severity.NOTE,
            cause=Cause(
                f"AppProject {first.application.project}",
                f"project {first.application.project!r} does not permit the namespaces at {{count}} places",
                first.verdict.at,
            ),
            confidence=Confidence.HIGH if first.verdict.explicit else Confidence.MEDIUM,
        )


def _denied(app: App, repo: Repo) -> Iterator[tuple[Node, Denied]]:
    application = app.certain_application
    if application is None:
        return
    to = application.destination
    own = _judge(repo, application, to.namespace) if to.server or to.name else None
    if own is not None:
        place = application.place("/spec/destination/namespace")
        yield place, Denied(application, None, to.namespace, own)
        return
    seen = {to.namespace}
    for resource in app.resources:
        identity = app.identity(resource) if resource.hook.phases else None
        if identity is None or not resource.namespace or resource.namespace in seen or not identity.cluster:
            continue
        if is_left_alone(resource, repo.versions.argocd):
            continue
        seen.add(resource.namespace)
        verdict = _judge(repo, application, resource.namespace)
        if verdict is not None:
            yield resource.metadata["namespace"], Denied(application, resource, resource.namespace, verdict)


def _judge(repo: Repo, application: Application, namespace: str) -> Verdict | None:
    to = repo.argocd.resolved(application.destination)
    return repo.argocd.denial(application, lambda project: project.permits_destination(to.server, to.name, namespace))


def _headline(denied: Denied) -> str:
    project = f"project {denied.application.project!r}"
    if denied.resource is None:
        return f"{project} does not permit the destination of {denied.application}"
    return f"{denied.resource} is in namespace {denied.namespace!r}, which {project} does not permit"


def _effect(denied: Denied, others: int) -> str:
    application, why = denied.application, denied.verdict.why
    if denied.resource is not None:
        return f"The whole sync of {application} fails: {why}."
    also = f" and {counted(others, 'more Application')}" if others else ""
    return f"Argo CD refuses to sync {application}{also} to {application.destination}: {why}."
