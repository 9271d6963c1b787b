"""An object needs another that Argo CD applies only in a later wave.

Argo CD starts a wave when everything in the waves before it is healthy. A Deployment in wave 0
whose Secret comes in wave 1 never becomes healthy on a first install, so wave 1 never starts
and the sync hangs until the Deployment's progress deadline fails it. On a cluster where an
earlier sync left the object behind all goes well, and the next new cluster is where it breaks.
Namespaces and CRDs are no problem: Argo CD pulls them forward to the first object that needs
them.

It is an error when the object cannot start without the other and Argo CD waits for its
health; a warning when it only works badly in between, or when the need is read from a command;
a note when it comes right by itself as soon as the other is there. Optional references are
left out, and so are targets that something earlier also offers. What comes in a later phase
has rules of its own: hook-references-sync-phase-object, hook-waits-for-own-service,
postsync-output-needed-earlier.

Fix: give what is needed an earlier wave than what needs it. The fix offered is unsafe, since
other objects may count on the old wave; it puts a PersistentVolumeClaim into the wave of its
pods, because a claim that waits for its first consumer would block an earlier one.

See: argo-cd#13178, argo-cd#12840

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

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...linter.api import App, Cause, Confidence, Finding, Fix, Moment, Note, Resource, Severity, rule
from ...linter.argocd.late_references import Late, by_line
from ...linter.argocd.sync_order import Slot
from ...linter.kubernetes.annotations.hooks import WAVE
from ...linter.kubernetes.references.graph import Reference


class _Move(NamedTuple):
    resource: Resource
    wave: int


@rule("GL202", Severity.ERROR, Moment.INSTALL)
def check(app: App) -> Iterator[Finding]:
    found = list(by_line(late for late in app.late if not late.crosses_phases))
    hanging = [late for late, *_ in found if late.never_heals]
    users = Counter(id(late.reference.provider) for late in hanging)
    lacks = Counter(id(late.reference.consumer) for late in hanging)
    for one in found:
        reference = one[0].reference
        lacking = lacks[id(reference.consumer)]
        is_providers = users[id(reference.provider)] > lacking
        cause = _cause(reference, is_providers) if one[0].never_heals else None
        move = _move(one[0], app, is_wanted_by_many=is_providers)
        yield _finding(one, move, app, cause, lacks_much=lacking > 1 and not is_providers)


def _finding(found: Sequence[Late], move: _Move, app: App, cause: Cause | None, *, lacks_much: bool) -> Finding:
    late = found[0]
    consumer_later = f"Give {late.reference.consumer} a later wave, or what it needs an earlier one."
    return Finding(
        late.reference.at,
        headline=f"{late.reference.consumer} is applied before {late.reference.target}, which it needs",
        happens=_effect(late),
        do=consumer_later if lacks_much else f"Put {move.resource} into wave {move.wave}.",
        fixes=_fixes(late, move, app),
        related=tuple(Note(each.reference.provider.wave_place, each.whereabouts) for each in found),
        severity=late.severity,
        never_heals=late.never_heals,
        cause=cause,
        confidence=Confidence.MEDIUM if late.reference.guessed else Confidence.HIGH,
    )


def _cause(reference: Reference, is_providers: bool) -> Cause:
    """One other wave mends it: an earlier one for what many need, a later one for what needs much."""
    consumer, provider = reference.consumer, reference.provider
    if is_providers:
        return Cause(f"the wave of {provider}", f"{{count}} objects are applied before {provider}, which they need")
    return Cause(f"the wave of {consumer}", f"{consumer} is applied before {{count}} objects that it needs")


def _effect(late: Late) -> str:
    consumer, provider = late.reference.consumer, late.reference.provider
    first = "on the first sync" if consumer.is_hook or provider.is_hook else "on a first install"
    by = f"{late.reference.via}, made by {provider}" if late.reference.made else late.reference.via
    applied = f"The {consumer.kind} is applied in {late.needed}, what it needs ({by}) in {late.applied}"
    if late.severity is Severity.ERROR:
        return f"{applied}; {first} {late.reference.until}, and the sync never gets past {late.needed}."
    return f"{applied}; until then {late.reference.until}."


def _move(late: Late, app: App, *, is_wanted_by_many: bool) -> _Move:
    """What is needed goes earlier; unless it would come before things of its own then, and its user can go later."""
    reference, wave = late.reference, _better_wave(late)
    later = late.applied.wave + 1
    has_users = any(_comes_before(app, one.consumer, Slot(late.needed.phase, later)) for one in _users(late, app))
    if is_wanted_by_many or has_users or not _would_be_late(late, wave, app):
        return _Move(reference.provider, wave)
    return _Move(reference.consumer, later)


def _users(late: Late, app: App) -> Iterator[Reference]:
    return (one for one in app.graph.to(late.reference.consumer) if one.consumer is not late.reference.provider)


def _would_be_late(late: Late, wave: int, app: App) -> bool:
    """Whether what is needed needs something itself that comes only after that wave."""
    slot = Slot(late.needed.phase, wave)
    needs = app.graph.needs(late.reference.provider).values()
    return any(not any(_comes_before(app, one.provider, slot, or_with=True) for one in offers) for offers in needs)


def _comes_before(app: App, resource: Resource, slot: Slot, *, or_with: bool = False) -> bool:
    found = app.plan.slot(resource)
    return found is None or found < slot or (or_with and found == slot)


def _better_wave(late: Late) -> int:
    # A claim may wait for its first pod, so an earlier wave than the pod's would never end.
    same = late.reference.provider.group_kind == "PersistentVolumeClaim"
    return late.needed.wave if same else late.needed.wave - 1


def _fixes(late: Late, move: _Move, app: App) -> tuple[Fix, ...]:
    provider = late.reference.provider
    if move.resource.is_hook or provider.is_hook or late.needed.phase_name != "Sync":
        return ()
    # No fix that another rule would take back: before its own definition, or round in a circle.
    crd = app.crd_of(provider)
    needs_it_back = any(each.provider is late.reference.consumer for each in app.graph.of(provider))
    if needs_it_back or (move.resource is provider and crd is not None and crd.wave >= move.wave):
        return ()
    patch = move.resource.annotation(WAVE).set(str(move.wave))
    return (Fix(f"put {move.resource} into wave {move.wave}", patch, safe=False),)
