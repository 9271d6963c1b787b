"""Chart.lock does not belong to the dependencies in Chart.yaml, so they cannot be fetched.

When a dependency of a chart is not in charts/, Argo CD runs `helm dependency build`. That
compares the digest in Chart.lock with Chart.yaml and stops if they differ: "the lock
file (Chart.lock) is out of sync with the dependencies file (Chart.yaml)". Nothing of the
Application is synced until both fit again. It happens when somebody changes a
dependency by hand, be it only its condition or an alias, and forgets the lock.

The digest is computed as Helm does, also that of Helm 2 for requirements.lock. Where it
cannot be (repositories by name, @name or alias:name), names and versions are compared.
Charts whose dependencies are all in charts/ are left alone, since nothing is fetched for
them. A chart that no Application renders, in a repository whose Applications are known,
is a warning.

Fix: run `helm dependency update` in the folder of the chart, and commit the lock.

See: argo-cd#3682, argo-cd#16725, https://helm.sh/docs/helm/helm_dependency_build/

Bad:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    dependencies:
      - name: redis
        version: 20.1.0  # <- here
        repository: https://charts.example.com
    ---
    # Chart.lock
    dependencies:
      - name: redis
        repository: https://charts.example.com
        version: 19.0.0
    digest: sha256:0000000000000000000000000000000000000000000000000000000000000000
Good:
    # Chart.yaml
    apiVersion: v2
    name: shop
    version: 1.4.2
    dependencies:
      - name: redis
        version: 20.1.0
        repository: https://charts.example.com
    ---
    # Chart.lock
    dependencies:
      - name: redis
        repository: https://charts.example.com
        version: 20.1.0
    digest: sha256:53628493657743f57aa45566f4523851f9b3fc5a159ada453e982036dee24186
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Severity, rule
from ...linter.dialects.semver_ranges import satisfies
from ...linter.helm.chart import Chart
from ...linter.helm.lock_digest import is_current


@rule("GL739", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for chart in repo.charts.rendered:
        lock = chart.lock
        if lock is None or not chart.not_vendored:
            continue
        current = is_current(chart, lock)
        difference = _difference(chart, lock)
        if current is True or (current is None and difference is None):
            continue
        at, what = difference or (lock["digest"], "its digest is of other dependencies")
        fetched = ", ".join(one.name for one in chart.not_vendored[:3])
        name = lock.file.path.rpartition("/")[2]
        related = (Note(lock["digest"], "the lock"),) if difference else ()
        severity = Severity.ERROR if repo.charts.renders(chart) else Severity.WARNING
        confidence = Confidence.HIGH if current is False else Confidence.MEDIUM
        yield Finding(
            at,
            headline=f"{name} of chart {chart.name!r} is out of date: {what}",
            happens=f"helm dependency build, by which Argo CD fetches {fetched}, refuses that: nothing is synced.",
            do="Run helm dependency update, and commit the lock.",
            related=related,
            severity=severity,
            confidence=confidence,
        )


def _difference(chart: Chart, lock: Node) -> tuple[Node, str] | None:
    """The first dependency that the lock has otherwise, and how."""
    locked = list(lock["dependencies"])
    for number, dependency in enumerate(chart.dependencies):
        entry = locked[number] if number < len(locked) else None
        if entry is None or entry["name"].text != dependency.name:
            return dependency.node["name"], f"{dependency.name!r} is not locked, or in another place of the list"
        version = entry["version"].text
        if satisfies(version, dependency.version) is False:
            return dependency.node["version"], f"{dependency.name!r} is locked to {version}"
        repository = entry["repository"].text
        if repository != dependency.repository and not dependency.repository.startswith(("@", "alias:")):
            return dependency.node["repository"], f"{dependency.name!r} is locked to the repository {repository!r}"
    if len(locked) > len(chart.dependencies):
        extra = locked[len(chart.dependencies)]
        return extra["name"], f"{extra['name'].text!r} is locked and is no dependency any more"
    return None
