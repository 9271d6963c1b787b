"""A chart depends on a chart of this repository that is not there, or not in that version.

Before it renders, Helm wants every dependency of Chart.yaml in charts/, also those that
a condition switches off. If one is missing, Argo CD runs `helm dependency build`. For a
dependency with a file:// repository that means a folder, counted from the chart's own;
if there is none, if it leads out of the repository, if the chart in it has another name
or a version that the dependency does not take, the Application shows a ComparisonError
and nothing of it is synced. A dependency without a repository has to be in charts/.

Dependencies from elsewhere (https://, oci://) are fetched by Argo CD, and nobody can
tell from the files whether that works; they are left alone. So is what is in charts/
already, as a folder or as an archive. A chart that no Application renders, in a
repository whose Applications are known, is a warning.

Fix: correct the path or the version, or bring the chart back.

See: argo-cd#3280, https://helm.sh/docs/helm/helm_dependency/

Bad:
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    dependencies:
      - name: base
        version: 1.x
        repository: file://../bases  # <- here
    ---
    # charts/base/Chart.yaml
    apiVersion: v2
    name: base
    version: 1.0.3
Good:
    # charts/shop/Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    dependencies:
      - name: base
        version: 1.x
        repository: file://../base
    ---
    # charts/base/Chart.yaml
    apiVersion: v2
    name: base
    version: 1.0.3
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Severity, rule
from ...linter.dialects.semver_ranges import satisfies
from ...linter.dialects.spelling import is_placeholder
from ...linter.helm.chart import Chart
from ...linter.helm.dependencies import Dependency

EFFECT: Final = "Argo CD cannot generate the manifests of whatever renders this chart"


@rule("GL738", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    if not repo.whole:
        return
    for chart in repo.charts.rendered:
        for dependency in chart.not_vendored:
            fault = _fault(chart, dependency, repo)
            if fault is None or is_placeholder(dependency.repository) or is_placeholder(dependency.version):
                continue
            at, what, folder = fault
            severity = Severity.ERROR if repo.charts.renders(chart) else Severity.WARNING
            is_open = folder in repo.paths.empty_folders
            unless = ", unless a submodule that is not checked out here brings it" if is_open else ""
            yield Finding(
                at,
                headline=what,
                happens=f"{EFFECT}{unless}.",
                do="Correct the dependency, or bring the chart back.",
                severity=Severity.NOTE if is_open else severity,
                confidence=Confidence.LOW if is_open else Confidence.HIGH,
            )


def _fault(chart: Chart, dependency: Dependency, repo: Repo) -> tuple[Node, str, str] | None:
    name, written = dependency.name, dependency.local_path
    if written is None:
        if dependency.repository:
            return None
        folder = chart.path(f"charts/{name}")
        what = f"the dependency {name!r} has no repository, and there is no {folder}"
        return dependency.node["name"], what, folder
    at = dependency.node["repository"]
    folder = posixpath.normpath(posixpath.join(chart.folder, written))
    if written.startswith("/") or folder == ".." or folder.startswith("../"):
        return at, f"the dependency {name!r} is taken from {written!r}, which leads out of the repository", folder
    target = repo.charts.by_folder.get(folder)
    if target is None:
        if repo.paths.has_file(posixpath.join(folder, "Chart.yaml")):
            return None  # not read in this run, or broken: told elsewhere
        near = repo.paths.nearest_path(folder)
        hint = f" (there is {near})" if near in repo.charts.by_folder and near != folder else ""
        return at, f"the dependency {name!r} is taken from {folder}, and there is no chart{hint}", folder
    if target.name and target.name != name:
        what = f"the dependency {name!r} is taken from {folder}, but the chart there is called {target.name!r}"
        return dependency.node["name"], what, folder
    if dependency.version and satisfies(target.version, dependency.version) is False:
        what = f"the dependency {name!r} wants version {dependency.version}, but {folder} has {target.version}"
        return dependency.node["version"], what, folder
    return None
