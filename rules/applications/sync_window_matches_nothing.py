"""A sync window that is for no Application of its project: what it should freeze goes on.

A window is for the Applications whose name, destination namespace or cluster matches one
of its patterns; with andOperator: true (Argo CD 3.0) all lists that are given have to
match. Clusters are compared with what the Application writes, the server or the name,
and not with what it stands for: a window for in-cluster is not for an Application with
server: https://kubernetes.default.svc. A window that matches nothing is no error, and
nothing is blocked or allowed by it.

It is a note, since Applications of the project may be elsewhere. Nothing is said where
the repository has no Application of the project, where an ApplicationSet cannot be
expanded, and about patterns that another tool fills in.

Fix: correct the pattern, or remove the window.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync_windows/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      syncWindows:
        - kind: deny  # <- here
          schedule: 0 22 * * 5
          duration: 48h
          clusters: [in-cluster]
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: cart
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      syncWindows:
        - kind: deny
          schedule: 0 22 * * 5
          duration: 48h
          clusters: [https://kubernetes.default.svc]
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      destination:
        server: https://kubernetes.default.svc
        namespace: cart
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Repo, Severity, rule
from ...linter.argocd.applications import Application
from ...linter.argocd.windows import SyncWindow
from ...linter.dialects.spelling import is_placeholder

MOST_NAMED: Final = 3
EFFECTS: Final = {"deny": "blocks"}


@rule("GL627", Severity.NOTE, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    if any(one.expansion.unresolved or one.resource.patched for one in repo.argocd.sets):
        return
    for project in repo.argocd.projects:
        applications = repo.argocd.applications_in(project)
        for window in project.sync_windows if applications else ():
            patterns = (*window.applications, *window.namespaces, *window.clusters)
            if not patterns or any(map(is_placeholder, patterns)) or _is_for_any(window, applications, repo):
                continue
            yield Finding(
                window.node["kind"],
                headline=f"the {window} of {project} is for none of its Applications here",
                happens=f"It {EFFECTS.get(window.kind, 'allows')} nothing: they are {_named(applications)}.",
                do="Correct its patterns, or take it away.",
                confidence=Confidence.MEDIUM,
            )


def _is_for_any(window: SyncWindow, applications: tuple[Application, ...], repo: Repo) -> bool:
    return any(
        application.resource.patched
        or any(map(is_placeholder, (application.name, *application.destination)))
        or window.is_for(application.name, application.destination, repo.versions.argocd)
        for application in applications
    )


def _named(applications: tuple[Application, ...]) -> str:
    names = list(dict.fromkeys(application.name for application in applications))
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
