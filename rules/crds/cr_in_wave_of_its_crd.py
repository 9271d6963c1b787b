"""A custom resource is applied in the same wave as its definition, which may not be ready.

When both are in one Application, Argo CD applies the CRD before the first object of its kind,
even if the CRD's own wave comes later: it is then pulled forward into that object's phase and
wave. After the apply Argo CD asks for up to three seconds whether the CRD is Established; a
time-out is only logged, and on a slow API server the custom resource is refused with "no
matches for kind". Nothing waits for the controller or the webhooks behind the CRD either.
Across waves it is different: since Argo CD 3.0 a CRD has a health check, so what is in a later
wave starts when the CRD is Established. A retry usually hides the failure, and an existing
cluster never shows it.

CRDs that another Application or an operator brings are not looked at here, nor are Argo CD's
own: where it runs they are there.

Fix: put the custom resource into a later wave than its CRD. The fix offered is unsafe, since
other objects may count on the custom resource's wave.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, argo-cd#2873

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names:
        kind: Backup
        plural: backups
      scope: Namespaced
      versions: []
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
      annotations:
        argocd.argoproj.io/sync-wave: "0"  # <- here
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: backups.shop.example.com
    spec:
      group: shop.example.com
      names:
        kind: Backup
        plural: backups
      scope: Namespaced
      versions: []
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
      annotations:
        argocd.argoproj.io/sync-wave: "1"
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.argo.hooks import WAVE
from ...linter.argo.plan import Slot
from ...linter.model import App
from ...linter.references import Order
from ...linter.resource import Resource
from ...linter.rule import Finding, Fix, Note, Severity, rule

ARGO_CD_KINDS = frozenset(("argoproj.io/Application", "argoproj.io/ApplicationSet", "argoproj.io/AppProject"))


@rule("GL301", Severity.WARNING)
def check(app: App) -> Iterator[Finding]:
    for resource in app.resources:
        crd = app.crd_of(resource)
        if crd is None or resource.patched or crd.patched or resource.group_kind in ARGO_CD_KINDS:
            continue
        slot = app.plan.slot(resource)
        if slot is not None and slot == app.plan.slot(crd):
            yield Finding(
                resource.wave_place,
                _message(resource, crd, slot),
                fixes=_fixes(resource, crd, app),
                related=(Note(crd["kind"], "its definition is here"),),
            )


def _message(resource: Resource, crd: Resource, slot: Slot) -> str:
    return (
        f"{resource} is applied in {slot}, and so is its definition{_pulled(crd, slot)}; Argo CD applies the CRD "
        f"first but polls for at most 3 s until it is Established, and waits for no controller or webhook behind it, "
        f"so the {resource.kind} can be refused; {_better(resource)}"
    )


def _pulled(crd: Resource, slot: Slot) -> str:
    if slot.phase_name not in crd.hook.phases:
        return f", pulled forward from {crd.hook.phases[0]}"
    return f", pulled forward from wave {crd.wave}" if crd.wave != slot.wave else ""


def _better(resource: Resource) -> str:
    if resource.versions.lacks("crd-health"):
        return "a later wave gives it more time"
    return "in a later wave it is applied once the CRD is Established (Argo CD 3.0 and newer)"


def _fixes(resource: Resource, crd: Resource, app: App) -> tuple[Fix, ...]:
    # What others wait for cannot simply come later.
    is_needed = any(each.order is not Order.NEVER for each in app.graph.to(resource))
    if resource.is_hook or crd.is_hook or is_needed:
        return ()
    # The CRD's own wave counts: from a lower one it would only be pulled forward again.
    wave = crd.wave + 1
    return (Fix(f"put {resource} into wave {wave}", resource.annotation(WAVE).set(str(wave)), safe=False),)
