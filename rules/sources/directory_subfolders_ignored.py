"""A folder whose manifests all lie in subfolders yields nothing without recurse.

A source that is a plain folder is read without its subfolders unless directory.recurse is set.
Where the folder itself has no manifest, the Application has no objects: it is Synced and
Healthy, and nothing is deployed.

Fix: set directory.recurse: true, or name the folder that is meant. The fix offered sets it; it
is unsafe, since all that is in the subfolders is then applied.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/directory/

Bad:
    # app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # shop/settings/a.yaml
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
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
        directory:
          recurse: true
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    # shop/settings/a.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Repo, Severity, by_line, rule
from ...linter.argocd.applications import Application, Source


class Shallow(NamedTuple):
    application: Application
    source: Source
    below: str


@rule("GL705", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    files = sorted({resource.file.path for resource in repo.resources if not resource.built})
    for place, found in by_line(one for app in repo.applications for one in _shallow(app, files)):
        first = found[0]
        yield Finding(
            place,
            headline=f"{first.application} reads {first.source.path} without its subfolders, and all is in those",
            happens=f"It has no objects, and is Synced and Healthy all the same; {first.below} is never applied.",
            do="Set directory.recurse: true, or name the folder that is meant.",
            fixes=_fixes(first) if len(found) == 1 else (),
        )


def _shallow(app: App, files: list[str]) -> Iterator[tuple[Node, Shallow]]:
    application = app.certain_application
    if application is None:
        return
    for one in app.rendered:
        if one.tool != "directory" or not one.path or one.resources or one.failures or one.missing or one.unresolved:
            continue
        directory = one.source.tool("directory")
        if directory.get("recurse") or directory.get("include") or one.source.ref:  # it is there for its value files
            continue
        prefix = "" if one.path == "." else f"{one.path}/"
        below = next((path for path in files if path.startswith(prefix) and "/" in path.removeprefix(prefix)), "")
        if below:
            yield application.place(f"{one.source.pointer}/path"), Shallow(application, one.source, below)


def _fixes(one: Shallow) -> tuple[Fix, ...]:
    recurse = one.application.field(f"{one.source.pointer}/directory/recurse")
    return (Fix("set directory.recurse: true", recurse.set(True)),) if recurse is not None else ()
