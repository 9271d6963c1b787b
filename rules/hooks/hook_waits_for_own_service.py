"""A PreSync hook calls a Service that its own Application applies only after it.

A PreSync hook runs before every ordinary object. A Job that waits for the database, or calls an
address of the application, and finds the Service and the pods behind it in the very same
Application, waits for something that Argo CD applies only once the Job is done. On the first
install neither moves: the Job polls until its deadline, or fails at once and the sync with it.
Later syncs find what an earlier one left behind, so the fault sleeps until the next new cluster.

The calls are read from commands, arguments and variables, and only forms that are surely hosts
count: an URL, host:port, the word after an option like -h, a full Service name. An address that
comes from a ConfigMap or a Secret is not seen. Nothing is said where another Application of the
repository has the same Service, too.

Fix: make it a Sync hook in a wave after the Service and its pods, or a PostSync hook; or put what
it calls into an Application that is synced before.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, argo-cd#9891

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
              command: [sh, -c, "until pg_isready -h shop-db; do sleep 1; done; migrate"]  # <- here
    ---
    apiVersion: v1
    kind: Service
    metadata:
      name: shop-db
    spec:
      selector:
        app: shop-db
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: Sync
        argocd.argoproj.io/sync-wave: "1"
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
              command: [sh, -c, "until pg_isready -h shop-db; do sleep 1; done; migrate"]
    ---
    apiVersion: v1
    kind: Service
    metadata:
      name: shop-db
    spec:
      selector:
        app: shop-db
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...linter.api import App, Confidence, Finding, Moment, Note, Repo, Resource, Severity, rule
from ...linter.argocd.late_references import Late, by_line


@rule("GL106", Severity.WARNING, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    for app in repo.apps:
        for found in by_line(late for late in app.late if _is_ours(late)):
            if not any(_is_elsewhere_too(late.reference.provider, app, repo) for late in found):
                yield _finding(found)


def _is_ours(late: Late) -> bool:
    reference = late.reference
    is_call = reference.guessed and not reference.made
    return late.crosses_phases and late.needed.phase_name == "PreSync" and is_call and reference.consumer.is_hook


def _is_elsewhere_too(service: Resource, app: App, repo: Repo) -> bool:
    """Whether another Application brings the very same object."""
    identity = app.identity(service)
    if identity is None or service.group_kind != "Service":
        return False
    return any(
        other.identity(resource) == identity
        for other in repo.applications
        if other is not app
        for resource in other.resources
        if resource.kind == service.kind and resource.name == service.name
    )


def _finding(found: Sequence[Late]) -> Finding:
    late = found[0]
    consumer, later = late.reference.consumer, late.applied.phase_name
    via = late.reference.via
    come = "come" if len(found) > 1 else "comes"
    targets = " and ".join(dict.fromkeys(each.reference.target for each in found))
    untils = " and ".join(dict.fromkeys(each.reference.until for each in found))
    return Finding(
        late.reference.at,
        headline=f"{consumer} is a PreSync hook, but {targets} {come} only in {later}",
        happens=f"{via[0].upper()}{via[1:]}; on the first sync {untils}, and unless the hook can do without, the sync"
        " never gets past PreSync.",
        do=f"Make it a {later} hook of a later wave.",
        related=tuple(Note(each.reference.provider.wave_place, each.whereabouts) for each in found),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        never_heals=True,
    )
