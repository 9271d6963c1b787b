"""An object of a kind that Argo CD excludes is never applied.

From 3.0 on Argo CD is installed with a list of kinds that it does not look at: Endpoints,
EndpointSlices, Leases, reports of Kyverno, requests of cert-manager and others. An object of
such a kind in git is left out of the comparison and of the sync; the Application has the
condition ExcludedResourceWarning, and is Synced without it. Endpoints for a Service without a
selector are the common case: the Service leads nowhere.

Silent where the repository shows other settings (resource.exclusions, resource.inclusions), or an
Argo CD before 3.0.

Fix: take the kind out of resource.exclusions in argocd-cm.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/2.14-3.0/

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
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: Endpoints  # <- here
    metadata:
      name: database
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
    kind: Service
    metadata:
      name: database
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.excluded_kinds import is_left_alone
from ...linter.facts.versions import Version

SETTINGS: Final = ("resource.exclusions", "resource.inclusions", "resourceExclusions", "resourceInclusions")


@rule("GL638", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    argocd = repo.versions.argocd
    excluded = [one for app in repo.applications for one in _excluded(app, argocd)]
    for place, found in by_line(excluded) if excluded and not _has_settings(repo) else ():
        yield Finding(
            place,
            headline=f"{found[0]} is of a kind that Argo CD excludes",
            happens="From 3.0 on, with the settings it comes with, Argo CD neither compares nor applies it.",
            do="Take the kind out of resource.exclusions in argocd-cm.",
            severity=Severity.WARNING if argocd is not None else Severity.NOTE,
            confidence=Confidence.MEDIUM,
        )


def _has_settings(repo: Repo) -> bool:
    return any(name in file.text for file in repo.files for name in SETTINGS)


def _excluded(app: App, argocd: Version | None) -> Iterator[tuple[Node, Resource]]:
    for resource in app.resources:
        if is_left_alone(resource, argocd):
            yield resource["kind"], resource
