"""An object needs another that Argo CD applies only in a later wave or phase.

Argo CD starts a wave when everything in the waves before it is healthy, and a phase when the
phase before it is done. A Deployment in wave 0 whose Secret comes in wave 1 never becomes
healthy on a first install, so wave 1 never starts and the sync hangs until the Deployment's
progress deadline fails it. Phases come before waves: a PreSync hook runs before every
ordinary object, whatever their waves, so the Secret, ConfigMap or ServiceAccount it uses is
missing on the first sync. On a cluster where an earlier sync left the object behind all goes
well, and the next new cluster is where it breaks. Namespaces and CRDs are no problem: Argo CD
pulls them forward to the first object that needs them.

It is an error when the object cannot start without the other and Argo CD waits for its
health; a warning when it only works badly in between, or when the need is read from a host
name; a note when it comes right by itself as soon as the other is there. Optional references
are left out, and so are targets that something earlier also offers.

Fix: give what is needed an earlier wave than what needs it. Across phases make it a hook of
the earlier phase, or move the hook to a later one. The fix offered is unsafe, since other
objects may count on the old wave; it puts a PersistentVolumeClaim into the wave of its pods,
because a claim that waits for its first consumer would block an earlier one.

See: argo-cd#13178, argo-cd#9891, argo-cd#4288, argo-cd#12840

Bad:
    apiVersion: v1
    kind: Secret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "1"
    stringData:
      password: changeme
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
      template:
        metadata:
          labels:
            app: shop
        spec:
          containers:
            - name: shop
              image: shop:1.4
              envFrom:
                - secretRef:
                    name: db  # <- here
Good:
    apiVersion: v1
    kind: Secret
    metadata:
      name: db
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    stringData:
      password: changeme
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
      template:
        metadata:
          labels:
            app: shop
        spec:
          containers:
            - name: shop
              image: shop:1.4
              envFrom:
                - secretRef:
                    name: db
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...linter.argo.hooks import PHASES, WAVE
from ...linter.argo.plan import Plan, Slot
from ...linter.knowledge import has_health_check
from ...linter.model import App
from ...linter.references import Reference
from ...linter.rule import Confidence, Finding, Fix, Note, Severity, rule

SYNC_FAIL = PHASES.index("SyncFail")


class Late(NamedTuple):
    """A reference whose target comes too late, and the two slots."""

    reference: Reference
    needed: Slot
    applied: Slot

    @property
    def severity(self) -> Severity:
        consumer, effect = self.reference.consumer, self.reference.effect
        if effect.blocks and has_health_check(consumer.group, consumer.kind):
            return Severity.ERROR
        return Severity.NOTE if effect.mild else Severity.WARNING


@rule("GL202", Severity.ERROR)
def check(app: App) -> Iterator[Finding]:
    for consumer in app.graph.consumers:
        slot = app.plan.slot(consumer)
        if slot is None or slot.phase == SYNC_FAIL or consumer.patched:
            continue
        by_line: dict[int, dict[int, Late]] = {}
        for offers in app.graph.needs(consumer).values():
            late = _earliest(offers, slot, app.plan)
            if late:
                at = late.reference.at
                line = at.file.position(at.span.start).line
                by_line.setdefault(line, {}).setdefault(id(late.reference.provider), late)
        reported: set[int] = set()
        for line in sorted(by_line):
            found = [late for provider, late in by_line[line].items() if provider not in reported]
            reported.update(by_line[line])
            if found:
                yield _finding(sorted(found, key=lambda late: -late.severity), app)


def _earliest(offers: Sequence[Reference], slot: Slot, plan: Plan) -> Late | None:
    """The offer that is applied first, if even that is after the slot."""
    if any(offer.provider.patched for offer in offers):
        return None
    slots = [(found, index) for index, offer in enumerate(offers) if (found := plan.slot(offer.provider)) is not None]
    applied, index = min(slots, default=(slot, 0))
    return Late(offers[index], slot, applied) if slot < applied and applied.phase != SYNC_FAIL else None


def _finding(found: Sequence[Late], app: App) -> Finding:
    late = found[0]
    related = [Note(each.reference.provider.wave_place, _where(each)) for each in found]
    return Finding(
        late.reference.at,
        _message(late),
        fixes=_fixes(late, app),
        related=tuple(related),
        severity=late.severity,
        confidence=Confidence.MEDIUM if late.reference.guessed else Confidence.HIGH,
    )


def _where(late: Late) -> str:
    makes = f" makes {late.reference.target} and" if late.reference.made else ""
    return f"{late.reference.provider}{makes} is applied in {late.applied}"


def _message(late: Late) -> str:
    consumer, provider = late.reference.consumer, late.reference.provider
    crosses = late.needed.phase != late.applied.phase
    needed = late.needed.phase_name if crosses else str(late.needed)
    applied = late.applied.phase_name if crosses else str(late.applied)
    made = f", which {provider} makes" if late.reference.made else ""
    which = "that" if late.reference.target == str(provider) else str(provider)
    first = "on the first sync" if consumer.is_hook or provider.is_hook else "on a first install"
    if late.severity is Severity.ERROR:
        effect = f"{first} {late.reference.until}, and the sync never gets past {needed}"
    else:
        effect = f"until then {late.reference.until}"
    return (
        f"{consumer} ({needed}) needs {late.reference.target} ({late.reference.via}){made}, "
        f"but {which} is applied only in {applied}: {effect}; {_advice(late)}"
    )


def _advice(late: Late) -> str:
    consumer, provider = late.reference.consumer, late.reference.provider
    before, after = late.needed.phase_name, late.applied.phase_name
    if before == after:
        return f"put {provider} into wave {_better_wave(late)}"
    if not consumer.is_hook:
        return f"waves do not reach across phases: take {provider} out of {after}"
    return (
        f"waves do not reach across phases: make {consumer} a {after} hook of a later wave, "
        f"or {provider} a {before} hook of an earlier one"
    )


def _better_wave(late: Late) -> int:
    # A claim may wait for its first pod, so an earlier wave than the pod's would never end.
    same = late.reference.provider.group_kind == "PersistentVolumeClaim"
    return late.needed.wave if same else late.needed.wave - 1


def _fixes(late: Late, app: App) -> tuple[Fix, ...]:
    provider, wave = late.reference.provider, _better_wave(late)
    if provider.is_hook or late.needed.phase_name != "Sync" or late.applied.phase_name != "Sync":
        return ()
    # No fix that another rule would take back: before its own definition, or round in a circle.
    crd = app.crd_of(provider)
    needs_it_back = any(each.provider is late.reference.consumer for each in app.graph.of(provider))
    if needs_it_back or (crd is not None and crd.wave >= wave):
        return ()
    return (Fix(f"put {provider} into wave {wave}", provider.annotation(WAVE).set(str(wave)), safe=False),)
