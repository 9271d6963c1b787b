"""Sync waves of child Applications do nothing: Argo CD does not wait for their health.

In an app of apps, waves on the children are meant to say: first the operators, then
what needs them. But since Argo CD 1.8 the kind Application has no health check. A
child counts as done as soon as its Application object is applied, so the next wave
follows two seconds later, while the first child has hardly begun to sync. Everything
starts at once, and what needed the order fails on a new cluster.

The check can be given back in the settings of Argo CD. The rule looks for it in the
whole repository: in argocd-cm and its patches, in values of Argo CD's chart, in the
ArgoCD object of the operator. It cannot see settings that live elsewhere; if yours
do, ignore the rule in the config. Where a single child has a wave, and it is one that only comes last,
little hangs on the order: a note.

Fix: add the health check for argoproj.io/Application to the settings (the page below
has its text), or order the children with an ApplicationSet and RollingSync. If the
order does not matter, leave the waves out.

See: argo-cd#5585, argo-cd#4577, argo-cd#6411, https://argo-cd.readthedocs.io/en/stable/operator-manual/health/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cert-manager
      annotations:
        argocd.argoproj.io/sync-wave: "-1"  # <- here
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: cert-manager
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: argocd-cm
    data:
      resource.customizations.health.argoproj.io_Application: |
        hs = { status = "Progressing", message = "" }
        if obj.status ~= nil and obj.status.health ~= nil then
          hs.status = obj.status.health.status
          hs.message = obj.status.health.message
        end
        return hs
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...linter.api import App, Cause, Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.applications import GROUP
from ...linter.argocd.sync_order import Task

KEY: Final = "resource.customizations.health.argoproj.io_Application"


class Ordered(NamedTuple):
    """The first child of an app, and the first of those that are to come later."""

    app: App
    first: Task
    later: Task
    is_meant: bool
    """Whether more is ordered than one that comes last."""


@rule("GL204", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    if repo.argocd.overrides_health(GROUP, "Application"):
        return
    sees_settings = any(_is_settings(resource) for resource in repo.resources)
    unless = "" if sees_settings else ", unless settings outside this repository do"
    for place, found in by_line(_ordered(repo)):
        app, first, later, _ = found[0]
        below = f" below {app.application}" if app.application else ""
        other = later if first.slot.wave else first
        yield Finding(
            place,
            headline=f"Argo CD does not wait for {first.resource} before {later.resource}",
            happens=f"Their waves{below} ({first.slot.wave}, {later.slot.wave}) start two seconds apart: nothing tells"
            f" Argo CD the health of Applications{unless}.",
            do=f"Set {KEY} in argocd-cm, or leave the waves out.",
            related=(Note(other.resource.wave_place, f"{other.resource} is in wave {other.slot.wave}"),),
            severity=Severity.WARNING if any(one.is_meant for one in found) else Severity.NOTE,
            confidence=Confidence.HIGH if sees_settings else Confidence.MEDIUM,
            cause=Cause(KEY, "Argo CD does not wait between waves of Applications, at {count} places"),
        )


def _ordered(repo: Repo) -> Iterator[tuple[Node, Ordered]]:
    for app in repo.apps:
        own = app.application.resource if app.application else None
        children = [
            task
            for task in app.plan.tasks
            if task.resource.kind == "Application" and task.resource.group == GROUP and task.resource is not own
        ]
        if not children or any(task.resource.patched for task in children):
            continue
        later = next((task for task in children if task.slot > children[0].slot), None)
        if later is not None:
            # Wave 0 is seldom written: the other one is the line to look at.
            place = children[0].resource.wave_place if children[0].slot.wave else later.resource.wave_place
            yield place, Ordered(app, children[0], later, _is_meant(children))


def _is_meant(children: Sequence[Task]) -> bool:
    waves = [task.slot.wave for task in children if task.slot.wave]
    return len(waves) > 1 or min(waves, default=0) < 0


def _is_settings(resource: Resource) -> bool:
    return (resource.kind == "ConfigMap" and resource.name == "argocd-cm") or (
        resource.kind == "ArgoCD" and resource.group == GROUP
    )
