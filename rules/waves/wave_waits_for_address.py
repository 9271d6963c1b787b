"""A later wave waits until an Ingress or a load balancer has an address.

Argo CD calls an Ingress, and a Service of type LoadBalancer, healthy once its status
has an address. In a wave that is not the last, or with PostSync hooks behind it, the
sync waits for that. Where a controller publishes the address, as the clouds' do, this
takes moments. Where nobody does (an ingress controller that does not publish its
service, no load balancer on bare metal, a class without a controller), the sync waits
for ever, and later waves and hooks never run.

The files do not show which of the two it is, so this is a note. Nothing is said where
the settings of Argo CD in the repository have a health check of their own for the
kind.

Fix: put the object into the last wave, unless something later needs the address.

See: argo-cd#14607, argo-cd#1704, argo-cd#997, https://argo-cd.readthedocs.io/en/stable/faq/

Bad:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-wave: "-1"  # <- here
    spec:
      type: LoadBalancer
      ports:
        - port: 443
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      type: LoadBalancer
      ports:
        - port: 443
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.sync_order import Plan, Slot, Task
from ...linter.kubernetes.annotations.hooks import PHASES

INGRESSES: Final = ("networking.k8s.io/Ingress", "extensions/Ingress")


@rule("GL207", Severity.NOTE, Moment.INSTALL, of_fetched=False)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_waiting(repo)):
        task, later = found[0]
        yield Finding(
            place,
            headline=f"{task.resource} in {task.slot} needs an address before {later.slot} begins",
            happens=f"If no controller gives it one, the sync never gets to {later.resource}.",
            do="Put it into the last wave, if its address is not sure.",
            related=(Note(later.resource.wave_place, f"{later.resource} waits for it"),),
            confidence=Confidence.LOW,
        )


def _waiting(repo: Repo) -> Iterator[tuple[Node, tuple[Task, Task]]]:
    for app in repo.apps:
        for task in app.plan.tasks:
            resource = task.resource
            if not _needs_an_address(resource) or resource.is_hook or resource.patched:
                continue
            later = _first_after(app.plan, task.slot)
            if later is not None and not repo.argocd.overrides_health(resource.group, resource.kind):
                yield resource.wave_place, (task, later)


def _needs_an_address(resource: Resource) -> bool:
    if resource.group_kind == "Service":
        return resource["spec"]["type"].text == "LoadBalancer"
    return resource.group_kind in INGRESSES


def _first_after(plan: Plan, slot: Slot) -> Task | None:
    later = (task for task in plan.tasks if task.slot > slot)
    return next((task for task in later if PHASES[task.slot.phase] != "SyncFail"), None)
