"""A kustomization inflates a Helm chart, which Argo CD's Kustomize refuses unless told otherwise.

helmCharts, helmChartInflationGenerator and a generator of the kind
HelmChartInflationGenerator need the flag --enable-helm, or --enable-alpha-plugins,
which switches charts on as well. Argo CD passes it only if kustomize.buildOptions in
argocd-cm says so; else the build fails ("must specify --enable-helm") and nothing of
the Application is synced.

An error if the repository shows build options without the flag and one of its
Applications builds the kustomization (a note if others are known and none does, a warning
if there is none at all), silent if it shows them with it, and else a note: argocd-cm may
be kept elsewhere. Build options are found
in argocd-cm, patches of it, values of Argo CD's chart, and the ArgoCD object of its
operator. Kustomizations that only a config management plugin builds do not count, nor those
in the folder of another that has nothing to do with them: scripts build these, and what
they print is in git.

Fix: set kustomize.buildOptions: --enable-helm in argocd-cm, or make the chart a source
of its own in the Application.

See: dag-andersen/argocd-diff-preview#391, https://argo-cd.readthedocs.io/en/stable/user-guide/kustomize/

Bad:
    # kustomization.yaml
    helmCharts:  # <- here
      - name: redis
        repo: https://charts.example.com
        version: 1.2.3
Good:
    # kustomization.yaml
    helmCharts:
      - name: redis
        repo: https://charts.example.com
        version: 1.2.3
    ---
    # argocd-cm.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
      namespace: argocd
    data:
      kustomize.buildOptions: --enable-helm
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from ...linter.api import Cause, Confidence, Finding, Moment, Node, Note, Repo, Severity, rule
from ...linter.kustomize.outline import Outline

INFLATION: Final = "HelmChartInflationGenerator"


@rule("GL718", Severity.ERROR, Moment.SYNC, any_tool=False)
def check(repo: Repo) -> Iterator[Finding]:
    options = repo.argocd.settings.build_options
    if options.enables_helm:
        return
    built = {folder for build in repo.kustomize.used_builds for folder in build.folders}
    used = {
        one for build in repo.kustomize.used_builds if id(build) in repo.kustomize.users_of for one in build.folders
    }
    unused = Severity.NOTE if repo.kustomize.others_are_known else Severity.WARNING
    for kustomization in repo.kustomize.by_folder.values():
        place = _chart(repo, kustomization)
        if place is None or kustomization.folder not in built:
            continue
        if kustomization.folder not in used and _is_an_input(repo, kustomization.folder):
            continue
        if options.shown_at is not None:
            yield Finding(
                place,
                headline="this kustomization has a chart, and the build options lack --enable-helm",
                happens='The build fails ("must specify --enable-helm"), and nothing of the Application is synced.',
                do="Add --enable-helm to kustomize.buildOptions in argocd-cm.",
                related=(Note(options.shown_at, "the build options are here"),),
                severity=None if kustomization.folder in used else unused,
                cause=Cause("build options", "{count} kustomizations have charts, and the options lack --enable-helm"),
            )
        else:
            yield Finding(
                place,
                headline="this kustomization has a chart, and the build options of Argo CD are not in this repository",
                happens="The build fails unless kustomize.buildOptions in argocd-cm has --enable-helm.",
                do="See to it that argocd-cm has the option.",
                severity=Severity.NOTE,
                confidence=Confidence.LOW,
                cause=Cause("argocd-cm", "{count} kustomizations have charts, which need --enable-helm in argocd-cm"),
            )


def _is_an_input(repo: Repo, folder: str) -> bool:
    """It lies in a kustomization that has no part in it: a script builds it, and what it makes is in git."""
    around = posixpath.dirname(folder) or "."
    if folder == "." or around not in repo.kustomize.by_folder:
        return False
    return not any({folder, around} <= set(build.folders) for build in repo.kustomize.used_builds)


def _chart(repo: Repo, kustomization: Outline) -> Node | None:
    """Where a chart is asked for."""
    root = kustomization.root
    for field in ("helmCharts", "helmChartInflationGenerator"):
        if root[field].is_sequence and root[field].value:
            return root[field]
    return next((entry for entry in root["generators"] if _inflates(repo, kustomization.folder, entry.text)), None)


def _inflates(repo: Repo, folder: str, generator: str) -> bool:
    """A generator is a file, or its text itself."""
    if "\n" in generator:
        return f"kind: {INFLATION}" in generator
    path = posixpath.normpath(posixpath.join(folder, generator))
    file = repo.paths.reachable.source(path) if repo.paths.reachable is not None else None
    return file is not None and any(document.root["kind"].text == INFLATION for document in file.documents)
