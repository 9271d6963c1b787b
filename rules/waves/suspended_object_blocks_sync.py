"""A suspended or paused object keeps the sync waiting for ever.

A Job with suspend: true, a Deployment or Rollout with paused: true, a suspended Flux
object, a ScaledObject that KEDA is told to pause: Argo CD calls their health Suspended,
which is neither success nor failure. A sync that goes on to a later wave, or to PostSync
hooks, waits for it, and so does one that runs the object as a hook. It has no time
limit, and while it waits no other sync of the Application starts.

A Rollout with a canary pause without a duration, or without automatic promotion, is a
note: its first installation goes through, and every update is Suspended until somebody
promotes it.

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
from typing import NamedTuple

from ...linter.api import Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.keda_pause import paused_scaling
from ...linter.argocd.waits import wait_for


class Halt(NamedTuple):
    resource: Resource
    where: str
    for_good: bool
    """Else until somebody promotes it, update by update."""


@rule("GL206", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for field, found in by_line(_halts(repo)):
        halt = found[0]
        role = f"hook {halt.resource} of" if halt.resource.is_hook else f"{halt.resource} in"
        if halt.for_good:
            yield Finding(
                field,
                headline=f"{role} {halt.where} has {field.key}: {field.scalar_text}",
                happens="Its health stays Suspended; Argo CD waits for it, and the sync never ends.",
                do="Let it run, or put it into the last wave.",
            )
        else:
            yield Finding(
                field,
                headline=f"{role} {halt.where} stops here with every update until somebody promotes it",
                happens="Argo CD waits for it, so the sync stays open, and no other one starts.",
                do="Put it into the last wave, or give the pause a duration.",
                severity=Severity.NOTE,
            )


def _halts(repo: Repo) -> Iterator[tuple[Node, Halt]]:
    suspended: dict[int, Node | None] = {}
    """By object: many Applications may have the same."""
    for app in repo.apps:
        for task in app.plan.tasks:
            resource = task.resource
            if id(resource) not in suspended:
                suspended[id(resource)] = _suspended(resource)
            field = suspended[id(resource)]
            by_hand = _promoted_by_hand(resource) if field is None and resource.kind == "Rollout" else None
            place = field or by_hand
            if place is None or resource.patched or repo.argocd.overrides_health(resource.group, resource.kind):
                continue
            wait = wait_for(resource)
            if wait is not None and (wait.stuck or by_hand) and app.awaits(resource):
                yield place, Halt(resource, str(task.slot), field is not None)


def _suspended(resource: Resource) -> Node | None:
    if resource.kind == "ScaledObject":
        return paused_scaling(resource)
    spec = resource["spec"]
    fields = (spec[key] for key in ("suspend", "paused"))
    return next((field for field in fields if field.value is True), None)


def _promoted_by_hand(rollout: Resource) -> Node | None:
    """Where a Rollout waits for a person; its first installation goes through without."""
    strategy = rollout["spec"]["strategy"]
    for step in strategy["canary"]["steps"]:
        if step["pause"].present and step["pause"]["duration"].absent:
            return step["pause"]
    blue_green = strategy["blueGreen"]
    automatic = blue_green["autoPromotionEnabled"]
    return automatic if automatic.value is False and blue_green["autoPromotionSeconds"].absent else None
