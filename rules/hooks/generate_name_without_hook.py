"""An object with generateName that is no hook cannot be applied.

Argo CD gives a hook without a name one that it makes of generateName, anew for every sync.
For all other objects it asks the API server to apply them, and that needs a name: "cannot
use generate name with apply". The sync fails, also after a retry.

With Replace=true the object is created instead, once more with every sync, and none of
them is ever compared or pruned: a warning. Where no Application is seen to sync it, it is a
note: `kubectl create` takes such objects.

Fix: give it a name, or make it a hook.

See: argo-cd#1639, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      generateName: migrate-  # <- here
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      generateName: migrate-
      annotations:
        argocd.argoproj.io/hook: Sync
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: migrate
              image: shop:1.4
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Repo, Resource, Severity, rule


@rule("GL112", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if resource.generate_name and not resource.name and not resource.is_hook and not resource.patched:
            is_synced = any(app.application or app.template for app in repo.apps_with(resource))
            yield _finding(resource, is_created=_is_created(repo, resource), is_synced=is_synced)


def _is_created(repo: Repo, resource: Resource) -> bool:
    options = repo.options_of(resource)
    return all(one.replace for one in options)


def _finding(resource: Resource, *, is_created: bool, is_synced: bool) -> Finding:
    """What no Application is seen to sync is most often for `kubectl create`."""
    if is_created:
        happens = "With Replace=true every sync creates one more, and Argo CD compares and prunes none of them."
    else:
        happens = 'It cannot be applied ("cannot use generate name with apply"), and every sync fails.'
    return Finding(
        resource.metadata["generateName"],
        headline=f"{resource} has a generateName, no name, and is no hook",
        happens=happens,
        do="Give it a name, or make it a hook.",
        severity=Severity.WARNING if is_created else None if is_synced else Severity.NOTE,
    )
