"""A chart takes any version of a dependency within a range, so that it changes without a commit.

Where a dependency is not in charts/, Argo CD has Helm fetch it when it renders the chart
for a new commit, or after its cache has expired. With a range (^1.2.0, 1.x, *) and
without Chart.lock that is the newest version of that day: the manifests change although
nothing in git did, and two clusters may get two versions.

Dependencies that are in charts/, and those of this repository (file://), are left alone.

Fix: name one version, or run `helm dependency update` and commit Chart.lock.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    dependencies:
      - name: redis
        version: ^20.1.0  # <- here
        repository: https://charts.example.com
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    dependencies:
      - name: redis
        version: 20.1.0
        repository: https://charts.example.com
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Repo, Severity, rule
from ...linter.dialects.semver_ranges import is_exact
from ...linter.dialects.spelling import is_placeholder


@rule("GL740", Severity.NOTE, Moment.UPGRADE)
def check(repo: Repo) -> Iterator[Finding]:
    for chart in repo.charts.rendered:
        if chart.lock is not None:
            continue
        for dependency in chart.not_vendored:
            version = dependency.node["version"]
            if dependency.local_path is not None or not dependency.repository:
                continue
            if not is_exact(version.text) and not is_placeholder(version.text) and not version.is_mapping:
                what = f"any version {version.text}" if version.text else "any version"
                yield Finding(
                    version if version.present else dependency.node["name"],
                    headline=f"chart {chart.name!r} takes {what} of {dependency.name!r}, without a Chart.lock",
                    happens="Which one it is, is decided whenever Argo CD fetches it, and not in git.",
                    do="Write one version, or commit a Chart.lock.",
                )
