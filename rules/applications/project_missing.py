"""An Application names a project that the repository does not have, though it has others.

Without its AppProject an Application is not compared and not synced: "Application referencing
project … which does not exist" (InvalidSpecError). Projects made by hand or in another
repository are not seen, so the rule speaks only where the repository has the AppProjects of at
least half of its Applications that name one, and says so with medium confidence.

Fix: correct the name, or bring the AppProject.

See: argo-cd#304, https://argo-cd.readthedocs.io/en/stable/user-guide/projects/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shops
      namespace: argocd
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      project: shops
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: stock
      namespace: argocd
    spec:
      project: shop  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shops
      namespace: argocd
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      project: shops
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: stock
      namespace: argocd
    spec:
      project: shops
"""

from collections.abc import Iterator

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.dialects.spelling import is_placeholder, meant


@rule("GL632", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    known = {one.name for one in repo.resources if one.group_kind == "argoproj.io/AppProject"}
    if not repo.whole or not repo.argocd.governed or any(map(is_placeholder, known)):
        return
    lost = list(_lost(repo, known))
    if len(lost) > len(repo.argocd.governed):
        return  # most projects come from elsewhere
    for place, found in by_line(lost):
        project = found[0].project
        close = meant(project, known)
        yield Finding(
            place,
            headline=f"there is no AppProject {project!r} in the repository, which {found[0]} names",
            happens="Unless it is made elsewhere, Argo CD neither compares nor syncs the Application.",
            do=f"Write {close!r}, or bring the AppProject." if close else "Correct the name, or bring the AppProject.",
            confidence=Confidence.MEDIUM,
        )


def _lost(repo: Repo, known: set[str]) -> Iterator[tuple[Node, Application]]:
    for app in repo.applications:
        one = app.certain_application
        if one is None or one.project == "default" or one.project in known:
            continue
        if not is_placeholder(one.project):
            yield one.place("/spec/project"), one
