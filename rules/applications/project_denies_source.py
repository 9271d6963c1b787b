"""The AppProject does not permit the repository of an Application, which therefore cannot sync.

Argo CD compares each repoURL of an Application (charts and ref sources included) with
sourceRepos of its project. Without a match the Application gets an InvalidSpecError
("application repo … is not permitted in project …"), its status is Unknown, and no sync
starts. URLs are compared in a normal form, without .git and without regard to case. A *
in a pattern stops at a slash, ** does not; the pattern * alone permits all. A pattern
with an exclamation mark denies what matches it, and permits everything else.

Only projects that are in the repository are looked at; nothing is said where one of
several projects of that name permits it, where global projects are set up, or where
a kustomization changes the project. Repositories whose Secrets name the project are
permitted, too, as far as git shows these Secrets.

Fix: add the repository to sourceRepos of the project, or use another project.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/projects/, argo-cd#3913

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos:
        - https://git.example.com/*
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      source:
        repoURL: https://git.example.com/shop/cart.git  # <- here
        path: deploy
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos:
        - https://git.example.com/**
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cart
    spec:
      project: shop
      source:
        repoURL: https://git.example.com/shop/cart.git
        path: deploy
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Cause, Confidence, Finding, Moment, Node, Note, Repo, Severity, by_line, counted, rule
from ...linter.argocd.applications import Application
from ...linter.argocd.verdicts import Verdict


@rule("GL606", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_denied(repo)):
        application, url, verdict = found[0]
        also = f" and {counted(len(found) - 1, 'more Application')}" if len(found) > 1 else ""
        yield Finding(
            place,
            headline=f"project {application.project!r} does not permit the repository of {application}",
            happens=f"Argo CD refuses to sync {application}{also} from {url}: {verdict.why}.",
            do="Add the address to sourceRepos of the AppProject, or correct it here.",
            related=(Note(verdict.at, "this decides"),) if verdict.at else (),
            severity=None if repo.is_in_use(application.project) else Severity.NOTE,
            cause=Cause(
                f"AppProject {application.project}",
                f"project {application.project!r} does not permit the repositories of {{count}} Applications",
                verdict.at,
            ),
            confidence=Confidence.HIGH if verdict.explicit else Confidence.MEDIUM,
        )


def _denied(repo: Repo) -> Iterator[tuple[Node, tuple[Application, str, Verdict]]]:
    for app in repo.argocd.governed:
        application = app.certain_application
        if application is None:
            continue
        for source in application.sources:
            verdict = _judge(repo, application, source.repo_url) if source.repo_url else None
            if verdict is not None:
                yield application.place(f"{source.pointer}/repoURL"), (application, source.repo_url, verdict)


def _judge(repo: Repo, application: Application, url: str) -> Verdict | None:
    return repo.argocd.denial(application, lambda project: project.permits_source(url))
