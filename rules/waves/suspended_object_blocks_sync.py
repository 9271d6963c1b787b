"""A suspended or paused object keeps the sync waiting for ever.

A Job with suspend: true, a Deployment or Rollout with paused: true, a suspended Flux
object: Argo CD calls their health Suspended, which is neither success nor failure. A
sync that goes on to a later wave, or to PostSync hooks, waits for it, and so does one
that runs the object as a hook. It has no time limit, and while it waits no other sync
of the Application starts.

In the last wave of a sync without later hooks nothing is waited for, and the rule is
silent. A suspended CronJob counts as healthy. Where the settings of Argo CD in the
repository have a health check of their own for the kind, nothing is said.

Fix: take the field out, move the object into the last wave, or keep it out of the
sync until it is to run.

See: argo-cd#25054, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: import
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    spec:
      suspend: true  # <- here
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: import
      annotations:
        argocd.argoproj.io/sync-wave: "1"
    spec:
      suspend: true
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.argo.waiting import wait_for
from ...linter.model import Repo, by_line
from ...linter.resource import Resource
from ...linter.rule import Finding, Severity, rule
from ...linter.source import Node


@rule("GL206", Severity.WARNING)
def check(repo: Repo) -> Iterator[Finding]:
    for field, found in by_line(_stuck(repo)):
        resource, where = found[0]
        role = f"hook {resource} of" if resource.is_hook else f"{resource} in"
        yield Finding(
            field,
            f"{role} {where} has {field.key}: true, so its health stays Suspended; Argo CD waits for it, and the sync"
            " never ends",
        )


def _stuck(repo: Repo) -> Iterator[tuple[Node, tuple[Resource, str]]]:
    for app in repo.apps:
        for task in app.plan.tasks:
            resource = task.resource
            field = _field(resource)
            if field is None or resource.patched or repo.overrides_health(resource.group, resource.kind):
                continue
            wait = wait_for(resource)
            if wait is not None and wait.stuck and app.awaits(resource):
                yield field, (resource, str(task.slot))


def _field(resource: Resource) -> Node | None:
    spec = resource["spec"]
    fields = (spec[key] for key in ("suspend", "paused"))
    return next((field for field in fields if field.value is True), None)
