"""Two Applications install one chart under one name in one namespace: they share every object.

Names of a chart's objects come from the name of the release, which is releaseName or else the
name of the Application. Two Applications with the same chart, the same release and the same
namespace of one cluster have the same objects, though their versions and values may differ.
Each sync of one overwrites what the other wrote and makes it OutOfSync (SharedResourceWarning);
with self-heal they go on for ever, and when one is deleted or prunes, the other loses its
objects. It happens where a set goes over environments that are one and the same cluster.

This is told of charts from elsewhere that are not here to be rendered; for those that are,
resource-in-two-applications names the objects. Silent where values of one of the two speak of
fullnameOverride and the like, where the two take other values files, and where nothing shows
that one Argo CD has both Applications.

Fix: give one of them another releaseName or namespace, or keep one Application.

See: argo-cd#2600, argo-cd#7156, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: ingress
      namespace: argocd
    spec:
      generators:
        - list:
            elements:
              - env: dev
              - env: prod
      template:
        metadata:
          name: ingress-{{env}}
        spec:
          project: default
          source:
            repoURL: https://charts.example.com
            chart: ingress
            targetRevision: 4.11.3
            helm:
              releaseName: ingress  # <- here
          destination:
            server: https://kubernetes.default.svc
            namespace: ingress
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: ingress
      namespace: argocd
    spec:
      generators:
        - list:
            elements:
              - env: dev
              - env: prod
      template:
        metadata:
          name: ingress-{{env}}
        spec:
          project: default
          source:
            repoURL: https://charts.example.com
            chart: ingress
            targetRevision: 4.11.3
            helm:
              releaseName: ingress
          destination:
            server: https://kubernetes.default.svc
            namespace: ingress-{{env}}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Confidence, Finding, Moment, Node, Repo, Severity, by_line, listed, regex, rule
from ...linter.argocd.applications import Application, Source
from ...linter.dialects.spelling import is_placeholder

RENAMED: Final = regex(r"(?i)name_?override|namespace_?override|prefix")
"""By which a chart calls its objects otherwise, or puts them elsewhere."""


class Release(NamedTuple):
    repository: str
    chart: str
    name: str
    cluster: str
    namespace: str


class Installed(NamedTuple):
    application: Application
    source: Source

    @property
    def place(self) -> Node:
        field = "helm/releaseName" if self.source.tool("helm").get("releaseName") else "chart"
        return self.application.place(f"{self.source.pointer}/{field}")


@rule("GL609", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    releases: dict[Release, list[Installed]] = {}
    for app in repo.applications:
        for release, installed in _releases(app):
            releases.setdefault(release, []).append(installed)
    found = [
        (second.place, (release, first, second))
        for release, (first, *others) in releases.items()
        for second in others
        if _are_one(repo, first, second)
    ]
    for place, several in by_line(found):
        release, first, _ = several[0]
        seconds = list(dict.fromkeys(repr(second.application.name) for _, _, second in several))
        yield Finding(
            place,
            headline=f"{first.application} and {listed(seconds)} install chart {release.chart!r} as one release",
            happens=f"Both make the same objects in {release.namespace!r}: each sync of one undoes the other.",
            do="Give one another releaseName or namespace, or keep one Application.",
            confidence=Confidence.MEDIUM,
        )


def _releases(app: App) -> Iterator[tuple[Release, Installed]]:
    application = app.certain_application
    if application is None or not application.destination.cluster:
        return
    to = application.destination
    for one in app.rendered:
        source = one.source
        name = str(source.tool("helm").get("releaseName") or application.name)
        named = (source.repo_url, source.chart, name, to.cluster, to.namespace)
        if source.chart and not one.resources and not one.failures and not any(map(is_placeholder, named)):
            yield Release(*named), Installed(application, source)


def _are_one(repo: Repo, first: Installed, second: Installed) -> bool:
    one, other = first.application, second.application
    if one.name == other.name or not repo.deploy_to_one_cluster(one, other):
        return False
    helm, also = first.source.tool("helm"), second.source.tool("helm")
    if helm.get("valueFiles") != also.get("valueFiles"):
        return False
    return not RENAMED.search(f"{dict(helm)} {dict(also)}")
