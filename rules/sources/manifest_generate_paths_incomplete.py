"""manifest-generate-paths leaves out files that the manifests are made of.

The annotation argocd.argoproj.io/manifest-generate-paths says where the files of an
Application lie. A commit that touches none of these paths does not refresh it: Argo CD
moves on to the new revision with the manifests that it has in its cache. Paths are counted
from the source's folder (`.`, `../base`), or from the root with a slash before them.

Reported is a folder of this repository that the kustomization or chart really reads, and that
no path covers: a base outside the overlay, a file of values beside the chart. What changes
there reaches the cluster with the next commit that touches one of the paths, or when the cache
expires, a day later.

Fix: add the folder, after a semicolon. The fix offered is safe: more commits refresh the
Application.

See: argo-cd#19275, argo-cd#19756, https://argo-cd.readthedocs.io/en/stable/operator-manual/high_availability/

Bad:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
      annotations:
        argocd.argoproj.io/manifest-generate-paths: .  # <- here
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: overlays/prod
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # overlays/prod/kustomization.yaml
    resources:
      - ../../base
    # base/kustomization.yaml
    resources:
      - settings.yaml
    # base/settings.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
Good:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
      annotations:
        argocd.argoproj.io/manifest-generate-paths: .;/base
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: overlays/prod
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # overlays/prod/kustomization.yaml
    resources:
      - ../../base
    # base/kustomization.yaml
    resources:
      - settings.yaml
    # base/settings.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Repo, Severity, and_more, by_line, listed, rule
from ...linter.argocd.applications import Application
from ...linter.dialects.spelling import is_placeholder
from ...linter.repo.sources.application_sources import Rendered

PATHS: Final = "argocd.argoproj.io/manifest-generate-paths"


class Uncovered(NamedTuple):
    application: Application
    folders: tuple[str, ...]
    value: str


@rule("GL704", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(one for app in repo.applications for one in _uncovered(app)):
        first = found[0]
        others = len(found) - 1
        also = and_more(others, " (and {} more)")
        added = ";".join((first.value.rstrip(";"), *(f"/{folder}" for folder in first.folders)))
        is_plain = not others and place.text == first.value
        yield Finding(
            place,
            headline=f"manifest-generate-paths of {first.application}{also} leaves out {listed(first.folders)}",
            happens="Its manifests are made of files there, and a commit that changes only these is not noticed.",
            do=f"Write {added}." if is_plain else "Add the folders, after a semicolon.",
            fixes=(Fix(f"write {added}", place.set(added), safe=True),) if is_plain else (),
        )


def _uncovered(app: App) -> Iterator[tuple[Node, Uncovered]]:
    application = app.certain_application
    if application is None or application.spec.get("sourceHydrator"):
        return
    metadata = application.value.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    value = annotations.get(PATHS) if isinstance(annotations, dict) else None
    if not isinstance(value, str) or not value.strip(" ;") or is_placeholder(value):
        return
    # A commit is looked for below the paths of every source.
    covered = [path for one in app.rendered for path in _paths(value, one.source.path)]
    outside = {folder for one in app.rendered for folder in _read(one) if not _is_below(folder, covered)}
    if outside:
        pointer = f"/metadata/annotations/{PATHS.replace('/', '~1')}"
        yield application.place(pointer), Uncovered(application, tuple(_outermost(outside)), value)


def _paths(value: str, source: str) -> Iterator[str]:
    for item in filter(None, map(str.strip, value.split(";"))):
        yield posixpath.normpath(item.lstrip("/") or "." if item.startswith("/") else posixpath.join(source, item))


def _read(one: Rendered) -> Iterator[str]:
    """The folders of this repository that have a part in the manifests."""
    if one.build is not None and one.path:
        yield from one.build.folders
        yield from map(posixpath.dirname, one.build.files)
    if one.chart is not None and one.chart.request is not None and one.path:
        yield one.path
        yield from (posixpath.dirname(path) for path in one.chart.request.value_files)


def _is_below(folder: str, covered: Collection[str]) -> bool:
    return any(path == "." or folder == path or folder.startswith(f"{path}/") for path in covered)


def _outermost(folders: Collection[str]) -> list[str]:
    return sorted(one for one in folders if not _is_below(one, [other for other in folders if other != one]))
